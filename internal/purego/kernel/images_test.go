package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

var poolSizes = []Pool{{1, 2, 2, 8}, {3, 4, 6, 24}, {2, 8, 2, 136}, {5, 2, 10, 40}, {2, 32, 32, 16}}

// windowOf are the four numbers of a window, row by row, by their place in the input.
func (p Pool) windowOf(output int) [4]int {
	channel, x := output%p.Channels, output/p.Channels%(p.Width/2)
	top := output/p.Channels/(p.Width/2)*2*p.Width*p.Channels + 2*x*p.Channels + channel
	return [4]int{top, top + p.Channels, top + p.Width*p.Channels, top + (p.Width+1)*p.Channels}
}

func TestPoolAgreesWithItsDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(45, 46))
		for _, p := range poolSizes {
			size := p.Images * p.Height * p.Width * p.Channels
			input, gradient := normals(random, size), normals(random, size/4)
			for i := range input {
				input[i] = max(input[i], 0) // many equals
			}
			input[size/2] = float32(math.Inf(1))
			output, inputGradient := make([]float32, size/4), make([]float32, size)
			want, wantGradient := make([]float32, size/4), make([]float32, size)
			for i := range want {
				best := p.windowOf(i)[0]
				for _, at := range p.windowOf(i) {
					if input[at] > input[best] {
						best = at
					}
				}
				want[i], wantGradient[best] = input[best], gradient[i]
			}
			p.Maximum(output, input)
			identical(t, "largest", output, want)
			p.MaximumGradient(inputGradient, gradient, input)
			identical(t, "gradient", inputGradient, wantGradient)
			p.MaximumGradient(input, gradient, input)
			identical(t, "gradient in place", input, wantGradient)
		}
	})
}

func TestPoolKeepsNaN(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		p := Pool{1, 2, 2, 8}
		for at := range 4 {
			input, output := make([]float32, 32), make([]float32, 8)
			input[at*8+3] = float32(math.NaN())
			p.Maximum(output, input)
			if output[3] == output[3] || output[2] != 0 {
				t.Errorf("largest with a NaN at pixel %d: got %v and %v beside it, want NaN and 0",
					at, output[3], output[2])
			}
		}
	})
}
