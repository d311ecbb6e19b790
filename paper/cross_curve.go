package paper

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"

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

// values returns those of a line, [seeds][lambdas].
func (c crossCurve) values(r *Result) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(c.method, func(run RunResult) []float64 {
		if c.by != "" {
			return run.Cross.By[c.by]
		}
		clean := make([]float64, lambdas)
		for i := range clean {
			clean[i] = run.Cross.Clean
		}
		return clean
	})
}

// table has a row for each line and a column for each lambda, with the paper's numbers below ours.
func (crossMeasurement) table(r *Result) (viz.Table, error) {
	lambdas := r.Setup.filledImplicit().Lambda
	table := viz.Table{Header: []string{"NLL", "λ"}, Labels: 2}
	for _, lambda := range lambdas {
		table.Header = append(table.Header, fmt.Sprint(lambda))
	}
	own, foreign := crossCurves(r)
	for _, c := range append(own, foreign...) {
		row := []string{c.name(), "ours"}
		for _, s := range summarise(c.values(r)) {
			row = append(row, viz.MeanStd(s.Mean, s.Std, s.N, 3))
		}
		table.Rows = append(table.Rows, row)
		if published := c.published(r); published != nil {
			row := []string{c.name(), "paper"}
			for _, nll := range published {
				row = append(row, strconv.FormatFloat(nll, 'f', 3, 64))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table, nil
}

// report replaces the table of the CSV file by the lines of the cross-test.
func (m crossMeasurement) report(r *Result, data *Report) error {
	if err := m.implicitMeasurement.report(r, data); err != nil {
		return err
	}
	data.table = [][]string{{"line", "lambda", "mean", "std", "seeds"}}
	own, foreign := crossCurves(r)
	for _, c := range append(own, foreign...) {
		for i, s := range summarise(c.values(r)) {
			lambda := strconv.FormatFloat(r.Setup.filledImplicit().Lambda[i], 'g', -1, 64)
			data.table = append(data.table, []string{c.name(), lambda, decimal(s.Mean), decimal(s.Std), strconv.Itoa(s.N)})
		}
	}
	return nil
}

// crossPanel draws some lines of the cross-test.
func crossPanel(r *Result, title string, lines []crossCurve) (*viz.Figure, error) {
	var curves []viz.EpochCurve
	for _, line := range lines {
		series := line.values(r)
		mean, std := meansAndStds(summarise(series))
		curves = append(curves, viz.EpochCurve{Name: line.name(), Mean: mean, Std: std, First: 1, Seeds: len(series)})
	}
	figure, err := viz.EpochCurves("NLL (nats)", curves)
	if err != nil {
		return nil, err
	}
	var ticks []plot.Tick
	for i, lambda := range r.Setup.filledImplicit().Lambda {
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: fmt.Sprint(lambda)})
	}
	for _, p := range figure.Plots() {
		p.X.Label.Text, p.X.Tick.Marker = "λ", plot.ConstantTicks(ticks)
	}
	return figure.Titled(title), nil
}

// lambdaNames are "at λ 0.01" and so on.
func lambdaNames(r *Result) (names []string) {
	for _, lambda := range r.Setup.filledImplicit().Lambda {
		names = append(names, fmt.Sprintf("at λ %g", lambda))
	}
	return names
}
