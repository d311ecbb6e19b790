package score

import (
	"cmp"
	"slices"
)

// columnGroup is a group of columns of cells.csv. Some committed records lack all but the first. In the
// line of a cell without these metrics they are empty.
type columnGroup struct {
	columns []string
	has     func(c Cell) bool        // reports whether a cell has the metrics
	values  func(c *Cell) []*float64 // of a cell that has the metrics or is to get them, in the order of the columns
}

// columnGroups are the groups in the order in which files have them.
var columnGroups = []columnGroup{
	{
		columns: []string{"nll", "error", "ece", "gibbs_nll", "brier", "miss_nll", "top2", "top3", "total", "aleatoric", "epistemic"},
		has:     func(Cell) bool { return true },
		values: func(c *Cell) []*float64 {
			return []*float64{&c.NLL, &c.Error, &c.ECE, &c.GibbsNLL, &c.Brier, &c.MissNLL, &c.Top2, &c.Top3, &c.Total, &c.Aleatoric, &c.Epistemic}
		},
	},
	{
		columns: []string{"temperature", "nll_t"},
		has:     Cell.IsScaled,
		values:  func(c *Cell) []*float64 { return []*float64{&c.Temperature, &c.ScaledNLL} },
	},
	{
		columns: []string{"temperature_odd"},
		has:     func(c Cell) bool { return c.OddTemperature > 0 },
		values:  func(c *Cell) []*float64 { return []*float64{&c.OddTemperature} },
	},
	{
		columns: []string{"augrc", "classwise_ece", "smooth_ece"},
		has:     func(c Cell) bool { return c.Further != nil },
		values: func(c *Cell) []*float64 {
			c.Further = cmp.Or(c.Further, &Further{})
			return []*float64{&c.Further.AUGRC, &c.Further.ClasswiseECE, &c.Further.SmoothECE}
		},
	},
	{
		columns: []string{
			"aps_threshold", "aps_coverage", "aps_size", "aps_plain_threshold", "aps_plain_coverage", "aps_plain_size",
		},
		has: func(c Cell) bool { return c.Sets != nil },
		values: func(c *Cell) []*float64 {
			c.Sets = cmp.Or(c.Sets, &ConformalSets{})
			r, p := &c.Sets.Randomised, &c.Sets.Plain
			return []*float64{&r.Threshold, &r.Coverage, &r.Size, &p.Threshold, &p.Coverage, &p.Size}
		},
	},
}

// groupsIn returns the groups whose columns a header has, in their order, and reports whether it
// has nothing else.
func groupsIn(header []string, optional []columnGroup) (groups []columnGroup, known bool) {
	for _, group := range optional {
		if count := len(group.columns); len(header) >= count && slices.Equal(header[:count], group.columns) {
			groups, header = append(groups, group), header[count:]
		}
	}
	return groups, len(header) == 0
}

// read sets the metrics of a cell from its line, unless they are empty there.
func (g columnGroup) read(fields *record, cell *Cell) {
	columns := fields.fields[:len(g.columns)]
	if !slices.ContainsFunc(columns, func(field string) bool { return field != "" }) {
		fields.fields = fields.fields[len(g.columns):]
		return
	}
	for _, value := range g.values(cell) {
		*value = fields.float()
	}
}

// line returns the columns of a cell.
func (g columnGroup) line(cell Cell) []string {
	line := make([]string, len(g.columns))
	if g.has(cell) {
		for i, value := range g.values(&cell) {
			line[i] = formatFloat(*value)
		}
	}
	return line
}

// usedGroups returns the groups that at least one row has metrics of.
func usedGroups(rows []cellRow) (groups []columnGroup) {
	for _, group := range columnGroups {
		if slices.ContainsFunc(rows, func(row cellRow) bool { return group.has(row.Cell) }) {
			groups = append(groups, group)
		}
	}
	return groups
}
