package corrupt

// brightnessAdded holds the numbers that are added to the value of hue, saturation and value.
var brightnessAdded = levels[float64]{
	CIFAR:    {.05, .1, .15, .2, .3},
	Tiny:     {.1, .2, .3, .4, .5},
	ImageNet: {.1, .2, .3, .4, .5},
}

// brightness makes every pixel lighter at the same hue and saturation (CORRUPT.md 3).
type brightness struct {
	deterministic
	added float64
}

func newBrightness(setup setup) operator {
	return &brightness{added: brightnessAdded.at(setup)}
}

func (c *brightness) apply(image []uint8, _ *draws, out []uint8) {
	for i := 0; i+2 < len(image); i += 3 {
		hue, saturation, value := toHSV(unit[image[i]], unit[image[i+1]], unit[image[i+2]])
		r, g, b := fromHSV(hue, saturation, min(value+c.added, 1))
		out[i], out[i+1], out[i+2] = quantise(r), quantise(g), quantise(b)
	}
}
