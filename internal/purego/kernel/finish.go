package kernel

import "math"

// Finish lists the steps applied to each output of a convolution before it's written, in order.
type Finish struct {
	Bias    []float32 // [OutputChannels], added; nil for none
	Scale   []float32 // [images of the output, OutputChannels] or [1, OutputChannels], multiplied; nil for none
	Rectify bool      // negative results become zero
	// Residual, as many numbers as the output, is added; nil for none. It's read while the output
	// is still in the cache.
	Residual []float32
}

// fill writes the outputs of a phase that no tap reaches.
func (w *imageConvolver) fill(p *phase, b block, from, to int) {
	finished := w.spill[:b.used]
	for i := range finished {
		finished[i] = w.finished(b.previous + i)
	}
	for row := from; row < to; row++ {
		for column := range p.columns.count {
			copy(w.output[w.outputPixel(p, row, column)*w.sizes.OutputChannels+b.channel:], finished)
		}
	}
}

// finished returns the output of a channel whose sum over the taps is zero.
func (w *imageConvolver) finished(channel int) float32 {
	value := w.start[channel]
	if w.finish.Scale != nil {
		value *= w.scale[channel]
	}
	if w.finish.Rectify {
		value = max(value, 0)
	}
	return value
}

// finishImage scales and rectifies an image of the output.
func (c *convolver) finishImage(image int) {
	channels, numbers := c.sizes.OutputChannels, c.sizes.outputNumbers()
	output, scale := c.output[image*numbers:(image+1)*numbers], c.scaleOf(image)
	vectors, pixels := channels/rowLanes, numbers/channels
	switch {
	case scale == nil && !c.finish.Rectify:
	case channels%rowLanes > 0:
		c.finishNumbers(output, scale)
	case scale == nil:
		passes.maximum.scalar(&output[0], &output[0], 0, vectors*pixels)
	case c.finish.Rectify:
		passes.scaleRectifyRows(&output[0], &output[0], &scale[0], vectors, pixels)
	default:
		passes.multiply.rows(&output[0], &output[0], &scale[0], vectors, pixels)
	}
}

// addResidual adds the residual, if any, to a number of outputs, from one on.
func (c *convolver) addResidual(from, count int) {
	if c.finish.Residual == nil {
		return
	}
	output, residual := c.output[from:from+count], c.finish.Residual[from:from+count]
	whole := count / rowLanes * rowLanes
	if whole > 0 {
		passes.add.rows(&output[0], &output[0], &residual[0], whole/rowLanes, 1)
	}
	for i := whole; i < count; i++ {
		output[i] += residual[i]
	}
}

// finishNumbers is finishImage for channels that are no whole vectors.
func (c *convolver) finishNumbers(output, scale []float32) {
	floor := float32(math.Inf(-1))
	if c.finish.Rectify {
		floor = 0
	}
	for i, value := range output {
		if scale != nil {
			value *= scale[i%len(scale)]
		}
		output[i] = max(value, floor)
	}
}

// scaleOf returns the scale of an image, or nil if there is none.
func (c *convolver) scaleOf(image int) []float32 {
	channels := c.sizes.OutputChannels
	if len(c.finish.Scale) <= channels {
		return c.finish.Scale
	}
	return c.finish.Scale[image*channels : (image+1)*channels]
}
