package paper

import (
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Two images in two classes: three samples of one prediction, one of another.
func TestDisagreementOfTwoPredictions(t *testing.T) {
	logs := func(probabilities ...float64) (values []float32) {
		for _, p := range probabilities {
			values = append(values, float32(math.Log(p)))
		}
		return values
	}
	a := score.Prediction{Images: 2, Samples: 3, Classes: 2,
		LogProbabilities: logs(1, 0, 0.6, 0.4, 0.8, 0.2, 0.5, 0.5, 0.1, 0.9, 0.3, 0.7)}
	b := score.Prediction{Images: 2, Samples: 1, Classes: 2, LogProbabilities: logs(0, 1, 0.2, 0.8)}
	testkit.Near(t, "two samples", only(a, 1, 2).LogProbabilities,
		logs(0.6, 0.4, 0.8, 0.2, 0.1, 0.9, 0.3, 0.7), 0)

	share, divergence := disagreement(only(a, 0), b)
	second := 0.5*(0.5*math.Log(0.5/0.35)+0.5*math.Log(0.5/0.65)) + 0.5*(0.2*math.Log(0.2/0.35)+
		0.8*math.Log(0.8/0.65))
	testkit.Near(t, "share", share, 1.0, 0) // of (0.5, 0.5) the first class is the answer
	testkit.Near(t, "divergence", divergence, (math.Log(2)+second)/2, 1e-7)

	share, divergence = disagreement(only(a, 1, 2), only(a, 2, 1))
	testkit.Near(t, "of equal functions", []float64{share, divergence}, []float64{0, 0}, 1e-12)
}
