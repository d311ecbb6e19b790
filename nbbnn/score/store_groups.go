package score

import "slices"

// columnGroup is a group of columns of cells.csv. Some committed records lack all but the first. In
// the line of a cell without these metrics they are empty.
type columnGroup struct {
	columns []string
	has     func(c Cell) bool // reports whether a cell has the metrics; nil for what isn't read
}

// columnGroups are the groups in the order in which files have them.
var columnGroups = []columnGroup{
	{
		[]string{
			"nll", "error", "ece", "gibbs_nll", "brier", "miss_nll", "top2", "top3",
			"total", "aleatoric", "epistemic",
		},
		func(Cell) bool { return true },
	},
	{[]string{"temperature", "nll_t"}, Cell.IsScaled},
	{[]string{"temperature_odd"}, func(c Cell) bool { return c.OddTemperature > 0 }},
	{[]string{"augrc", "classwise_ece", "smooth_ece"}, func(c Cell) bool {
		return c.Further != nil
	}},
	{[]string{"aps_threshold", "aps_coverage", "aps_size"}, func(c Cell) bool {
		return c.Sets != nil
	}},
	{[]string{"aps_plain_threshold", "aps_plain_coverage", "aps_plain_size"}, nil},
}

var groupOf = func() map[string]columnGroup {
	groups := map[string]columnGroup{}
	for _, group := range columnGroups {
		for _, column := range group.columns {
			groups[column] = group
		}
	}
	return groups
}()

// metric returns where a cell keeps a column of columnGroups. It adds what a cell lacks for that.
// A switch, unlike a function value, leaves the cell on the stack.
func (c *Cell) metric(column string) *float64 {
	switch column {
	case "nll":
		return &c.NLL
	case "error":
		return &c.Error
	case "ece":
		return &c.ECE
	case "gibbs_nll":
		return &c.GibbsNLL
	case "brier":
		return &c.Brier
	case "miss_nll":
		return &c.MissNLL
	case "top2":
		return &c.Top2
	case "top3":
		return &c.Top3
	case "total":
		return &c.Total
	case "aleatoric":
		return &c.Aleatoric
	case "epistemic":
		return &c.Epistemic
	case "temperature":
		return &c.Temperature
	case "temperature_odd":
		return &c.OddTemperature
	case "nll_t":
		return &c.ScaledNLL
	case "augrc", "classwise_ece", "smooth_ece":
		if c.Further == nil {
			c.Further = &Further{}
		}
		return c.Further.metric(column)
	}
	if c.Sets == nil {
		c.Sets = &ConformalSets{}
	}
	return c.Sets.Randomised.metric(column)
}

func (f *Further) metric(column string) *float64 {
	switch column {
	case "augrc":
		return &f.AUGRC
	case "classwise_ece":
		return &f.ClasswiseECE
	}
	return &f.SmoothECE
}

func (s *PredictionSets) metric(column string) *float64 {
	switch column {
	case "aps_threshold":
		return &s.Threshold
	case "aps_coverage":
		return &s.Coverage
	}
	return &s.Size
}

// groupsIn returns the groups whose columns a header has, in their order, and reports whether it
// has nothing else.
func groupsIn(header []string, optional []columnGroup) (groups []columnGroup, known bool) {
	for _, group := range optional {
		if count := len(group.columns); len(header) >= count &&
			slices.Equal(header[:count], group.columns) {
			groups, header = append(groups, group), header[count:]
		}
	}
	return groups, len(header) == 0
}

// read sets the metrics of a cell from its line, unless they are empty there or of no use now.
func (g columnGroup) read(fields *record, cell *Cell) {
	columns := fields.fields[:len(g.columns)]
	if g.has == nil || !slices.ContainsFunc(columns, func(field string) bool {
		return field != ""
	}) {
		fields.fields = fields.fields[len(g.columns):]
		return
	}
	for _, column := range g.columns {
		*cell.metric(column) = fields.float()
	}
}

// line returns the columns of a cell.
func (g columnGroup) line(cell Cell) []string {
	line := make([]string, len(g.columns))
	if g.has(cell) {
		for i, column := range g.columns {
			line[i] = formatFloat(*cell.metric(column))
		}
	}
	return line
}

// usedGroups returns the groups that at least one row has metrics of.
func usedGroups(rows []cellRow) (groups []columnGroup) {
	for _, group := range columnGroups {
		if group.has != nil && slices.ContainsFunc(rows, func(row cellRow) bool {
			return group.has(row.Cell)
		}) {
			groups = append(groups, group)
		}
	}
	return groups
}
