package viz_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/viz"
)

// guess is what became of one prediction.
type guess struct {
	confidence float64
	correct    bool
}

// guesses are 4,000 predictions of a classifier whose confidence in ten classes is the chance of
// being right to the given power: with a power below one it is too sure.
func guesses(seed uint64, power float64) []guess {
	rng := random.New(seed, "test classifier", 0)
	all := make([]guess, 4000)
	for i := range all {
		chance := 0.1 + 0.9*math.Pow(rng.Float64(), 0.5)
		all[i] = guess{math.Pow(chance, power), rng.Float64() < chance}
	}
	return all
}

// reliability puts guesses into 15 bins of equal width.
func reliability(name string, all []guess) viz.ReliabilityCurve {
	const bins = 15
	var count, correct [bins]int
	var confidence [bins]float64
	for _, g := range all {
		bin := min(int(g.confidence*bins), bins-1)
		count[bin]++
		confidence[bin] += g.confidence
		if g.correct {
			correct[bin]++
		}
	}
	curve := viz.ReliabilityCurve{Name: name, Seeds: 1}
	for bin, n := range count {
		if n > 0 {
			curve.Confidence = append(curve.Confidence, confidence[bin]/float64(n))
			curve.Accuracy = append(curve.Accuracy, float64(correct[bin])/float64(n))
			curve.Count = append(curve.Count, n)
		}
	}
	return curve
}

// risk lets the least sure guesses go, one after the other.
func risk(name string, all []guess) viz.RiskCurve {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b guess) int { return cmp.Compare(b.confidence, a.confidence) })
	curve := viz.RiskCurve{Name: name, Seeds: 1}
	wrong := 0
	for i, g := range sorted {
		if !g.correct {
			wrong++
		}
		curve.X = append(curve.X, float64(i+1)/float64(len(sorted)))
		curve.Mean = append(curve.Mean, float64(wrong)/float64(i+1))
	}
	return curve
}
