package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// figure05 is Figure 5 of the paper: the negative log-likelihood of M16 and M32 on test images with
// implicit corruptions, on the left each network's own, on the right the other's. The runs are
// Figure03's.
var figure05 = Figure{
	Number: 5,
	Title:  "A network is robust to its own implicit corruptions, not to the other's",
	headline: headline{
		Shows:    "NLL under own and foreign implicit corruptions",
		Claimed:  "The other network's implicit corruptions cost more than a network's own",
		Opposite: "The other network's implicit corruptions cost less than a network's own",
		Between:  "between a network's own and the other's implicit corruptions",
		Names:    namesOfWidths,
	},
	Runs:    figure05Runs,
	collect: crossMeasurement{},
	draw:    crossPicture,
	claims: []claim{
		paperSays("own implicit corruptions cost less than 0.07 nats", ownCostsLittle),
		paperSays("the other's corruptions cost more than the own",
			otherCostsMore(NLL, expected).averaged(otherMinusOwn)).asPrimary(0),
		paperSays("M32 is better on M16's corruptions than M16 on M32's", widerIsBetter),
		paperSays("the other's corruptions cost less as λ grows", costFallsWithLambda),
		weAsk("the other's corruptions cost more than the own in temperature-scaled NLL",
			otherCostsMore(ScaledNLL, expected)).needing(ScaledNLL),
		weAsk("the other's corruptions cost more than the own in error",
			otherCostsMore(Error, expected)).needing(Error),
		weAsk("with Z = 1 in the network without noise the other's corruptions cost more than "+
			"the own", otherCostsMore(NLL, ones).averaged(otherMinusOwn)),
		weAsk("with the mean of Z in the network without noise the other's corruptions cost more "+
			"than the own", otherCostsMore(NLL, meanZ).averaged(otherMinusOwn)),
	},
	checks: implicitChecks,
}

// figure05Runs has fewer images and draws below the paper's scale, which has 1,024 images and 8
// draws.
func figure05Runs(scale Scale) Setup {
	setup := allCNNC(scale)
	setup.Implicit = implicit.Settings{Images: 1024, Draws: 8, Lambda: []float64{0.01, 0.03, 0.1,
		0.3}, Expected: 64}
	switch scale {
	case Smoke:
		setup.Implicit.Images, setup.Implicit.Draws, setup.Implicit.Expected, setup.Implicit.Steps =
			8, 1, 4, 150
	case Quick:
		setup.Implicit.Images, setup.Implicit.Draws, setup.Implicit.Expected = 16, 1, 8
	case Desk:
		setup.Implicit.Images, setup.Implicit.Draws, setup.Implicit.Expected = 64, 1, 16
	case Paper:
		setup.Seeds = quantity.FirstSeeds(10)
	}
	return setup
}

// ownCostsLittle compares the cost of a network's own corruptions with 0.07 nats, which the paper's
// stay below.
func ownCostsLittle(r *Result) (effects []Effect) {
	const limit = 0.07
	for _, method := range r.methodNames() {
		own, clean := crossCurve{method, method}.values(r, NLL), crossCurve{method, ""}.values(r,
			NLL)
		for seed := range clean {
			floats.AddConst(limit, clean[seed])
		}
		effects = append(effects, pairedEffects(method+", own - clean - 0.07", "nats", belowZero,
			own, clean, lambdaNames(r))...)
	}
	return effects
}

// otherMinusOwn names the mean of the effects of otherCostsMore.
const otherMinusOwn = "the other's - own, mean over networks and λ"

// otherCostsMore compares a metric on the other network's corruptions with that on the network's
// own, both found with one network without noise.
func otherCostsMore(name string, n noiseFree) contrast {
	return func(r *Result) (effects []Effect) {
		metric := metricOf(name)
		_, foreign := crossCurves(r, n)
		for _, line := range foreign {
			own := crossCurve{line.method, n.source(line.method)}
			effects = append(effects, pairedEffects(line.name()+" - own", unitOf(metric), aboveZero,
				line.cost(r, metric), own.cost(r, metric), lambdaNames(r))...)
		}
		return effects
	}
}

// widerIsBetter compares the two networks, each on the other's corruptions.
func widerIsBetter(r *Result) []Effect {
	return pairedEffects("M32 on M16's - M16 on M32's", "nats", belowZero,
		crossCurve{"M32", "M16"}.values(r, NLL), crossCurve{"M16", "M32"}.values(r, NLL),
		lambdaNames(r))
}

// costFallsWithLambda compares neighbouring lambdas.
func costFallsWithLambda(r *Result) (effects []Effect) {
	lambdas := r.Setup.filledImplicit().Lambda
	_, foreign := crossCurves(r, expected)
	for _, line := range foreign {
		values := line.values(r, NLL)
		for i := 1; i < len(lambdas); i++ {
			name := fmt.Sprintf("%s, λ %g - λ %g", line.name(), lambdas[i], lambdas[i-1])
			effects = append(effects, newEffect(name, "nats", belowZero,
				differences(column(values, i), column(values, i-1))))
		}
	}
	return effects
}

// crossCurve is one line of the cross-test: a network on the corruptions of a source, or on clean
// images if by is "".
type crossCurve struct{ method, by string }

func (c crossCurve) name() string {
	by, found, other := strings.Cut(c.by, ", ")
	if other {
		found = ", " + found
	}
	switch by {
	case "":
		return c.method + ", clean"
	case c.method:
		return c.method + ", own" + found
	}
	return c.method + " on " + by + "'s" + found
}

// crossCurves lists the lines of one network without noise: each method on clean images and on its
// own corruptions, then on the others'.
func crossCurves(r *Result, n noiseFree) (own, foreign []crossCurve) {
	methods := r.methodNames()
	for _, method := range methods {
		own = append(own, crossCurve{method, ""}, crossCurve{method, n.source(method)})
		for _, by := range methods {
			if by != method {
				foreign = append(foreign, crossCurve{method, n.source(by)})
			}
		}
	}
	return own, foreign
}

// values returns a metric of a line, [seeds][lambdas]; NaN if a run lacks it.
func (c crossCurve) values(r *Result, metric string) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(c.method, func(run RunResult) []float64 {
		scores, measured := run.cross[metric]
		switch {
		case !measured:
			return slices.Repeat([]float64{math.NaN()}, lambdas)
		case c.by == "":
			return slices.Repeat([]float64{scores.Clean}, lambdas)
		}
		return scores.By[c.by]
	})
}

// cost returns a metric on a line's images minus the clean images', in the shown unit,
// [seeds][lambdas].
func (c crossCurve) cost(r *Result, metric score.Metric) [][]float64 {
	clean := crossCurve{c.method, ""}.values(r, metric.Name)
	costs := c.values(r, metric.Name)
	for seed := range costs {
		costs[seed] = differences(costs[seed], clean[seed])
		floats.Scale(metric.Shown(1), costs[seed])
	}
	return costs
}

// crossMetrics returns what all runs of a cross-test have.
func crossMetrics(r *Result) (metrics []score.Metric) {
	for _, name := range r.measured(NLL, ScaledNLL, Error) {
		metrics = append(metrics, metricOf(name))
	}
	return metrics
}

// numbers has a line for each line of the cross-test along the lambdas, with the paper's: of E[f]
// for each metric, of the other networks without noise for the negative log-likelihood.
func (crossMeasurement) numbers(r *Result) numbers {
	n := numbers{at: "λ"}
	add := func(metric score.Metric, c crossCurve) {
		var values [][]float64
		for _, scores := range c.values(r, metric.Name) {
			values = append(values, floats.ScaleTo(make([]float64, len(scores)), metric.Shown(1),
				scores))
		}
		l := r.line(metric.Heading(), c.method,
			strings.Fields(quantity.Spaced(r.Setup.filledImplicit().Lambda)), metric.Decimals(),
			values)
		if l.Curve = c.name(); metric.Name == NLL {
			l.Paper = c.published(r)
		}
		n.lines = append(n.lines, l)
	}
	for _, metric := range crossMetrics(r) {
		for _, of := range noiseFrees {
			own, foreign := crossCurves(r, of)
			for _, c := range slices.Concat(own, foreign) {
				if of == expected || metric.Name == NLL && c.by != "" {
					add(metric, c)
				}
			}
		}
	}
	return n
}

// lambdaNames are "at λ 0.01" and so on.
func lambdaNames(r *Result) []string {
	return quantity.Texts(r.Setup.filledImplicit().Lambda, func(lambda float64) string {
		return fmt.Sprintf("at λ %g", lambda)
	})
}

// published returns the paper's numbers of a line for the same data, network and lambdas.
func (c crossCurve) published(r *Result) []float64 {
	config := r.Setup.Config.WithDefaults()
	lambdas := r.Setup.filledImplicit().Lambda
	if config.Data.Name != dataset.CIFAR10 || config.Network.Name != "allcnnc" ||
		quantity.Spaced(lambdas) != "0.01 0.03 0.1 0.3" {
		return nil
	}
	return c.inPaper()
}

// inPaper returns the paper's numbers of a line for any runs.
func (c crossCurve) inPaper() []float64 {
	for _, p := range published.Figure5 {
		if p.Method == c.method && p.By == c.by {
			return p.NLL
		}
	}
	return nil
}
