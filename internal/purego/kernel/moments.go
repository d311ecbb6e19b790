//go:build amd64

package kernel

// Moments writes the mean and the biased variance of input times scale over the pixels of all images, both [Channels].
// scale is [Images, Channels], or nil for ones.
func Moments(p Pixels, mean, variance, input, scale []float32) {
	m := newImageMoments(p, input)
	m.scale = scale
	Parallel(Workers(), (p.Channels+channelBlock-1)/channelBlock, func(_, block int) {
		first := block * channelBlock
		m.combine(first, min(first+channelBlock, p.Channels), mean, variance)
	})
	giveBack(m.sums, m.squares)
}

// channelBlock is how many channels are combined at a time.
const channelBlock = 64

// imageMoments are the sums, [Images, Channels], of the distances of an image's pixels from its first, and of their
// squares. Distances from a pixel lose no digits where the mean is far from zero.
type imageMoments struct {
	Pixels
	input, scale  []float32
	sums, squares []float32
}

func newImageMoments(p Pixels, input []float32) *imageMoments {
	m := &imageMoments{Pixels: p, input: input, sums: borrowZeros(p.Images * p.Channels), squares: borrowZeros(p.Images * p.Channels)}
	stride := uintptr(p.Channels * numberBytes)
	p.each(func(image, from int) {
		row := image * p.Channels
		p.blocks(func(first, pixels, channel, vectors int) {
			momentKernels[vectors](&m.sums[row+channel], &m.squares[row+channel], &input[from+first*p.Channels+channel],
				&input[from+channel], stride, pixels)
		})
	})
	return m
}

// combine writes the moments of some channels over all images.
func (m *imageMoments) combine(from, to int, mean, variance []float32) {
	var means, squares [channelBlock]float64
	for image := range m.Images {
		for channel := from; channel < to; channel++ {
			own, _ := m.image(image, channel)
			means[channel-from] += own / float64(m.Images)
		}
	}
	for image := range m.Images {
		for channel := from; channel < to; channel++ {
			own, spread := m.image(image, channel)
			away := own - means[channel-from]
			squares[channel-from] += spread + away*away
		}
	}
	for channel := from; channel < to; channel++ {
		mean[channel] = float32(means[channel-from])
		variance[channel] = float32(squares[channel-from] / float64(m.Images))
	}
}

// image returns the mean and the biased variance of one image and channel.
func (m *imageMoments) image(image, channel int) (mean, variance float64) {
	at := image*m.Channels + channel
	count, scale := float64(m.Pixels.Pixels), 1.0
	if m.scale != nil {
		scale = float64(m.scale[at])
	}
	sum := float64(m.sums[at]) / count
	origin := float64(m.input[image*m.Pixels.Pixels*m.Channels+channel])
	return scale * (origin + sum), scale * scale * max(0, float64(m.squares[at])/count-sum*sum)
}

// The kernels by the number of vectors that they treat.
var momentKernels = [...]func(sums, squares, input, origin *float32, stride uintptr, rows int){
	1: momentRows1, 2: momentRows2, 4: momentRows4,
}
