package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Figure05 is Figure 5 of the paper: the negative log-likelihood of M16 and M32 on test images with
// implicit corruptions, on the left each network's own, on the right the other's. The runs are
// those of Figure03.
var Figure05 = Figure{
	Number: 5,
	Title:  "A network is robust to its own implicit corruptions, not to the other's",
	Headline: Headline{
		Shows:   "NLL under own and foreign implicit corruptions",
		Claimed: "The other network's implicit corruptions cost more than a network's own", Opposite: "The other network's implicit corruptions cost less than a network's own",
		Between: "between a network's own and the other's implicit corruptions",
		Names:   "M16 and M32 start with noise of σ = 0.16 and 0.32.",
	},
	Runs:    figure05Runs,
	Collect: crossMeasurement{},
	Draw:    crossPicture,
	Claims: []Claim{
		paperSays("own implicit corruptions cost less than 0.07 nats", ownCostsLittle),
		paperSays("the other's corruptions cost more than the own",
			averaged("the other's - own, mean over networks and λ", otherCostsMore(NLL))).asPrimary(0),
		paperSays("M32 is better on M16's corruptions than M16 on M32's", widerIsBetter),
		paperSays("the other's corruptions cost less as λ grows", costFallsWithLambda),
		{Text: "the other's corruptions cost more than the own in temperature-scaled NLL", Source: Ours, Levels: true, Needs: crossMetric(ScaledNLL), Effects: otherCostsMore(ScaledNLL)},
		{Text: "the other's corruptions cost more than the own in error", Source: Ours, Levels: true, Needs: crossMetric(Error), Effects: otherCostsMore(Error)},
	},
	Checks: implicitChecks,
}

// figure05Runs has fewer images and draws below the paper's scale, which has 1,024 images and 8
// draws.
func figure05Runs(scale Scale) Setup {
	setup := allCNNC(scale)
	setup.Implicit = implicit.Settings{Images: 1024, Draws: 8, Lambda: []float64{0.01, 0.03, 0.1, 0.3}}
	switch scale {
	case Smoke:
		setup.Implicit.Images, setup.Implicit.Draws, setup.Implicit.Steps = 8, 1, 150
	case Quick:
		setup.Implicit.Images, setup.Implicit.Draws = 64, 1
	case Desk:
		setup.Implicit.Images, setup.Implicit.Draws = 256, 4
	case Paper:
		setup.Seeds = FirstSeeds(10)
	default:
		return Setup{}
	}
	return setup
}

// ownCostsLittle compares the cost of a network's own corruptions with 0.07 nats, which the paper's
// stay below.
func ownCostsLittle(r *Result) (effects []Effect) {
	const limit = 0.07
	for _, method := range r.methodNames() {
		own, clean := crossCurve{method, method}.values(r, NLL), crossCurve{method, ""}.values(r, NLL)
		for seed := range clean {
			plus(clean[seed], limit)
		}
		effects = append(effects, pairedEffects(method+", own - clean - 0.07", "nats", belowZero, own, clean, lambdaNames(r))...)
	}
	return effects
}

// otherCostsMore compares a metric on the other network's corruptions with that on the network's
// own.
func otherCostsMore(name string) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		metric := metricOf(name)
		_, foreign := crossCurves(r)
		for _, line := range foreign {
			own := crossCurve{line.method, line.method}
			effects = append(effects, pairedEffects(line.name()+" - own", unitOf(metric), aboveZero, line.cost(r, metric), own.cost(r, metric), lambdaNames(r))...)
		}
		return effects
	}
}

// crossMetric is what claims on another metric than NLL need: cross-tests that have it.
func crossMetric(name string) func(*Result, []string) string {
	return func(r *Result, _ []string) string {
		for _, run := range r.Runs {
			if _, measured := run.Cross[name]; !measured {
				return fmt.Sprintf("the cross-test of %s has no %s: `nbbnn figure 3 --scale %s` gives it a temperature, and `nbbnn figure 5` adds it",
					run.Name(), name, r.Scale)
			}
		}
		return ""
	}
}

// widerIsBetter compares the two networks, each on the other's corruptions.
func widerIsBetter(r *Result) []Effect {
	return pairedEffects("M32 on M16's - M16 on M32's", "nats", belowZero,
		crossCurve{"M32", "M16"}.values(r, NLL), crossCurve{"M16", "M32"}.values(r, NLL), lambdaNames(r))
}

// costFallsWithLambda compares neighbouring lambdas.
func costFallsWithLambda(r *Result) (effects []Effect) {
	lambdas := r.Setup.filledImplicit().Lambda
	_, foreign := crossCurves(r)
	for _, line := range foreign {
		values := line.values(r, NLL)
		for i := 1; i < len(lambdas); i++ {
			name := fmt.Sprintf("%s, λ %g - λ %g", line.name(), lambdas[i], lambdas[i-1])
			effects = append(effects, newEffect(name, "nats", belowZero, differences(column(values, i), column(values, i-1))))
		}
	}
	return effects
}

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

// published returns the paper's numbers of a line for the same data, network and lambdas.
func (c crossCurve) published(r *Result) []float64 {
	config := r.Setup.Config.WithDefaults()
	lambdas := r.Setup.filledImplicit().Lambda
	if config.Data.Name != dataset.CIFAR10 || config.Network.Name != "allcnnc" || numbersText(lambdas) != "0.01 0.03 0.1 0.3" {
		return nil
	}
	return c.inPaper()
}

// inPaper returns the paper's numbers of a line, whatever the runs are.
func (c crossCurve) inPaper() []float64 {
	for _, p := range published.Figure5 {
		if p.Method == c.method && p.By == c.by {
			return p.NLL
		}
	}
	return nil
}
