//go:build amd64

package kernel

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

// finished is the output of a channel when the sum over the taps is zero.
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
