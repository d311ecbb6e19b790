package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// latentScale asks whether the entropy has to be trained: the noise of a network trained at
// gamma = 0 is scaled by a factor c after training, and compared with networks trained at larger
// gammas. Both c and gamma are chosen on clean validation images of the other seeds.
var latentScale = Figure{
	Key:   "latent-scale",
	Title: "The standard deviations of the latents are multiplied by c after training",
	headline: headline{
		Shows:    "NLL against the factor of σ after training",
		Claimed:  "Training with γ beats σ scaled after training",
		Opposite: "σ scaled after training beats training with γ",
		Between:  "in NLL under corruption between training with γ and σ scaled after training",
	},
	Runs:    latentScaleRuns,
	collect: tests{changes: scaleTests(), parts: []nbbnn.Part{nbbnn.ValidationPart}},
	draw:    drawLatentScale,
	claims: []claim{
		scaleClaim("σ × c chosen on validation images has a higher NLL under corruption than γ "+
			"chosen there", NLL, aboveZero).asPrimary(0),
		scaleClaim("the two are alike", NLL, nearZero),
		scaleClaim("γ chosen on validation images has a lower error under corruption than σ × c",
			Error, aboveZero),
		againstUnscaled("σ × c chosen on validation images lowers the NLL under corruption",
			"best c - c = 1", NLL, NLL),
		againstUnscaled("σ × c lowers the NLL under corruption by more than one temperature does",
			"best c - c = 1 with one temperature", NLL, ScaledNLL),
		againstUnscaled("with one temperature each, σ × c lowers the NLL under corruption",
			"best c - c = 1", ScaledNLL, ScaledNLL),
		againstUnscaled("σ × c chosen on validation images lowers the error under corruption",
			"best c - c = 1", Error, Error),
	},
}

var scaleFactors = []float64{0, 1, 1.5, 2, 3, 4}

// scaleName names the runs at gamma = 0 under a factor.
func scaleName(c float64) string {
	if c == 1 {
		return gammaName(0)
	}
	return fmt.Sprintf("γ = 0, σ × %g", c)
}

func scaleTests() map[string]func(*nbbnn.Evaluation) {
	tests := map[string]func(*nbbnn.Evaluation){}
	for _, c := range scaleFactors {
		tests[scaleName(c)] = func(e *nbbnn.Evaluation) { e.LatentScale = nbbnn.ScaleLatents(c) }
	}
	return tests
}

// scaleGammas returns the gammas of Figure 6's runs with one component, which are shared.
func scaleGammas(scale Scale) []float64 {
	if scale == Smoke {
		return []float64{0, 4}
	}
	return []float64{0, 8, 16, 32, 64}
}

func latentScaleRuns(scale Scale) Setup {
	setup := sweepRuns(scale, nbbnn.Paper("vgg16", dataset.CIFAR100))
	setup.Methods = withGammas(1, scaleGammas(scale)...)
	for _, c := range scaleFactors {
		if c != 1 {
			setup.Methods = append(setup.Methods,
				Method{Name: scaleName(c), Change: setup.Methods[0].Change})
		}
	}
	return setup
}

// scaleDial and gammaDial are the two ways to more entropy.
func scaleDial() sweepCurve { return newSweepCurve("factor c of σ", scaleFactors, scaleName) }

func gammaDial(scale Scale) sweepCurve {
	return newSweepCurve("", scaleGammas(scale)[1:], gammaName)
}

// scaleClaim compares the chosen c with the chosen gamma under corruption.
func scaleClaim(text, metric string, side direction) claim {
	return weAsk(text, func(r *Result) []Effect {
		effect := lowerEffect(metric, "best c - best γ, mean of levels 1 to 5",
			scaleDial().chosen(r, metric), gammaDial(r.Scale).chosen(r, metric))
		if effect.Claimed = side; side == nearZero {
			effect.Margin = alikeMargin
		}
		return []Effect{effect}
	})
}

// againstUnscaled compares the chosen c with c = 1, in two metrics of one unit.
func againstUnscaled(text, name, metric, other string) claim {
	return weAsk(text, func(r *Result) []Effect {
		unscaled := r.on(corruptedSplit, scaleName(1), other)
		return []Effect{lowerEffect(metric, name+", mean of levels 1 to 5",
			scaleDial().chosen(r, metric), unscaled)}
	}).needing(other)
}

// drawLatentScale draws the levels of the chosen c, of the chosen gamma and of gamma = 0 with and
// without one temperature, and below them the NLL and the error against c.
func drawLatentScale(r *Result) (*viz.Figure, error) {
	shown := onlyMethods(r, scaleName(1), scaleDial().best(r), gammaDial(r.Scale).best(r))
	nll := shown.levelCurves(NLL)
	if len(r.measured(ScaledNLL)) > 0 {
		temperate := onlyMethods(shown, scaleName(1)).levelCurves(ScaledNLL)
		temperate[0].Name, temperate[0].Test = scaleName(1)+", one temperature", nll[0].Test
		nll = append(nll, temperate...)
	}
	var b board
	b.row()
	b.add(viz.LevelCurves(NLL, nll))
	b.add(shown.LevelFigure(Error))
	b.row()
	for _, metric := range []string{NLL, Error} {
		b.add(scaleDial().panel(r, metric, testSplit, mildSplit, severeSplit))
	}
	return b.arranged(viz.Stretched)
}
