package kernel

// AddScaled writes input scale + residual, scale being [Images, Channels]. output may be input or
// residual.
func AddScaled(p Pixels, output, input, scale, residual []float32) {
	zeros := borrowZeros(p.Channels)
	p.each(func(image, from int) {
		passes.normaliseAddRows(&output[from], &input[from], &residual[from], &p.row(scale, image)[0], &zeros[0], p.vectors(), p.Pixels)
	})
	giveBack(zeros)
}

// ScaleGradient differentiates input scale, scale being [Images, Channels]: output is the gradient
// of input, and scaleSums, [Images, Channels], that of scale. gradient is that of the product;
// output may be gradient or input.
func ScaleGradient(p Pixels, output, scaleSums, gradient, input, scale []float32) {
	stride := uintptr(p.Channels * numberBytes)
	p.each(func(image, from int) {
		coefficients := borrowZeros(coefficientRows * p.Channels)
		copy(coefficients[scaleRow*p.Channels:], p.row(scale, image))
		for channel := range p.Channels {
			coefficients[gradientRow*p.Channels+channel] = 1
		}
		sums := scaleSums[image*p.Channels:][:p.Channels]
		clear(sums)
		p.blocks(func(first, pixels, channel, vectors int) {
			at := from + first*p.Channels + channel
			passes.normaliseGradientRows[vectors](&output[at], &sums[channel], &gradient[at], &input[at], &coefficients[channel], stride, pixels)
		})
		giveBack(coefficients)
	})
}

// RectifiedNoiseGradient differentiates max(scale input, 0), scale being [Images, Channels] or [1,
// Channels]: output is the gradient of input, and scaleSums and outputSums, [Images, Channels], are
// the sums over the pixels of the gradient of scale and of output. gradient is that of the maximum.
func RectifiedNoiseGradient(p Pixels, output, scaleSums, outputSums, gradient, input, scale []float32) {
	stride := uintptr(p.Channels * numberBytes)
	p.each(func(image, from int) {
		row := image * p.Channels
		clear(scaleSums[row : row+p.Channels])
		clear(outputSums[row : row+p.Channels])
		scales := p.row(scale, image)
		p.blocks(func(first, pixels, channel, vectors int) {
			at := from + first*p.Channels + channel
			passes.rectifiedNoiseRows[vectors](&output[at], &gradient[at], &input[at], &scales[channel],
				&scaleSums[row+channel], &outputSums[row+channel], stride, pixels)
		})
	})
}
