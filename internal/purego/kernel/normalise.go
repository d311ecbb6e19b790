package kernel

import "math"

// Normalisation is a batch normalisation of images that are first multiplied by the noise of each
// image and channel:
//
//	output = (input scale - mean) / sqrt(variance + epsilon) gain + shift
//
// All but Scale are [Channels].
type Normalisation struct {
	Mean, Variance []float32 // of input times scale
	Gain, Shift    []float32
	Scale          []float32 // [Images, Channels], or [Channels] for all images; nil means ones
	Epsilon        float32
	Rectify        bool // negative outputs, after a residual is added, become zero

	inverse []float32 // of the standard deviations
}

// withInverse returns the normalisation with its inverse standard deviations, in the given memory.
func (n Normalisation) withInverse(inverse []float32) Normalisation {
	for channel, variance := range n.Variance {
		inverse[channel] = float32(1 / math.Sqrt(float64(variance+n.Epsilon)))
	}
	n.inverse = inverse
	return n
}

// Apply writes the normalised input, plus the residual unless that is nil. output may be input or
// residual.
func (n Normalisation) Apply(p Pixels, output, input, residual []float32) {
	n = n.withInverse(borrow(p.Channels))
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
func (n Normalisation) applyTo(output, input []float32, from int, residual, scale, shift []float32,
	p Pixels) {
	switch vectors := p.vectors(); {
	case residual != nil && n.Rectify:
		passes.normaliseAddRectifyRows(&output[0], &input[0], &residual[from], &scale[0], &shift[0],
			vectors, p.Pixels)
	case residual != nil:
		passes.normaliseAddRows(&output[0], &input[0], &residual[from], &scale[0], &shift[0],
			vectors, p.Pixels)
	case n.Rectify:
		passes.normaliseRectifyRows(&output[0], &input[0], &scale[0], &shift[0], vectors, p.Pixels)
	default:
		passes.normaliseRows(&output[0], &input[0], &scale[0], &shift[0], vectors, p.Pixels)
	}
}

// affine writes the scale and shift of each channel of an image.
func (n Normalisation) affine(p Pixels, image int, scale, shift []float32) {
	noise := n.noiseOf(p, image)
	for channel := range scale {
		factor := n.Gain[channel] * n.inverse[channel]
		shift[channel] = n.Shift[channel] - n.Mean[channel]*factor
		scale[channel] = factor
		if noise != nil {
			scale[channel] *= noise[channel]
		}
	}
}

// noiseOf returns the noise of an image, nil for ones.
func (n Normalisation) noiseOf(p Pixels, image int) []float32 {
	if n.Scale == nil {
		return nil
	}
	return p.row(n.Scale, image)
}

// cachedNumbers is the number of an image's values processed at a time, so that values read again
// for the next channels are still in the cache.
const cachedNumbers = 1 << 14

// blocks runs do for an image in blocks of pixels, and in each for groups of channels: vectors of
// eight from a channel on.
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

// groupVectors returns the number of vectors that one kernel processes, given the channels left.
func groupVectors(channels int) int {
	switch vectors := channels / rowLanes; {
	case vectors >= 4:
		return 4
	case vectors >= 2:
		return 2
	}
	return 1
}

// Moments writes the mean and the biased variance of input times scale over the pixels of all
// images, both [Channels]. scale is [Images, Channels], or nil for ones.
func Moments(p Pixels, mean, variance, input, scale []float32) {
	m := newImageMoments(p, input, scale)
	Parallel(Workers(), (p.Channels+channelBlock-1)/channelBlock, func(_, block int) {
		first := block * channelBlock
		m.combine(first, min(first+channelBlock, p.Channels), mean, variance)
	})
	giveBack(m.memory)
}

// channelBlock is the number of channels combined at a time: few, so that narrow layers have work
// for several cores.
const channelBlock = 8

// imageMoments are the means and the biased variances of each image's pixels, [Images, Channels].
type imageMoments struct {
	Pixels
	means, variances []float64
	memory           []float32 // borrowed for both
}

func newImageMoments(p Pixels, input, scale []float32) *imageMoments {
	size := p.Images * p.Channels
	memory := borrow(2 * size * wideBytes / numberBytes)
	numbers := wideNumbers(memory)
	m := &imageMoments{Pixels: p, means: numbers[:size], variances: numbers[size:], memory: memory}
	p.each(func(image, from int) { m.measure(image, input[from:from+p.Pixels*p.Channels], scale) })
	return m
}

// measure fills the moments of an image from the sums of the distances of its pixels from the first
// one, and of their squares. Distances from a pixel lose no digits if the mean is far from zero.
func (m *imageMoments) measure(image int, input, scale []float32) {
	numbers := borrowZeros(2 * m.Channels)
	sums, squares := numbers[:m.Channels], numbers[m.Channels:]
	m.blocks(func(first, pixels, channel, vectors int) {
		passes.momentRows[vectors](&sums[channel], &squares[channel],
			&input[first*m.Channels+channel],
			&input[channel], uintptr(m.Channels*numberBytes), pixels)
	})
	row, count := image*m.Channels, float64(m.Pixels.Pixels)
	means, variances := m.means[row:row+m.Channels], m.variances[row:row+m.Channels]
	for channel := range means {
		factor := 1.0
		if scale != nil {
			factor = float64(scale[row+channel])
		}
		sum := float64(sums[channel]) / count
		means[channel] = factor * (float64(input[channel]) + sum)
		variances[channel] = factor * factor * max(0, float64(squares[channel])/count-sum*sum)
	}
	giveBack(numbers)
}

// combine writes the moments of some channels over all images.
func (m *imageMoments) combine(from, to int, mean, variance []float32) {
	var means, squares [channelBlock]float64
	for image := range m.Images {
		for i, own := range m.means[image*m.Channels+from : image*m.Channels+to] {
			means[i] += own / float64(m.Images)
		}
	}
	for image := range m.Images {
		row := image * m.Channels
		spreads := m.variances[row+from : row+to]
		for i, own := range m.means[row+from : row+to] {
			away := own - means[i]
			squares[i] += spreads[i] + away*away
		}
	}
	for channel := from; channel < to; channel++ {
		mean[channel] = float32(means[channel-from])
		variance[channel] = float32(squares[channel-from] / float64(m.Images))
	}
}
