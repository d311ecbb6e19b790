package corrupt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomBlock is samples centred on zero.
func randomBlock(seed uint64) (b block) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range b {
		b[i] = int32(rng.IntN(256)) - 128
	}
	return b
}

// TestForwardTransformIsTheCosineTransform compares with the definition in double precision.
func TestForwardTransformIsTheCosineTransform(t *testing.T) {
	samples := randomBlock(1)
	coefficients := samples
	coefficients.forward()
	for v := range 8 {
		for u := range 8 {
			want := 0.0
			for i, sample := range samples {
				want += float64(sample) * cosine(v, i/8) * cosine(u, i%8) * 8
			}
			if got := coefficients[8*v+u]; math.Abs(float64(got)-want) > 2 {
				t.Errorf("coefficient %d down, %d across: got %d, want %.2f, tolerance 2", v, u, got, want)
			}
		}
	}
}

// cosine is the orthonormal basis function of one axis.
func cosine(frequency, position int) float64 {
	scale := .5
	if frequency == 0 {
		scale = math.Sqrt(.125)
	}
	return scale * math.Cos(float64((2*position+1)*frequency)*math.Pi/16)
}

func TestTransformAndBack(t *testing.T) {
	finest := newQuantiser(&luminanceSteps, 100)
	for seed := range uint64(50) {
		want := randomBlock(seed)
		got := want
		got.forward()
		finest.round(&got)
		got.inverse()
		for i := range want {
			if d := got[i] - want[i]; d < -2 || d > 2 {
				t.Errorf("seed %d sample %d: got %d, want %d, tolerance 2", seed, i, got[i], want[i])
			}
		}
	}
}

func TestNearestMultiple(t *testing.T) {
	tests := []struct{ coefficient, step, want int32 }{
		{0, 10, 0}, {39, 10, 0}, {40, 10, 10}, {-39, 10, 0}, {-40, 10, -10}, {119, 10, 10}, {120, 10, 20}, {8, 1, 1}, {-8160, 255, -1020},
	}
	for _, test := range tests {
		if got := nearestMultiple(test.coefficient, test.step, reciprocal(test.step)); got != test.want {
			t.Errorf("%d/8 to steps of %d: got %d, want %d", test.coefficient, test.step, got, test.want)
		}
	}
}

func TestNearestMultipleDividesExactly(t *testing.T) {
	for step := int32(1); step <= 255; step++ {
		reciprocal := reciprocal(step)
		for coefficient := int32(0); coefficient < 1<<14; coefficient++ {
			want := (coefficient + 4*step) / (8 * step) * step
			up, down := nearestMultiple(coefficient, step, reciprocal), nearestMultiple(-coefficient, step, reciprocal)
			if up != want || down != -want {
				t.Fatalf("%d/8 to steps of %d: got %d and %d, want %d and its negative", coefficient, step, up, down, want)
			}
		}
	}
}

func TestQuantisationSteps(t *testing.T) {
	tests := []struct {
		quality, first, last int32
	}{{50, 16, 99}, {100, 1, 1}, {25, 32, 198}, {7, 114, 255}, {80, 6, 40}}
	for _, test := range tests {
		steps := newQuantiser(&luminanceSteps, test.quality).steps
		if steps[0] != test.first || steps[63] != test.last {
			t.Errorf("quality %d: got %d and %d, want %d and %d", test.quality, steps[0], steps[63], test.first, test.last)
		}
	}
}
