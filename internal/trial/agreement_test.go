package trial

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// agreementSettings are those of a narrow network at a small rate: batch normalisation of few rows
// multiplies the rounding of the weights at every step, by about ten at rate 0.01.
func agreementSettings(name string, width int, mode network.Mode) network.Settings {
	return network.Settings{
		Network:   network.Network{Name: name, Width: width},
		Posterior: network.Posterior{Components: 2, Mode: mode, InitStd: 0.3},
		Objective: network.Objective{Gamma: 2},
		Training:  network.Training{Epochs: 10, Batch: 32, Samples: 2, LearningRate: 0.0005, PosteriorLearningRate: 0.0005},
		Seed:      3,
	}
}

// openShapes returns a small data set.
func openShapes(t testing.TB, train int) *dataset.Dataset {
	t.Helper()
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10, TrainCount: train, TestCount: 10}))(t)
	return data
}

// checkAgreement logs differences and reports those that are more than rounding.
func checkAgreement(t *testing.T, name string, differences []Difference, want int) {
	t.Helper()
	if len(differences) != want {
		t.Errorf("%s: %d differences, want %d: %v", name, len(differences), want, differences)
	}
	for _, d := range differences {
		t.Logf("%s: %s differs by %.1e, tolerance %.1e", name, d.What, d.Value, d.Tolerance)
		if !d.Agrees() {
			t.Errorf("%s: %s differs by %.1e, tolerance %.1e", name, d.What, d.Value, d.Tolerance)
		}
	}
}

// What is done on a device only agrees with what is done elsewhere: noise, many steps in a call and
// bfloat16.
func TestXLADoesOnADeviceWhatIsDoneElsewhere(t *testing.T) {
	openXLA(t)
	got := testkit.Must(CompareEngines(t.Context(), agreementSettings("allcnnc", 8, network.Output), openShapes(t, 128), [2]string{"xla:cpu", "go"}, agreementSteps))(t)
	checkAgreement(t, "allcnnc", got.Differences, 10)
}

// Numbers that aren't normal are found out by a moment, numbers that repeat by their neighbours.
func TestOffNormalFindsOtherNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name   string
		draw   func(previous float64) float64
		normal bool
	}{
		{"normal", func(float64) float64 { return random.NormFloat64() }, true},
		{"shifted", func(float64) float64 { return random.NormFloat64() + 0.1 }, false},
		{"too wide", func(float64) float64 { return 1.1 * random.NormFloat64() }, false},
		{"uniform", func(float64) float64 { return math.Sqrt(12) * (random.Float64() - 0.5) }, false},
		{"correlated", func(previous float64) float64 { return 0.1*previous + math.Sqrt(0.99)*random.NormFloat64() }, false},
		{"not numbers", func(float64) float64 { return math.NaN() }, false},
	} {
		numbers := make([]float64, 20000)
		for i := range numbers {
			numbers[i] = test.draw(numbers[max(0, i-1)])
		}
		if off := offNormal(numbers); (off <= momentTolerance) != test.normal {
			t.Errorf("%s numbers: off by %.1f standard errors, tolerance %d; want within: %v", test.name, off, momentTolerance, test.normal)
		}
	}
}

func TestCompareEnginesNeedsABatch(t *testing.T) {
	settings := agreementSettings("allcnnc", 4, network.Output)
	data := openShapes(t, settings.Training.Batch-1)
	if _, err := CompareEngines(t.Context(), settings, data, [2]string{"go", "go"}, 1); err == nil || !strings.Contains(err.Error(), "make no batch of 32") {
		t.Errorf("fewer images than a batch: error %v", err)
	}
	if _, err := CompareEngines(t.Context(), settings, data, [2]string{"go", "go"}, 0); err == nil || !strings.Contains(err.Error(), "give 1 or more") {
		t.Errorf("no step: error %v", err)
	}
}

// The same engine agrees with itself to the last bit.
func TestAnEngineAgreesWithItself(t *testing.T) {
	got, err := CompareEngines(t.Context(), agreementSettings("allcnnc", 2, network.Output), openShapes(t, 64), [2]string{"go", "go"}, 2)
	if err != nil || len(got.Differences) != 6 {
		t.Fatalf("%d differences, error %v; want 6", len(got.Differences), err)
	}
	for _, d := range got.Differences {
		if d.Value != 0 {
			t.Errorf("%s differs by %g, want 0", d.What, d.Value)
		}
	}
}
