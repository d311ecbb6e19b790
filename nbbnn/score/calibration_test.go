package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// predictionOf returns a prediction with one sample from probabilities, [images][classes].
func predictionOf(probabilities [][]float64) Prediction {
	p := Prediction{Images: len(probabilities), Samples: 1, Classes: len(probabilities[0])}
	for _, image := range probabilities {
		for _, probability := range image {
			p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(probability)))
		}
	}
	return p
}

// The value was computed with NumPy 2.4.6, class by class and bin by bin with masks.
func TestClasswiseECEOfATable(t *testing.T) {
	probabilities, labels := make([][]float64, 60), make([]uint8, 60)
	for i := range probabilities {
		labels[i] = uint8((i*i + 3*i) % 4)
		sum := 0.0
		for class := range 4 {
			value := float64((i*7+class*13)%17) + 1.3
			probabilities[i], sum = append(probabilities[i], value), sum+value
		}
		for class := range probabilities[i] {
			probabilities[i][class] /= sum
		}
	}
	got := testkit.Must(ClasswiseECE(predictionOf(probabilities), labels))(t)
	near(t, "classwise ECE", got, 0.25226468648357314, 1e-7)
}

// Labels drawn from the predicted probabilities are calibrated in every class.
func TestClasswiseECEOfCalibratedPredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	probabilities, labels := make([][]float64, 20_000), make([]uint8, 20_000)
	for i := range probabilities {
		a, b := rng.Float64(), rng.Float64()
		a, b = min(a, b), max(a, b)
		probabilities[i] = []float64{a, b - a, 1 - b}
		switch u := rng.Float64(); {
		case u > b:
			labels[i] = 2
		case u > a:
			labels[i] = 1
		}
	}
	got := testkit.Must(ClasswiseECE(predictionOf(probabilities), labels))(t)
	near(t, "classwise ECE", got, 0.0, 0.012)
}
