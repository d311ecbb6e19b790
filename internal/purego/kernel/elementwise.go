package kernel

import "math"

const (
	rowLanes     = 8       // numbers in a vector of the elementwise kernels
	chunkNumbers = 1 << 16 // numbers that one worker treats at a time
)

// Operation is an elementwise function of two numbers.
type Operation struct {
	rows   func(p *memoryPasses) elementwiseRows
	single func(left, right float32) float32
}

// The operations. Maximum returns NaN if either side is NaN.
var (
	Multiply = Operation{func(p *memoryPasses) elementwiseRows {
		return p.multiplyRows
	}, func(left, right float32) float32 { return left * right }}
	Add = Operation{func(p *memoryPasses) elementwiseRows {
		return p.addRows
	}, func(left, right float32) float32 { return left + right }}
	Maximum = Operation{func(p *memoryPasses) elementwiseRows {
		return p.maximumRows
	}, func(left, right float32) float32 { return max(left, right) }}
)

// Pixels are the sizes of values [Images, Pixels, Channels] with one number for each image and
// channel, or each channel. Channels must be a multiple of RowChannels.
type Pixels struct{ Images, Pixels, Channels int }

// RowChannels divides the number of channels with which the kernels for Pixels work.
const RowChannels = rowLanes

// each runs do for every image in parallel; from is the index of the image's first value.
func (p Pixels) each(do func(image, from int)) {
	Parallel(Workers(), p.Images, func(_, image int) { do(image, image*p.Pixels*p.Channels) })
}

// row returns an image's numbers in values of [Images, Channels] or [1, Channels].
func (p Pixels) row(values []float32, image int) []float32 {
	if len(values) == p.Channels {
		return values
	}
	return values[image*p.Channels : (image+1)*p.Channels]
}

// vectors returns the number of vectors of a pixel.
func (p Pixels) vectors() int { return p.Channels / rowLanes }

// Values writes output = left operation right, all of the same length.
func (o Operation) Values(output, left, right []float32) {
	vectorwise(len(output), func(from, vectors int) {
		o.rows(passes)(&output[from], &left[from], &right[from], vectors, 1)
	}, func(i int) { output[i] = o.single(left[i], right[i]) })
}

// Number writes output = left operation right.
func (o Operation) Number(output, left []float32, right float32) {
	row := borrow(64 * rowLanes)
	for i := range row {
		row[i] = right
	}
	Parallel(Workers(), (len(output)+chunkNumbers-1)/chunkNumbers, func(_, i int) {
		from, to := i*chunkNumbers, min(len(output), (i+1)*chunkNumbers)
		o.eachRow(output[from:to], left[from:to], row)
	})
	giveBack(row)
}

// Rows writes output = left operation right, right being [Images, Channels] or [1, Channels]. Any
// number of channels is allowed.
func (o Operation) Rows(p Pixels, output, left, right []float32) {
	p.each(func(image, from int) {
		row, to := p.row(right, image), from+p.Pixels*p.Channels
		if p.Channels%rowLanes > 0 && p.Pixels >= rowLanes { // vectors of several rows are whole
			wide := borrow(rowLanes * p.Channels)
			defer giveBack(wide)
			for i := range rowLanes {
				copy(wide[i*p.Channels:], row)
			}
			row = wide
		}
		o.eachRow(output[from:to], left[from:to], row)
	})
}

// eachRow writes output = left operation row for each row of left, on one core. The last row may be
// shorter.
func (o Operation) eachRow(output, left, row []float32) {
	if len(row)%rowLanes == 0 && len(row) > 0 && len(left) >= len(row) {
		rows := len(left) / len(row)
		o.rows(passes)(&output[0], &left[0], &row[0], len(row)/rowLanes, rows)
		output, left = output[rows*len(row):], left[rows*len(row):]
	}
	for len(left) > 0 {
		numbers := min(len(row), len(left))
		vectors := numbers / rowLanes
		if vectors > 0 {
			o.rows(passes)(&output[0], &left[0], &row[0], vectors, 1)
		}
		for i := vectors * rowLanes; i < numbers; i++ {
			output[i] = o.single(left[i], row[i])
		}
		output, left = output[numbers:], left[numbers:]
	}
}

// Absolute writes the absolute values of input.
func Absolute(output, input []float32) {
	const signBit = 1 << 31
	Parallel(Workers(), (len(input)+chunkNumbers-1)/chunkNumbers, func(_, i int) {
		from, to := i*chunkNumbers, min(len(input), (i+1)*chunkNumbers)
		written := output[from:to]
		for i, value := range input[from:to] {
			written[i] = math.Float32frombits(math.Float32bits(value) &^ signBit)
		}
	})
}

// MultiplySign writes gradient times the sign of activation, all of the same length.
func MultiplySign(output, gradient, activation []float32) {
	vectorwise(len(output), func(from, vectors int) {
		passes.multiplySign(&output[from], &gradient[from], &activation[from], vectors)
	}, func(i int) { output[i] = gradient[i] * signOf(activation[i]) })
}

// ScaleMultiplySign writes gradient times scale, [Images, Channels] or [1, Channels], times the
// sign of activation. output may be gradient, but not activation.
func ScaleMultiplySign(p Pixels, output, gradient, activation, scale []float32) {
	const cached = 1 << 11 // numbers that stay in the first cache
	most := max(1, cached/p.Channels)
	p.each(func(image, from int) {
		for end := from + p.Pixels*p.Channels; from < end; from += most * p.Channels {
			pixels := min(most, (end-from)/p.Channels)
			passes.multiplyRows(&output[from], &gradient[from], &p.row(scale, image)[0],
				p.vectors(), pixels)
			passes.multiplySign(&output[from], &output[from], &activation[from], p.vectors()*pixels)
		}
	})
}

// ScaleRectify writes max(input scale, 0), scale being [Images, Channels] or [1, Channels].
func ScaleRectify(p Pixels, output, input, scale []float32) {
	zeros := borrowZeros(p.Channels)
	p.each(func(image, from int) {
		passes.normaliseRectifyRows(&output[from], &input[from], &p.row(scale, image)[0], &zeros[0],
			p.vectors(), p.Pixels)
	})
	giveBack(zeros)
}

// vectorwise covers 0..count-1 in parallel: many takes whole vectors, one each number that's left.
func vectorwise(count int, many func(from, vectors int), one func(i int)) {
	Parallel(Workers(), (count+chunkNumbers-1)/chunkNumbers, func(_, i int) {
		from, to := i*chunkNumbers, min(count, (i+1)*chunkNumbers)
		vectors := (to - from) / rowLanes
		if vectors > 0 {
			many(from, vectors)
		}
		for i := from + vectors*rowLanes; i < to; i++ {
			one(i)
		}
	})
}

// AddScaled writes input scale + residual, scale being [Images, Channels]. output may be input or
// residual.
func AddScaled(p Pixels, output, input, scale, residual []float32) {
	zeros := borrowZeros(p.Channels)
	p.each(func(image, from int) {
		passes.normaliseAddRows(&output[from], &input[from], &residual[from],
			&p.row(scale, image)[0], &zeros[0], p.vectors(), p.Pixels)
	})
	giveBack(zeros)
}

// ScaleGradient differentiates input scale, scale being [Images, Channels]: output is the gradient
// of input, and scaleSums, [Images, Channels], the gradient of scale. gradient is the product's;
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
			passes.normaliseGradientRows[vectors](&output[at], &sums[channel], &gradient[at],
				&input[at], &coefficients[channel], stride, pixels)
		})
		giveBack(coefficients)
	})
}

// RectifiedNoiseGradient differentiates max(scale input, 0), scale being [Images, Channels] or [1,
// Channels]: output is the gradient of input, and scaleSums and outputSums, [Images, Channels], are
// the sums over the pixels of the gradient of scale and of output. gradient is the maximum's.
func RectifiedNoiseGradient(p Pixels, output, scaleSums, outputSums, gradient, input,
	scale []float32) {
	stride := uintptr(p.Channels * numberBytes)
	p.each(func(image, from int) {
		row := image * p.Channels
		clear(scaleSums[row : row+p.Channels])
		clear(outputSums[row : row+p.Channels])
		scales := p.row(scale, image)
		p.blocks(func(first, pixels, channel, vectors int) {
			at := from + first*p.Channels + channel
			passes.rectifiedNoiseRows[vectors](&output[at], &gradient[at], &input[at],
				&scales[channel],
				&scaleSums[row+channel], &outputSums[row+channel], stride, pixels)
		})
	})
}

// Descent is stochastic gradient descent with Nesterov momentum and weight decay, as PyTorch
// defines it.
type Descent struct{ Rate, Momentum, Decay float32 }

// Step moves a parameter and its momentum, in place, by one step down the gradient.
func (d Descent) Step(parameter, momentum, gradient []float32) {
	settings := []float32{d.Rate, d.Momentum, d.Decay}
	vectorwise(len(parameter), func(from, vectors int) {
		passes.descend(&parameter[from], &momentum[from], &gradient[from], &settings[0], vectors)
	}, func(i int) {
		slope := gradient[i] + d.Decay*parameter[i]
		momentum[i] = d.Momentum*momentum[i] + slope
		parameter[i] -= d.Rate * (slope + d.Momentum*momentum[i])
	})
}
