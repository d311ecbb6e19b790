package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// of the largest value: sums of up to 2,000 numbers in float32, means of up to 14 deviations
const normaliseTolerance = 2e-5

// normalisationCase is a normalisation with everything that it needs, and its definition in
// float64.
type normalisationCase struct {
	Pixels
	Normalisation
	input, residual, gradient []float32
}

func newNormalisationCase(random *rand.Rand, p Pixels, noisy, residual,
	rectify bool) *normalisationCase {
	size := p.Images * p.Pixels * p.Channels
	c := &normalisationCase{Pixels: p, input: normals(random, size),
		gradient: normals(random, size)}
	for i := range c.input {
		c.input[i] += 7 * float32(i%p.Channels%3) // means away from zero
	}
	c.Normalisation = Normalisation{Gain: normals(random, p.Channels),
		Shift: normals(random, p.Channels), Epsilon: 1e-5, Rectify: rectify,
		Mean: make([]float32, p.Channels), Variance: make([]float32, p.Channels)}
	if noisy {
		c.Scale = normals(random, p.Images*p.Channels)
		c.Scale[0] = 0
	}
	if residual {
		c.residual = normals(random, size)
	}
	return c
}

// moments are the mean and the biased variance by their definition.
func (c *normalisationCase) moments() (mean, variance []float64) {
	mean, variance = make([]float64, c.Channels), make([]float64, c.Channels)
	count := float64(c.Images * c.Pixels.Pixels)
	for i, value := range c.input {
		mean[i%c.Channels] += float64(value) * c.noise(i) / count
	}
	for i, value := range c.input {
		away := float64(value)*c.noise(i) - mean[i%c.Channels]
		variance[i%c.Channels] += away * away / count
	}
	return mean, variance
}

// noise is that of the image and channel of a number.
func (c *normalisationCase) noise(i int) float64 {
	return c.noiseAt(c.Pixels, i)
}

// forward is the output by its definition, and the normalised input.
func (c *normalisationCase) forward(mean, variance []float64) (output, normalised []float64) {
	output, normalised = make([]float64, len(c.input)), make([]float64, len(c.input))
	for i, value := range c.input {
		channel := i % c.Channels
		normalised[i] = (float64(value)*c.noise(i) - mean[channel]) / math.Sqrt(variance[channel]+
			float64(c.Epsilon))
		output[i] = normalised[i]*float64(c.Gain[channel]) + float64(c.Shift[channel])
		if c.residual != nil {
			output[i] += float64(c.residual[i])
		}
		if c.Rectify {
			output[i] = max(output[i], 0)
		}
	}
	return output, normalised
}

// backward is the gradients by their definition.
func (c *normalisationCase) backward(variance, output, normalised []float64) (input, scale, gain,
	shift, residual []float64) {
	input, residual = make([]float64, len(c.input)), make([]float64, len(c.input))
	gain, shift, scale = make([]float64, c.Channels), make([]float64, c.Channels),
		make([]float64, c.Images*c.Channels)
	for i := range c.input {
		if !c.Rectify || output[i] > 0 {
			residual[i] = float64(c.gradient[i])
		}
		gain[i%c.Channels] += residual[i] * normalised[i]
		shift[i%c.Channels] += residual[i]
	}
	count := float64(c.Images * c.Pixels.Pixels)
	for i := range c.input {
		channel := i % c.Channels
		slope := float64(c.Gain[channel]) / math.Sqrt(variance[channel]+float64(c.Epsilon))
		noisy := slope * (residual[i] - shift[channel]/count - normalised[i]*gain[channel]/count)
		input[i] = noisy * c.noise(i)
		scale[i/(c.Pixels.Pixels*c.Channels)*c.Channels+channel] += noisy * float64(c.input[i])
	}
	return input, scale, gain, shift, residual
}

func eachNormalisation(t *testing.T, test func(t *testing.T, c *normalisationCase)) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(41, 42))
		for form := range 8 {
			noisy, residual, rectify := form&1 > 0, form&2 > 0, form&4 > 0
			t.Run(fmt.Sprintf("noisy=%v,residual=%v,rectify=%v", noisy, residual, rectify),
				func(t *testing.T) {
					for _, p := range append(pixelSizes, Pixels{2, 2000, 56}) {
						test(t, newNormalisationCase(random, p, noisy, residual, rectify))
					}
				})
		}
	})
}

func TestNormalisationAgreesWithItsDefinition(t *testing.T) {
	eachNormalisation(t, func(t *testing.T, c *normalisationCase) {
		mean, variance := c.moments()
		Moments(c.Pixels, c.Mean, c.Variance, c.input, c.Scale)
		compare(t, "mean", c.Mean, mean, 1e-6)
		compare(t, "variance", c.Variance, variance, normaliseTolerance)
		if c.Images*c.Pixels.Pixels == 1 {
			return // a variance of nothing, and the rest is rounding
		}
		want, _ := c.forward(mean, variance)
		got := make([]float32, len(c.input))
		c.Apply(c.Pixels, got, c.input, c.residual)
		compare(t, "output", got, want, normaliseTolerance)
	})
}

func TestNormalisationGradientAgreesWithItsDefinition(t *testing.T) {
	eachNormalisation(t, func(t *testing.T, c *normalisationCase) {
		if c.Images*c.Pixels.Pixels == 1 {
			return
		}
		variance, output, normalised, activation := c.applied()
		got := c.gradients()
		c.Differentiate(c.Pixels, got, c.gradient, activation, c.input)
		input, scale, gain, shift, residual := c.backward(variance, output, normalised)
		compare(t, "gradient of the input", got.Input, input, normaliseTolerance)
		if c.Scale != nil {
			compare(t, "gradient of the noise", got.Scale, scale, normaliseTolerance)
		}
		compare(t, "gradient of the gain", got.Gain, gain, normaliseTolerance)
		compare(t, "gradient of the shift", got.Shift, shift, normaliseTolerance)
		if got.Residual != nil {
			compare(t, "gradient of the residual", got.Residual, residual, 0)
		}
	})
}

func TestGradientByConstantMomentsAgreesWithItsDefinition(t *testing.T) {
	eachNormalisation(t, func(t *testing.T, c *normalisationCase) {
		variance, output, normalised, activation := c.applied()
		got, factor := c.gradients(), c.factor()
		c.DifferentiateConstant(c.Pixels, got, factor, c.gradient, activation, c.input)
		_, _, _, _, arrived := c.backward(variance, output, normalised)
		input, noise := make([]float64, len(c.input)), make([]float64, c.Images*c.Channels)
		for i, slope := range arrived {
			input[i] = slope * c.noise(i) * float64(factor[i%c.Channels])
			noise[i/(c.Pixels.Pixels*c.Channels)*c.Channels+i%c.Channels] += slope * float64(
				c.input[i]) * float64(factor[i%c.Channels])
		}
		compare(t, "gradient of the input", got.Input, input, normaliseTolerance)
		if c.Scale != nil {
			compare(t, "gradient of the noise", got.Scale, noise, normaliseTolerance)
		}
		if got.Residual != nil {
			compare(t, "gradient of the residual", got.Residual, arrived, 0)
		}
	})
}

// applied sets the moments and returns what the gradients need: the variance, the output and the
// normalised input by their definition, and the output of the kernels.
func (c *normalisationCase) applied() (variance, output, normalised []float64,
	activation []float32) {
	mean, variance := c.moments()
	Moments(c.Pixels, c.Mean, c.Variance, c.input, c.Scale)
	output, normalised = c.forward(mean, variance)
	activation = make([]float32, len(c.input))
	c.Apply(c.Pixels, activation, c.input, c.residual)
	return variance, output, normalised, activation
}

// factor is the gain over the standard deviation.
func (c *normalisationCase) factor() []float32 {
	factor := make([]float32, c.Channels)
	for channel, gain := range c.Gain {
		factor[channel] = gain / float32(math.Sqrt(float64(c.Variance[channel]+c.Epsilon)))
	}
	return factor
}

// gradients is where Differentiate writes.
func (c *normalisationCase) gradients() NormalisationGradients {
	to := NormalisationGradients{
		Input: make([]float32, len(c.input)), Gain: make([]float32, c.Channels),
		Shift: make([]float32, c.Channels),
	}
	if c.Scale != nil {
		to.Scale = make([]float32, c.Images*c.Channels)
	}
	if c.residual != nil && c.Rectify {
		to.Residual = make([]float32, len(c.input))
	}
	return to
}

// Far from zero the squares of float32 have lost the variance; the distances from a pixel have not.
func TestVarianceKeepsItsDigitsFarFromZero(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		p := Pixels{4, 64, 8}
		c := newNormalisationCase(rand.New(rand.NewPCG(43, 44)), p, false, false, false)
		for i := range c.input {
			c.input[i] = 4096 + float32(i*7%11)
		}
		_, want := c.moments()
		Moments(p, c.Mean, c.Variance, c.input, nil)
		compare(t, "variance", c.Variance, want, normaliseTolerance)
	})
}
