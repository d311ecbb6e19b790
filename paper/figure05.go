package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/implicit"
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
