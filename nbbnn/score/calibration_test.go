package score

import (
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

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
	got := testkit.Must(of(probabilities...).Cell(Condition{}, labels))(t)
	testkit.Near(t, "classwise ECE", got.Further.ClasswiseECE, 0.25226468648357314, 1e-7)
}

// The value of the table is the fixed point of the sum over images and reflections on a mesh of
// 2,000 points, computed with NumPy 2.4.6. relplot 1.0.3 of the paper's authors gives 0.08024, with
// a tolerance of 0.001 on the bandwidth.
func TestSmoothECEOfATable(t *testing.T) {
	got := smoothECE(tableOutcomes())
	testkit.Near(t, "smooth ECE", got, 0.0803597882, 1e-6)
}

// The cosine series is the reflected Gaussian kernel: summed over images and reflections, on the
// same mesh.
func TestSmoothECEOfABandwidth(t *testing.T) {
	outcomes := tableOutcomes()
	for _, bandwidth := range []float64{0.02, 0.1, 0.4, 1} {
		const points = 512
		want := 0.0
		for j := range points {
			sum, at := 0.0, (float64(j)+0.5)/points
			for _, o := range outcomes {
				residual := -o.confidence
				if o.correct {
					residual++
				}
				for shift := -8.0; shift <= 8; shift += 2 {
					for _, mirrored := range []float64{o.confidence, -o.confidence} {
						x := (at - shift - mirrored) / bandwidth
						sum += residual * math.Exp(-x*x/2) / bandwidth / math.Sqrt(2*math.Pi)
					}
				}
			}
			want += math.Abs(sum) / float64(len(outcomes)) / points
		}
		testkit.Near(t, "error of a bandwidth", newResidualSeries(outcomes).error(bandwidth), want,
			1e-10)
	}
}

// Where all residuals have one sign, smoothing changes nothing: the error is their mean.
func TestSmoothECEOfOneSign(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcomes []outcome
		want     float64
	}{
		{"right and sure", []outcome{{1, true}, {1, true}}, 0},
		{"wrong and sure", []outcome{{1, false}}, 1},
		{"70 % sure, half right", []outcome{{0.7, true}, {0.7, false}}, 0.2},
		{"always too shy", []outcome{{0.9, true}, {0.5, true}, {0.7, true}}, 0.3},
		{"rounded up", []outcome{{1 + 1e-7, true}}, 0},
	} {
		got := smoothECE(c.outcomes)
		testkit.Near(t, c.name, got, c.want, 1e-6)
	}
}

// A bin that is overconfident and one that is underconfident add up in the ECE, and cancel in the
// signed one, in cells and at levels alike.
func TestSignedECE(t *testing.T) {
	var over, both Bins
	for i := range 10 {
		over.Add(0.95, i < 7)
		both.Add(0.95, i < 7)
		both.Add(0.35, i < 8)
	}
	metric, err := MetricByName("SignedECE")
	testkit.NoError(t, err)
	testkit.Near(t, "overconfident", over.signedECE(10), 0.25, 1e-12)
	testkit.Near(t, "both", []float64{both.ECE(20), both.signedECE(20)},
		[]float64{(0.25 + 0.45) / 2, (0.25 - 0.45) / 2}, 1e-12)
	testkit.Near(t, "of a cell", metric.Value(Cell{Images: 20, Bins: both, ECE: 0.35}), -0.1, 1e-12)
	testkit.Near(t, "of two cells", metric.together(Cells{{Images: 20, Bins: both, ECE: 0.35},
		{Images: 10, Bins: over, ECE: 0.25}}), (2.5+2.5-4.5)/30, 1e-12)
	if !metric.NoBest {
		t.Error("the signed ECE has a best value")
	}
}
