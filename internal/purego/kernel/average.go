//go:build amd64

package kernel

// Average writes the mean of input over the pixels of each image, [Images, Channels]. Any number of channels is allowed.
func Average(p Pixels, output, input []float32) {
	share := 1 / float32(p.Pixels)
	p.each(func(image, from int) {
		sums := output[image*p.Channels:][:p.Channels]
		clear(sums)
		for pixel := range p.Pixels {
			addTo(sums, input[from+pixel*p.Channels:][:p.Channels])
		}
		for channel := range sums {
			sums[channel] *= share
		}
	})
}

// AverageGradient writes the gradient of the input of Average from that of its output.
func AverageGradient(p Pixels, output, gradient []float32) {
	share := 1 / float32(p.Pixels)
	p.each(func(image, from int) {
		first := output[from:][:p.Channels]
		for channel := range first {
			first[channel] = gradient[image*p.Channels+channel] * share
		}
		for pixel := 1; pixel < p.Pixels; pixel++ {
			copy(output[from+pixel*p.Channels:][:p.Channels], first)
		}
	})
}
