package nbbnn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// agreementConfig is a narrow network at a small rate: batch normalisation of few rows multiplies what rounding makes of the
// weights at every step, by about ten at rate 0.01.
func agreementConfig(name string, width int, mode Mode) Config {
	return Config{
		Network:   Network{Name: name, Width: width},
		Data:      Data{Train: 128, Test: 8},
		Posterior: Posterior{Components: 2, Mode: mode, InitStd: 0.3},
		Objective: Objective{Gamma: 2},
		Training:  Training{Epochs: 10, Batch: 32, Samples: 2, LearningRate: 0.0005, PosteriorLearningRate: 0.0005},
		Seed:      3,
	}
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

// What is done on a device only agrees with what is done elsewhere: noise, many steps in a call and bfloat16.
func TestXLADoesOnADeviceWhatIsDoneElsewhere(t *testing.T) {
	openXLA(t)
	got, err := CompareEngines(t.Context(), agreementConfig("allcnnc", 8, Output), [2]string{"xla:cpu", "go"}, agreementSteps)
	if err != nil {
		t.Fatal(err)
	}
	checkAgreement(t, "allcnnc", got.Differences, 7)
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

func TestApartIsFinite(t *testing.T) {
	for _, test := range []struct{ got, want, apart float64 }{
		{3, 2, 0.5}, {2, 2, 0}, {math.Inf(1), 2, math.MaxFloat64}, {math.NaN(), 2, math.MaxFloat64}, {math.Inf(1), math.Inf(1), math.MaxFloat64},
	} {
		if got := apart([]float64{test.got}, []float64{test.want}, 1); got != test.apart {
			t.Errorf("apart(%g, %g) = %g, want %g", test.got, test.want, got, test.apart)
		}
	}
}

func TestCompareEnginesNeedsABatch(t *testing.T) {
	config := agreementConfig("allcnnc", 4, Output)
	config.Data.Train = config.Training.Batch - 1
	_, err := CompareEngines(t.Context(), config, [2]string{"go", "go"}, 1)
	checkError(t, "fewer images than a batch", err, "make no batch of 32")
}
