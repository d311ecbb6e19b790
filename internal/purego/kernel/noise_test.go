package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestScaleGradientAgreesWithItsDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(71, 72))
		for _, p := range append(pixelSizes, Pixels{2, 2000, 56}) {
			size, rows := p.Images*p.Pixels*p.Channels, p.Images*p.Channels
			input, gradient, residual, scale := normals(random, size), normals(random, size), normals(random, size), normals(random, rows)
			output, sums := make([]float32, size), make([]float32, rows)
			AddScaled(p, output, input, scale, residual)
			want, wantSums := make([]float64, size), make([]float64, rows)
			for i, product := range p.mapped(input, scale, multiplied) {
				want[i] = float64(product) + float64(residual[i])
			}
			compare(t, "sum", output, want, 1e-6)
			ScaleGradient(p, output, sums, gradient, input, scale)
			identical(t, "gradient of the input", output, p.mapped(gradient, scale, multiplied))
			for i := range input {
				wantSums[i/(p.Pixels*p.Channels)*p.Channels+i%p.Channels] += float64(gradient[i]) * float64(input[i])
			}
			compare(t, "gradient of the scale", sums, wantSums, 5e-6) // of up to 2,000 products
		}
	})
}
