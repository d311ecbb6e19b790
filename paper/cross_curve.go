package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// crossCurve is one line of the cross-test: a network on the corruptions of a method, or on clean
// images if by is "".
type crossCurve struct{ method, by string }

func (c crossCurve) name() string {
	switch c.by {
	case "":
		return c.method + ", clean"
	case c.method:
		return c.method + ", own"
	}
	return c.method + " on " + c.by + "'s"
}

// crossCurves lists the lines: each method on clean images and on its own corruptions, then on the
// others'.
func crossCurves(r *Result) (own, foreign []crossCurve) {
	methods := r.methodNames()
	for _, method := range methods {
		own = append(own, crossCurve{method, ""}, crossCurve{method, method})
		for _, by := range methods {
			if by != method {
				foreign = append(foreign, crossCurve{method, by})
			}
		}
	}
	return own, foreign
}

// values returns a metric of a line, [seeds][lambdas].
func (c crossCurve) values(r *Result, metric string) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(c.method, func(run RunResult) []float64 {
		scores := run.Cross[metric]
		if c.by != "" {
			return scores.By[c.by]
		}
		return slices.Repeat([]float64{scores.Clean}, lambdas)
	})
}

// cost returns how much higher a metric is on a line's images than on the clean ones, in the unit
// in which it is shown, [seeds][lambdas].
func (c crossCurve) cost(r *Result, metric score.Metric) [][]float64 {
	clean := crossCurve{c.method, ""}.values(r, metric.Name)
	costs := c.values(r, metric.Name)
	for seed := range costs {
		costs[seed] = shown(metric, differences(costs[seed], clean[seed]))
	}
	return costs
}

// crossMetrics are those that all runs of a cross-test have.
func crossMetrics(r *Result) (metrics []score.Metric) {
	for _, name := range []string{NLL, ScaledNLL, Error} {
		if slices.ContainsFunc(r.Runs, func(run RunResult) bool { _, measured := run.Cross[name]; return !measured }) {
			continue
		}
		metrics = append(metrics, metricOf(name))
	}
	return metrics
}

// table has a row for each line and a column for each lambda, with the paper's numbers below ours.
// Other metrics than NLL follow below.
func (crossMeasurement) table(r *Result) (viz.Table, error) {
	table := viz.Table{Header: []string{"NLL", "λ"}, Labels: 2}
	for _, lambda := range r.Setup.filledImplicit().Lambda {
		table.Header = append(table.Header, fmt.Sprint(lambda))
	}
	own, foreign := crossCurves(r)
	for _, metric := range crossMetrics(r) {
		for _, c := range slices.Concat(own, foreign) {
			row := []string{c.name(), "ours"}
			if metric.Name != NLL {
				row[0] = metric.Heading() + ", " + row[0]
			}
			for _, s := range summarise(c.values(r, metric.Name)) {
				row = append(row, viz.MeanStd(metric.Shown(s.Mean), metric.Shown(s.Std), s.N, metric.Decimals()))
			}
			table.Rows = append(table.Rows, row)
			if published := c.published(r); published != nil && metric.Name == NLL {
				row = []string{c.name(), "paper"}
				for _, value := range published {
					row = append(row, fmt.Sprintf("%.3f", value))
				}
				table.Rows = append(table.Rows, row)
			}
		}
	}
	return table, nil
}

// crossReport is the cross-test of one run.
type crossReport struct {
	Method string    `json:"method"`
	Seed   uint64    `json:"seed"`
	Test   CrossTest `json:"test"`
}

// report adds the cross-tests, and replaces the table of the CSV file by their lines.
func (m crossMeasurement) report(r *Result, data *Report) error {
	if err := m.implicitMeasurement.report(r, data); err != nil {
		return err
	}
	for _, run := range r.Runs {
		data.Cross = append(data.Cross, crossReport{run.Method, run.Seed, run.Cross})
	}
	data.csv = [][]string{{"line", "lambda", "mean", "std", "seeds", "metric"}}
	own, foreign := crossCurves(r)
	for _, metric := range crossMetrics(r) {
		for _, c := range slices.Concat(own, foreign) {
			for i, s := range summarise(c.values(r, metric.Name)) {
				data.csv = append(data.csv, csvRow(c.name(), fmt.Sprint(r.Setup.filledImplicit().Lambda[i]), s.Mean, s.Std, s.N, metric.Column))
			}
		}
	}
	return nil
}

// lambdaNames are "at λ 0.01" and so on.
func lambdaNames(r *Result) (names []string) {
	for _, lambda := range r.Setup.filledImplicit().Lambda {
		names = append(names, fmt.Sprintf("at λ %g", lambda))
	}
	return names
}
