package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Marked returns a comparison for tables and pictures: the names of methods with runs that learnt
// nothing have a dagger, in pictures with its meaning.
func Marked(c score.Comparison, inPicture bool) score.Comparison {
	c.Methods = slices.Clone(c.Methods)
	for i, m := range c.Methods {
		if len(m.Unlearnt) == 0 {
			continue
		}
		name := marked(m.Name, m.Unlearnt)
		if inPicture {
			name += " hardly learnt"
			if len(m.Unlearnt) < len(m.Seeds) {
				name = fmt.Sprintf("%s (%d of %d)", name, len(m.Unlearnt), len(m.Seeds))
			}
		}
		if c.Baseline == m.Name {
			c.Baseline = name
		}
		c.Methods[i].Name = name
	}
	return c
}

// marked returns a method's name, with a dagger if there are seeds that hardly learnt.
func marked(method string, unlearnt []uint64) string {
	if len(unlearnt) == 0 {
		return method
	}
	return method + " " + dagger
}

// dagger marks what hardly learnt.
const dagger = "†"

// Foot returns the lines below tables of a comparison: which seeds hardly learnt, and the
// notes on the images.
func Foot(c score.Comparison) []string {
	var methods []string
	for _, m := range c.Methods {
		if len(m.Unlearnt) > 0 {
			methods = append(methods, unlearnt(m.Name, m.Unlearnt))
		}
	}
	return append(unlearntFoot(methods), c.Notes...)
}

// unlearnt names the seeds of a method that hardly learnt.
func unlearnt(method string, seeds []uint64) string {
	return fmt.Sprintf("%s (%s %s)", strings.TrimSuffix(method, " "+dagger),
		quantity.Noun(len(seeds), "seed"), quantity.Spaced(seeds))
}

// unlearntFoot explains the mark of methods; nil of none.
func unlearntFoot(methods []string) []string {
	if methods == nil {
		return nil
	}
	return []string{dagger + " hardly learnt: the training NLL is near guessing: " +
		strings.Join(methods, ", ")}
}

// explain adds to a table's caption the meaning of bold type, if used, and the lines of Foot.
func explain(table *viz.Table, c score.Comparison) {
	if slices.Contains(slices.Concat(table.Strong...), true) {
		table.Caption += "; bold: better than each other method, by the 95 % intervals of the " +
			"differences within seeds, of each column by itself"
	}
	table.Foot = Foot(c)
}

// best reports which method is in bold type: the one with the best mean, if the 95 % interval of
// its difference from each other one leaves zero out; none beside runs that hardly learnt, whose
// calibration is good. each has the values of the runs, [methods][seeds].
func best(c score.Comparison, metric score.Metric, each [][]float64) []bool {
	if slices.ContainsFunc(c.Methods, func(m score.Method) bool { return m.Unlearnt != nil }) {
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
