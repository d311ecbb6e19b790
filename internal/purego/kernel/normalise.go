//go:build amd64

package kernel

import "math"

// Normalisation is a batch normalisation of images that are first multiplied by the noise of each image and channel:
//
//	output = (input scale - mean) / sqrt(variance + epsilon) gain + shift
//
// All but Scale are [Channels].
type Normalisation struct {
	Mean, Variance []float32 // of input times scale
	Gain, Shift    []float32
	Scale          []float32 // [Images, Channels], or [Channels] for all images; nil stands for ones
	Epsilon        float32
	Rectify        bool // negative outputs, after a residual is added, become zero

	inverse []float32 // of the standard deviations
}

// withInverse returns the normalisation with its inverse standard deviations. Give those back.
func (n Normalisation) withInverse() Normalisation {
	n.inverse = borrow(len(n.Variance))
	n.invert()
	return n
}

// invert fills the inverse standard deviations.
func (n Normalisation) invert() {
	for channel, variance := range n.Variance {
		n.inverse[channel] = float32(1 / math.Sqrt(float64(variance+n.Epsilon)))
	}
}

// Apply writes the normalised input, plus the residual unless that is nil. output may be input or residual.
func (n Normalisation) Apply(p Pixels, output, input, residual []float32) {
	n = n.withInverse()
	p.each(func(image, from int) {
		coefficients := borrow(2 * p.Channels)
		scale, shift := coefficients[:p.Channels], coefficients[p.Channels:]
		n.affine(p, image, scale, shift)
		n.applyTo(output[from:], input[from:], from, residual, scale, shift, p)
		giveBack(coefficients)
	})
	giveBack(n.inverse)
}

// applyTo treats one image, which begins at a number of the residual.
func (n Normalisation) applyTo(output, input []float32, from int, residual, scale, shift []float32, p Pixels) {
	switch vectors := p.vectors(); {
	case residual != nil && n.Rectify:
		normaliseAddRectifyRows(&output[0], &input[0], &residual[from], &scale[0], &shift[0], vectors, p.Pixels)
	case residual != nil:
		normaliseAddRows(&output[0], &input[0], &residual[from], &scale[0], &shift[0], vectors, p.Pixels)
	case n.Rectify:
		normaliseRectifyRows(&output[0], &input[0], &scale[0], &shift[0], vectors, p.Pixels)
	default:
		normaliseRows(&output[0], &input[0], &scale[0], &shift[0], vectors, p.Pixels)
	}
}

// affine writes what an image's numbers are multiplied by and what is then added, one number a channel.
func (n Normalisation) affine(p Pixels, image int, scale, shift []float32) {
	for channel := range scale {
		factor := n.Gain[channel] * n.inverse[channel]
		shift[channel] = n.Shift[channel] - n.Mean[channel]*factor
		scale[channel] = factor * n.scaleOf(p, image, channel)
	}
}

// scaleOf is the noise of an image and channel.
func (n Normalisation) scaleOf(p Pixels, image, channel int) float32 {
	if n.Scale == nil {
		return 1
	}
	return p.row(n.Scale, image)[channel]
}

// cachedNumbers is how many numbers of an image the kernels for several channels treat at a time, so that what they read
// again for the next channels is in the cache.
const cachedNumbers = 1 << 14

// blocks runs do for an image in blocks of pixels, and in each for groups of channels: vectors of eight from a channel on.
func (p Pixels) blocks(do func(first, pixels, channel, vectors int)) {
	size := max(1, cachedNumbers/p.Channels)
	for first := 0; first < p.Pixels; first += size {
		pixels := min(size, p.Pixels-first)
		for channel := 0; channel < p.Channels; {
			vectors := groupVectors(p.Channels - channel)
			do(first, pixels, channel, vectors)
			channel += vectors * rowLanes
		}
	}
}

// groupVectors is how many vectors of the channels that are left one kernel treats.
func groupVectors(channels int) int {
	switch vectors := channels / rowLanes; {
	case vectors >= 4:
		return 4
	case vectors >= 2:
		return 2
	}
	return 1
}
