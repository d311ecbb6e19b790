package corrupt

// contrastKept is the share of each value's distance to the mean that remains.
var contrastKept = levels[float64]{
	CIFAR:    {.75, .5, .4, .3, .15},
	Tiny:     {.4, .3, .2, .1, .05},
	ImageNet: {.4, .3, .2, .1, .05},
}

// contrast pulls every value towards the mean of its channel in this image (CORRUPT.md 4).
type contrast struct {
	deterministic
	kept float64
}

func newContrast(setup setup) operator {
	return &contrast{kept: contrastKept.at(setup)}
}

func (c *contrast) apply(image []uint8, _ *draws, out []uint8) {
	var bytes [3][256]uint8
	for channel, mean := range channelMeans(image) {
		for v := range bytes[channel] {
			bytes[channel][v] = quantise(float64((unit[v]-mean)*c.kept) + mean)
		}
	}
	for i := 0; i+2 < len(image); i += 3 {
		out[i], out[i+1], out[i+2] = bytes[0][image[i]], bytes[1][image[i+1]], bytes[2][image[i+2]]
	}
}

// channelMeans adds in the order of the pixels: on flat images the last bit of the mean shows.
func channelMeans(image []uint8) [3]float64 {
	var r, g, b float64
	for i := 0; i+2 < len(image); i += 3 {
		r += unit[image[i]]
		g += unit[image[i+1]]
		b += unit[image[i+2]]
	}
	count := float64(len(image) / 3)
	return [3]float64{r / count, g / count, b / count}
}
