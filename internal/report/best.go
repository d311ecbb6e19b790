package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// explain adds to a table's caption the meaning of bold type, if used, and the note on the runs.
func explain(table *viz.Table, c score.Comparison) {
	if slices.Contains(slices.Concat(table.Strong...), true) {
		table.Caption += "; bold: better than each other method, by the 95 % intervals of the " +
			"differences within seeds"
	}
	if c.Note != "" {
		table.Caption += "; " + c.Note
	}
}

// best reports which method is in bold type: the one with the best mean, if the 95 % interval of
// its difference from each other one leaves zero out; none beside runs that learnt nothing, whose
// calibration is good. each has the values of the runs, [methods][seeds].
func best(c score.Comparison, metric score.Metric, each [][]float64) []bool {
	if c.Note != "" {
		return make([]bool, len(each))
	}
	means := make([]float64, len(each))
	for i, values := range each {
		means[i] = score.Summarise(values).Mean
	}
	are := bestOf(metric, means)
	for i := range are {
		for j := range each {
			are[i] = are[i] &&
				(j == i || isBetter(metric, paired(c.Methods[i], c.Methods[j], each[i], each[j])))
		}
	}
	return are
}

// paired returns the differences of a method's values from another's, within seeds.
func paired(of, from score.Method, values, others []float64) (differences []float64) {
	for k := range of.Seeds {
		if at := from.Pair(of, k); at >= 0 {
			differences = append(differences, values[k]-others[at])
		}
	}
	return differences
}

// isBetter reports whether the interval of the mean of differences is on the better side of zero.
func isBetter(metric score.Metric, differences []float64) bool {
	interval := score.Summarise(differences).Interval(0.95)
	return interval != nil && (metric.HigherIsBetter && interval[0] > 0 || !metric.HigherIsBetter &&
		interval[1] < 0)
}

// bestAt reports which methods are best at one place of curves.
func bestAt(c score.Comparison, metric score.Metric, methods []viz.Series, place int) []bool {
	each := make([][]float64, len(methods))
	for i, s := range methods {
		for _, values := range s.Each {
			each[i] = append(each[i], values[place])
		}
	}
	return best(c, metric, each)
}

// mark adds a table's marks for bold type in a row for each curve, behind two labels.
func mark(table *viz.Table, c score.Comparison, metric score.Metric, methods []viz.Series) {
	rows := make([][]bool, len(methods))
	for i := range rows {
		rows[i] = make([]bool, 2)
	}
	for place := range methods[0].Mean {
		for i, is := range bestAt(c, metric, methods, place) {
			rows[i] = append(rows[i], is)
		}
	}
	table.Strong = append(table.Strong, rows...)
}

// bestOf reports which of several values are the best: those that a table writes as it writes the
// best one, with Decimals. What isn't a number is never the best, and none is of fewer than two
// values or for a metric with NoBest.
func bestOf(m score.Metric, values []float64) []bool {
	are := make([]bool, len(values))
	if len(values) < 2 || m.NoBest {
		return are
	}
	best, written := math.NaN(), make([]float64, len(values))
	for i, value := range values {
		text := strconv.FormatFloat(m.Shown(value), 'f', m.Decimals(), 64)
		written[i], _ = strconv.ParseFloat(text, 64) // a text just written can be read
		if math.IsNaN(best) || m.Better(written[i], best) {
			best = written[i]
		}
	}
	for i, value := range written {
		are[i] = value == best
	}
	return are
}
