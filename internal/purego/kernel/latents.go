//go:build amd64

package kernel

import "math"

// Latents are the sizes of a sample of latent variables: Rows of Dimensions, row i from component i mod Components.
type Latents struct{ Rows, Components, Dimensions int }

// each runs do for blocks of dimensions in parallel.
func (l Latents) each(do func(from, to int)) {
	Parallel(Workers(), (l.Dimensions+channelBlock-1)/channelBlock, func(_, block int) {
		do(block*channelBlock, min((block+1)*channelBlock, l.Dimensions))
	})
}

// Sample writes mean + log(1 + exp(rho)) epsilon, [Rows, Dimensions]; mean and rho are [Components, Dimensions].
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

// SampleGradient writes the gradients of mean and rho, [Components, Dimensions], from that of the sample.
func (l Latents) SampleGradient(mean, rhoGradient, gradient, rho, epsilon []float32) {
	l.each(func(from, to int) {
		for component := range l.Components {
			clear(mean[component*l.Dimensions+from : component*l.Dimensions+to])
			clear(rhoGradient[component*l.Dimensions+from : component*l.Dimensions+to])
		}
		for row := range l.Rows {
			component := row % l.Components * l.Dimensions
			means, slopes := mean[component:], rhoGradient[component:]
			drawn, arrived := epsilon[row*l.Dimensions:], gradient[row*l.Dimensions:]
			for d := from; d < to; d++ {
				means[d] += arrived[d]
				slopes[d] += arrived[d] * drawn[d]
			}
		}
		for i := range l.Components * (to - from) {
			at := l.component(i, from, to)
			rhoGradient[at] *= float32(1 / (1 + math.Exp(-float64(rho[at]))))
		}
	})
}

// softplus is log(1 + exp(x)), safe for x of any size.
func softplus(x float32) float32 {
	return float32(max(float64(x), 0) + math.Log1p(math.Exp(-math.Abs(float64(x)))))
}
