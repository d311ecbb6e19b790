package kernel

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
func (c *convolver) finishImage(image int, zeros []float32) {
	numbers := c.sizes.outputNumbers()
	output := c.output[image*numbers : (image+1)*numbers]
	if scale := c.scaleOf(image); scale != nil {
		Multiply.eachRow(output, output, scale)
	}
	if c.finish.Rectify {
		Maximum.eachRow(output, output, zeros)
	}
}

// addResidual adds the residual, if any, to a number of outputs, from one on.
func (c *convolver) addResidual(from, count int) {
	if c.finish.Residual != nil {
		addTo(c.output[from:from+count], c.finish.Residual[from:from+count])
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
