package jpeg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomBlock is samples centred on zero.
func randomBlock(seed uint64) (b Block) {
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
	coefficients.Forward()
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

// Without quantisation a block comes back, but for rounding.
func TestTransformAndBack(t *testing.T) {
	for seed := range uint64(50) {
		want := randomBlock(seed)
		got := want
		got.Forward()
		for i, coefficient := range got {
			got[i] = (coefficient + 4) >> 3
		}
		got.Inverse()
		for i := range want {
			if d := got[i] - want[i]; d < -2 || d > 2 {
				t.Errorf("seed %d sample %d: got %d, want %d, tolerance 2", seed, i, got[i], want[i])
			}
		}
	}
}
