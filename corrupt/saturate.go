package corrupt

// saturateBy holds a factor of the saturation, and a number that is added to the product.
var saturateBy = levels[struct{ factor, added float64 }]{
	CIFAR:    {{.3, 0}, {.1, 0}, {1.5, 0}, {2, .1}, {2.5, .2}},
	Tiny:     {{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {30, .2}},
	ImageNet: {{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}},
}

// saturate makes colours paler or stronger at the same hue and value (CORRUPT.md 4). Where
// something is added, grey becomes reddish, as in the reference.
type saturate struct {
	deterministic
	factor, added float64
}

func newSaturate(setup setup) operator {
	by := saturateBy.at(setup)
	return &saturate{factor: by.factor, added: by.added}
}

func (c *saturate) apply(image []uint8, _ *draws, out []uint8) {
	for i := 0; i+2 < len(image); i += 3 {
		hue, saturation, value := toHSV(unit[image[i]], unit[image[i+1]], unit[image[i+2]])
		r, g, b := fromHSV(hue, min(float64(saturation*c.factor)+c.added, 1), value)
		out[i], out[i+1], out[i+2] = quantise(r), quantise(g), quantise(b)
	}
}
