package kernel

import "math"

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
// It's NoiseGradient, without the activation.
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

// NoiseGradient differentiates activation = max(scale input, 0), scale being [Images, Channels] or
// [1, Channels]: output is the gradient of input, and scaleSums and outputSums, [Images, Channels],
// are the sums over the pixels of the gradient of scale and of output. gradient is that of
// activation.
func NoiseGradient(p Pixels, output, scaleSums, outputSums, gradient, activation, input, scale []float32) {
	stride := uintptr(p.Channels * numberBytes)
	p.each(func(image, from int) {
		sums := image * p.Channels
		clear(scaleSums[sums : sums+p.Channels])
		clear(outputSums[sums : sums+p.Channels])
		for channel := 0; channel < p.Channels; {
			vectors := 1
			if p.Channels-channel >= 3*rowLanes {
				vectors = 3
			}
			at := from + channel
			passes.noiseGradientRows[vectors](&output[at], &gradient[at], &activation[at], &input[at], &p.row(scale, image)[channel],
				&scaleSums[sums+channel], &outputSums[sums+channel], stride, p.Pixels)
			channel += vectors * rowLanes
		}
	})
}

// Latents are the sizes of a sample of latent variables: Rows of Dimensions, row i from component i
// mod Components.
type Latents struct{ Rows, Components, Dimensions int }

// latentBlock is the number of dimensions that a core treats at a time: a line of the cache, which
// two cores must not write to in turn.
const latentBlock = 64 / numberBytes

// each runs do for blocks of dimensions in parallel.
func (l Latents) each(do func(from, to int)) {
	Parallel(Workers(), (l.Dimensions+latentBlock-1)/latentBlock, func(_, block int) {
		do(block*latentBlock, min((block+1)*latentBlock, l.Dimensions))
	})
}

// Sample writes mean + log(1 + exp(rho)) epsilon, [Rows, Dimensions]; mean and rho are [Components,
// Dimensions].
func (l Latents) Sample(output, mean, rho, epsilon []float32) {
	l.each(func(from, to int) {
		sigma := borrow(l.Components * (to - from))
		for i := range sigma {
			sigma[i] = softplus(rho[l.component(i, from, to)])
		}
		for row := range l.Rows {
			component := row % l.Components
			means, sigmas := mean[component*l.Dimensions:], sigma[component*(to-from):]
			drawn, latents := epsilon[row*l.Dimensions:], output[row*l.Dimensions:]
			for d := from; d < to; d++ {
				latents[d] = means[d] + sigmas[d-from]*drawn[d]
			}
		}
		giveBack(sigma)
	})
}

// component is the place in [Components, Dimensions] of a number of [Components, to-from].
func (l Latents) component(i, from, to int) int { return i/(to-from)*l.Dimensions + from + i%(to-from) }

// SampleGradient writes the gradients of mean and rho, [Components, Dimensions], from that of the
// sample.
func (l Latents) SampleGradient(mean, rhoGradient, gradient, rho, epsilon []float32) {
	l.each(func(from, to int) {
		for component := range l.Components {
			var means, slopes [latentBlock]float32
			for row := component; row < l.Rows; row += l.Components {
				drawn, arrived := epsilon[row*l.Dimensions+from:], gradient[row*l.Dimensions+from:row*l.Dimensions+to]
				for d, value := range arrived {
					means[d] += value
					slopes[d] += value * drawn[d]
				}
			}
			first := component*l.Dimensions + from
			copy(mean[first:], means[:to-from])
			for d, slope := range slopes[:to-from] {
				rhoGradient[first+d] = slope * float32(1/(1+math.Exp(-float64(rho[first+d]))))
			}
		}
	})
}

// softplus is log(1 + exp(x)), safe for x of any size.
func softplus(x float32) float32 {
	return float32(max(float64(x), 0) + math.Log1p(math.Exp(-math.Abs(float64(x)))))
}
