package kernel

// NormalisationGradients are written by Differentiate: the gradients of the input, [Images, Pixels,
// Channels], of the noise, [Images, Channels], nil without noise, and of gain and shift,
// [Channels].
type NormalisationGradients struct {
	Input, Scale, Gain, Shift []float32
	// of the residual added before the rectifier; nil without one
	Residual []float32
}

// Differentiate writes the gradients of a normalisation by the moments of the batch itself, from
// the gradient of its output. activation is the output; it's needed only if a residual was added
// and the sum rectified. Input and Residual may be gradient, and Input may be input.
func (n Normalisation) Differentiate(p Pixels, to NormalisationGradients, gradient, activation,
	input []float32) {
	d := &normalisationGradient{Normalisation: n.withInverse(borrow(p.Channels)), Pixels: p, to: to,
		gradient: gradient, activation: activation, input: input}
	d.gradientSums, d.productSums = borrowZeros(p.Images*p.Channels),
		borrowZeros(p.Images*p.Channels)
	p.each(d.sumImage)
	if to.Residual != nil {
		d.gradient, d.Rectify = to.Residual, false
	}
	d.slopes, d.products, d.constants = borrow(p.Channels), borrow(p.Channels), borrow(p.Channels)
	d.combine()
	p.each(d.differentiateImage)
	giveBack(d.gradientSums, d.productSums, d.slopes, d.products, d.constants, d.inverse)
}

type normalisationGradient struct {
	Normalisation
	Pixels
	to                          NormalisationGradients
	gradient, activation, input []float32
	// [Images, Channels], of the gradient, and of that times the input
	gradientSums, productSums   []float32
	slopes, products, constants []float32 // [Channels], of the coefficients: what all images share
}

// The rows of coefficients that the kernels read for each image, one number a channel.
const (
	scaleRow  = iota // noise of the image
	factorRow        // the two of affine
	shiftRow
	gradientRow // contributions of gradient, input and one to the gradient of the noisy input
	inputRow
	constantRow
	coefficientRows
)

// sumImage adds up the gradient that reaches the normalisation, and masks it if a residual shares
// it.
func (d *normalisationGradient) sumImage(image, from int) {
	row, stride := image*d.Channels, uintptr(d.Channels*numberBytes)
	coefficients := borrow(coefficientRows * d.Channels)
	d.affine(d.Pixels, image, coefficients[factorRow*d.Channels:][:d.Channels],
		coefficients[shiftRow*d.Channels:][:d.Channels])
	d.blocks(func(first, pixels, channel, vectors int) {
		at := from + first*d.Channels + channel
		sums, products := &d.gradientSums[row+channel], &d.productSums[row+channel]
		switch {
		case d.to.Residual != nil:
			passes.gradientSumRowsActivated[vectors](sums, products, &d.to.Residual[at],
				&d.gradient[at], &d.activation[at], &d.input[at], stride, pixels)
		case d.Rectify:
			passes.gradientSumRowsRectified[vectors](sums, products, &d.gradient[at], &d.input[at],
				&coefficients[channel], stride, pixels)
		default:
			passes.gradientSumRows[vectors](sums, products, &d.gradient[at], &d.input[at],
				&coefficients[channel], stride, pixels)
		}
	})
	giveBack(coefficients)
}

// combine writes the gradients of gain and shift, and what follows from them.
func (d *normalisationGradient) combine() {
	Parallel(Workers(), (d.Channels+channelBlock-1)/channelBlock, func(_, block int) {
		var gains, shifts [channelBlock]float64
		first := block * channelBlock
		last := min(first+channelBlock, d.Channels)
		for image := range d.Images {
			noise := d.noiseOf(d.Pixels, image)
			for channel := first; channel < last; channel++ {
				at, scale := image*d.Channels+channel, 1.0
				if noise != nil {
					scale = float64(noise[channel])
				}
				sum := float64(d.gradientSums[at])
				shifts[channel-first] += sum
				gains[channel-first] += float64(d.productSums[at])*scale -
					float64(d.Mean[channel])*sum
			}
		}
		for channel := first; channel < last; channel++ {
			d.to.Shift[channel] = float32(shifts[channel-first])
			d.to.Gain[channel] = float32(gains[channel-first] * float64(d.inverse[channel]))
			d.share(channel)
		}
	})
}

// share fills the common parts of all images' coefficients.
func (d *normalisationGradient) share(channel int) {
	count := float32(d.Images * d.Pixels.Pixels)
	slope, product := d.Gain[channel]*d.inverse[channel],
		d.to.Gain[channel]/count*d.inverse[channel]
	d.slopes[channel] = slope
	d.products[channel] = -slope * product
	d.constants[channel] = slope * (d.Mean[channel]*product - d.to.Shift[channel]/count)
}

// differentiateImage writes the gradients of an image and of its noise.
func (d *normalisationGradient) differentiateImage(image, from int) {
	row := image * d.Channels
	coefficients := d.coefficients(image)
	sums := d.gradientSums[row : row+d.Channels] // read by now
	if d.to.Scale != nil {
		sums = d.to.Scale[row : row+d.Channels]
	}
	clear(sums)
	d.differentiateRows(from, sums, coefficients)
	giveBack(coefficients)
}

// differentiateRows writes the gradient of an image and adds up its noise's.
func (d *normalisationGradient) differentiateRows(from int, sums, coefficients []float32) {
	kernels, stride := &passes.normaliseGradientRows, uintptr(d.Channels*numberBytes)
	if d.Rectify {
		kernels = &passes.normaliseGradientRowsRectified
	}
	d.blocks(func(first, pixels, channel, vectors int) {
		at := from + first*d.Channels + channel
		kernels[vectors](&d.to.Input[at], &sums[channel], &d.gradient[at], &d.input[at],
			&coefficients[channel], stride, pixels)
	})
}

// DifferentiateConstant writes the gradients of the input, the noise and the residual of a
// normalisation by constant moments, whose gain and shift are constant too. factor, [Channels], is
// gain over the standard deviation. The rest is as in Differentiate.
func (n Normalisation) DifferentiateConstant(p Pixels, to NormalisationGradients, factor, gradient,
	activation, input []float32) {
	d := &normalisationGradient{Normalisation: n.withInverse(borrow(p.Channels)), Pixels: p, to: to,
		gradient: gradient, activation: activation, input: input}
	d.gradientSums, d.productSums = borrowZeros(p.Images*p.Channels), to.Scale
	if to.Scale == nil {
		d.productSums = d.gradientSums
	}
	clear(d.productSums)
	p.each(func(image, from int) { d.differentiateConstant(image, from, factor) })
	giveBack(d.gradientSums, d.inverse)
}

// differentiateConstant writes the gradients of an image.
func (d *normalisationGradient) differentiateConstant(image, from int, factor []float32) {
	coefficients := d.constantCoefficients(image, factor)
	if d.to.Residual != nil {
		d.sumImage(image, from)
		passes.multiplyRows(&d.to.Input[from], &d.to.Residual[from],
			&coefficients[scaleRow*d.Channels], d.vectors(), d.Pixels.Pixels)
	} else {
		d.differentiateRows(from, d.productSums[image*d.Channels:], coefficients)
	}
	giveBack(coefficients)
	for channel, value := range factor {
		d.productSums[image*d.Channels+channel] *= value
	}
}

// constantCoefficients returns all rows of an image's coefficients for only the gradient.
func (d *normalisationGradient) constantCoefficients(image int, factor []float32) []float32 {
	rows := borrowZeros(coefficientRows * d.Channels)
	row := func(which int) []float32 { return rows[which*d.Channels:][:d.Channels] }
	d.affine(d.Pixels, image, row(factorRow), row(shiftRow))
	scales, ones, noise := row(scaleRow), row(gradientRow), d.noiseOf(d.Pixels, image)
	copy(scales, factor)
	for channel := range scales {
		ones[channel] = 1
		if noise != nil {
			scales[channel] *= noise[channel]
		}
	}
	return rows
}

// coefficients returns an image's coefficients, all rows. Give them back.
func (d *normalisationGradient) coefficients(image int) []float32 {
	rows := borrow(coefficientRows * d.Channels)
	row := func(which int) []float32 { return rows[which*d.Channels:][:d.Channels] }
	d.affine(d.Pixels, image, row(factorRow), row(shiftRow))
	copy(row(gradientRow), d.slopes)
	copy(row(constantRow), d.constants)
	scales, inputs, noise := row(scaleRow), row(inputRow), d.noiseOf(d.Pixels, image)
	for channel := range scales {
		scale := float32(1)
		if noise != nil {
			scale = noise[channel]
		}
		scales[channel] = scale
		inputs[channel] = d.products[channel] * scale
	}
	return rows
}
