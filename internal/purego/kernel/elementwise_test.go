package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// eachPasses runs a test with all kernels for passes over memory that this processor can run.
func eachPasses(t *testing.T, test func(t *testing.T)) {
	for _, name := range []string{"AVX2", "NEON", Portable} { // AVX-512 has those of AVX2
		withSet(t, name, func(t *testing.T, _ *InstructionSet) { test(t) })
	}
}

var pixelSizes = []Pixels{{3, 35, 24}, {1, 1, 8}, {4, 64, 96}, {2, 7, 136}, {5, 2, 40},
	{1, 300, 16}, {2, 9, 192}}

// special is normal numbers with infinities, zeros of both signs and NaN among them.
func special(random *rand.Rand, count int) []float32 {
	values := normals(random, count)
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0,
		float32(math.Copysign(0, -1))}
	for i := random.IntN(3); i < count; i += 1 + random.IntN(6) {
		values[i] = odd[random.IntN(len(odd))]
	}
	return values
}

// identical reports the first value that differs; NaN equals NaN, and zeros of both signs are
// equal.
func identical(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
			t.Fatalf("%s: [%d] got %v, want %v", what, i, got[i], want[i])
		}
	}
}

// mapped applies a function to every pixel's value and its image's and channel's.
func (p Pixels) mapped(values, rows []float32, f func(value, row float32) float32) []float32 {
	result := make([]float32, len(values))
	for i := range values {
		row := i % p.Channels
		if len(rows) > p.Channels {
			row += i / (p.Pixels * p.Channels) * p.Channels
		}
		result[i] = f(values[i], rows[row])
	}
	return result
}

// builtinMaximum, with a NaN where one side is.
func builtinMaximum(a, b float32) float32 { return max(a, b) }

func multiplied(a, b float32) float32 { return a * b }

func TestOperationsKeepNaNAndInfinities(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(7, 8))
		for _, test := range []struct {
			name      string
			operation Operation
			single    func(a, b float32) float32
		}{
			{"multiply", Multiply, multiplied},
			{"add", Add, func(a, b float32) float32 { return a + b }},
			{"maximum", Maximum, builtinMaximum},
		} {
			for _, p := range pixelSizes {
				size := p.Images*p.Pixels*p.Channels - 3 // not whole vectors
				left, right, got := special(random, size), special(random, size),
					make([]float32, size)
				test.operation.Values(got, left, right)
				identical(t, test.name+" of values", got, (Pixels{1, 1, size}).mapped(left, right,
					test.single))
				for _, number := range special(random, 8) {
					test.operation.Number(got, left, number)
					identical(t, test.name+" of values and a number", got,
						(Pixels{1, size, 1}).mapped(left, []float32{number}, test.single))
				}
				left = special(random, size+3)
				got = make([]float32, len(left))
				for _, rows := range [][]float32{special(random, p.Images*p.Channels),
					special(random, p.Channels)} {
					test.operation.Rows(p, got, left, rows)
					identical(t, test.name+" of pixels and rows", got,
						p.mapped(left, rows, test.single))
				}
			}
		}
	})
}

// The absolute value of a negative zero is zero, not the same.
func TestAbsoluteValues(t *testing.T) {
	input := []float32{1.5, -1.5, 0, float32(math.Copysign(0, -1)), float32(math.Inf(-1)),
		float32(math.NaN())}
	got := make([]float32, len(input))
	Absolute(got, input)
	for i, want := range []float32{1.5, 1.5, 0, 0, float32(math.Inf(1))} {
		if got[i] != want || math.Signbit(float64(got[i])) {
			t.Errorf("the absolute value of %g is %g, want %g", input[i], got[i], want)
		}
	}
	if last := got[len(got)-1]; last == last {
		t.Errorf("the absolute value of NaN is %g", last)
	}
}

func TestSignsAreZeroForZerosAndNaN(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(9, 10))
		for _, size := range []int{1, 7, 8, 31, 32, 33, 1000} {
			input, gradient := special(random, size), special(random, size)
			signs, got := make([]float32, size), make([]float32, size)
			for i, value := range input {
				switch {
				case value > 0:
					signs[i] = 1
				case value < 0:
					signs[i] = -1
				}
			}
			MultiplySign(got, gradient, input)
			identical(t, "gradient times sign", got, (Pixels{1, 1, size}).mapped(gradient, signs,
				multiplied))
		}
	})
}

func TestScaledPassesAgreeWithTheirParts(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(11, 12))
		for _, p := range pixelSizes {
			size := p.Images * p.Pixels * p.Channels
			gradient, activation, scale := special(random, size), special(random, size),
				normals(random, p.Images*p.Channels)
			want, got := make([]float32, size), make([]float32, size)
			scaled := p.mapped(gradient, scale, multiplied)
			MultiplySign(want, scaled, activation)
			ScaleMultiplySign(p, got, gradient, activation, scale)
			identical(t, "gradient times scale times sign", got, want)
			ScaleRectify(p, got, gradient, scale)
			identical(t, "scaled rectifier", got, (Pixels{1, size, 1}).mapped(scaled, []float32{0},
				builtinMaximum))
		}
	})
}

// rowSums are the sums of values over the pixels of each image, by channel.
func (p Pixels) rowSums(value func(i int) float64) []float64 {
	sums := make([]float64, p.Images*p.Channels)
	for i := range p.Images * p.Pixels * p.Channels {
		sums[i/(p.Pixels*p.Channels)*p.Channels+i%p.Channels] += value(i)
	}
	return sums
}

const sumTolerance = 1e-6 // of the largest sum

func TestSumsAgreeWithTheirDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(13, 14))
		for _, p := range pixelSizes {
			size := p.Images * p.Pixels * p.Channels
			left, right := normals(random, size), normals(random, size)
			all := make([]float64, p.Channels)
			for i := range left {
				all[i%p.Channels] += float64(left[i])
			}
			got := make([]float32, p.Images*p.Channels)
			SumPixels(p, got, left)
			compare(t, "sums over pixels", got, p.rowSums(func(i int) float64 {
				return float64(left[i])
			}), sumTolerance)
			SumProducts(p, got, left, right)
			compare(t, "sums of products", got, p.rowSums(func(i int) float64 {
				return float64(left[i]) * float64(right[i])
			}), sumTolerance)
			got = make([]float32, p.Channels)
			SumImages(p, got, left)
			compare(t, "sums over images", got, all, sumTolerance)
		}
	})
}

func TestRectifiedNoiseGradientAgreesWithItsParts(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(15, 16))
		for _, p := range append(pixelSizes, Pixels{2, 2000, 56}) {
			size, rows := p.Images*p.Pixels*p.Channels, p.Images*p.Channels
			gradient, input, scale := normals(random, size), normals(random, size),
				normals(random, rows)
			output, scaleSums, outputSums := make([]float32, size), make([]float32, rows),
				make([]float32, rows)
			RectifiedNoiseGradient(p, output, scaleSums, outputSums, gradient, input, scale)
			masked := make([]float32, size)
			ScaleRectify(p, masked, input, scale)
			MultiplySign(masked, gradient, masked)
			identical(t, "gradient of the input", output, p.mapped(masked, scale, multiplied))
			compare(t, "gradient of the scale", scaleSums, p.rowSums(func(i int) float64 {
				return float64(masked[i]) * float64(input[i])
			}), sumTolerance)
			compare(t, "sums of the gradient of the input", outputSums,
				p.rowSums(func(i int) float64 { return float64(output[i]) }), sumTolerance)
		}
	})
}

func TestStepAgreesWithItsDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(47, 48))
		for _, d := range []Descent{{0.1, 0.9, 5e-4}, {0.5, 0, 0}, {0.01, 0.5, 0.25}} {
			for _, size := range []int{1, 7, 8, 37, 200_003} {
				parameter, momentum, gradient := normals(random, size), normals(random, size),
					normals(random, size)
				want, wantMomentum := make([]float64, size), make([]float64, size)
				for i := range want {
					slope := float64(gradient[i]) + float64(d.Decay)*float64(parameter[i])
					wantMomentum[i] = float64(d.Momentum)*float64(momentum[i]) + slope
					want[i] = float64(parameter[i]) -
						float64(d.Rate)*(slope+float64(d.Momentum)*wantMomentum[i])
				}
				d.Step(parameter, momentum, gradient)
				compare(t, "parameter", parameter, want, 1e-6)
				compare(t, "momentum", momentum, wantMomentum, 1e-6)
			}
		}
	})
}

func TestScaleGradientAgreesWithItsDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(71, 72))
		for _, p := range append(pixelSizes, Pixels{2, 2000, 56}) {
			size, rows := p.Images*p.Pixels*p.Channels, p.Images*p.Channels
			input, gradient, residual, scale := normals(random, size), normals(random, size),
				normals(random, size), normals(random, rows)
			output, sums := make([]float32, size), make([]float32, rows)
			AddScaled(p, output, input, scale, residual)
			want := make([]float64, size)
			for i, product := range p.mapped(input, scale, multiplied) {
				want[i] = float64(product) + float64(residual[i])
			}
			compare(t, "sum", output, want, 1e-6)
			ScaleGradient(p, output, sums, gradient, input, scale)
			identical(t, "gradient of the input", output, p.mapped(gradient, scale, multiplied))
			wantSums := p.rowSums(func(i int) float64 {
				return float64(gradient[i]) * float64(input[i])
			})
			compare(t, "gradient of the scale", sums, wantSums, 5e-6) // of up to 2,000 products
		}
	})
}
