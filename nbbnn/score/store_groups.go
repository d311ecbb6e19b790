package score

import "slices"

// columnGroup is a group of columns at the end of cells.csv, which some committed records
// lack. In the line of a cell without these metrics they are empty.
type columnGroup struct {
	columns []string
	// values returns pointers to the metrics of a cell, in the order of the columns; nil if it
	// lacks them.
	values func(c *Cell) []*float64
	// add gives a cell the metrics, with values to be set.
	add func(c *Cell)
	// check reports whether values that were read can be right; nil accepts all.
	check func(c Cell) bool
}

// columnGroups are the groups in the order in which files have them.
var columnGroups = []columnGroup{
	{
		columns: []string{"temperature", "nll_t"},
		values: func(c *Cell) []*float64 {
			if !c.IsScaled() {
				return nil
			}
			return []*float64{&c.Temperature, &c.ScaledNLL}
		},
		add:   func(c *Cell) { c.Temperature = 1 },
		check: Cell.IsScaled,
	},
	{
		columns: []string{"augrc", "classwise_ece", "smooth_ece"},
		values: func(c *Cell) []*float64 {
			if c.Further == nil {
				return nil
			}
			return []*float64{&c.Further.AUGRC, &c.Further.ClasswiseECE, &c.Further.SmoothECE}
		},
		add: func(c *Cell) { c.Further = &Further{} },
	},
	{
		columns: []string{
			"aps_threshold", "aps_coverage", "aps_size", "aps_plain_threshold", "aps_plain_coverage", "aps_plain_size",
		},
		values: func(c *Cell) []*float64 {
			if c.Sets == nil {
				return nil
			}
			r, p := &c.Sets.Randomised, &c.Sets.Plain
			return []*float64{&r.Threshold, &r.Coverage, &r.Size, &p.Threshold, &p.Coverage, &p.Size}
		},
		add: func(c *Cell) { c.Sets = &ConformalSets{} },
	},
}

// optionalMetrics returns the metrics that not every cell has and that cells.csv keeps.
func optionalMetrics() (all []Metric) {
	always := metricColumns()
	for _, m := range Metrics() {
		if m.Column != "" && !slices.Contains(always, m.Column) {
			all = append(all, m)
		}
	}
	return all
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
	g.add(cell)
	for _, value := range g.values(cell) {
		*value = fields.float()
	}
	fields.failed = fields.failed || g.check != nil && !g.check(*cell)
}

// line returns the columns of a cell.
func (g columnGroup) line(cell Cell) []string {
	line := make([]string, len(g.columns))
	for i, value := range g.values(&cell) {
		line[i] = formatFloat(*value)
	}
	return line
}

// usedGroups returns the groups that at least one row has metrics of.
func usedGroups(rows []cellRow) (groups []columnGroup) {
	for _, group := range columnGroups {
		if slices.ContainsFunc(rows, func(row cellRow) bool { return group.values(&row.Cell) != nil }) {
			groups = append(groups, group)
		}
	}
	return groups
}
