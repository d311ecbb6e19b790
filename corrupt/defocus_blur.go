package corrupt

// defocusBlurDisk is the radius of the disk in pixels and the standard deviation that smooths its
// edge.
var defocusBlurDisk = levels[struct{ radius, alias float64 }]{
	CIFAR:    {{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}},
	Tiny:     {{.5, .6}, {1, .1}, {1.5, .1}, {2.5, .01}, {3, .1}},
	ImageNet: {{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}},
}

// defocusBlur spreads every pixel over a disk, as a lens out of focus does (CORRUPT.md 2).
type defocusBlur struct {
	deterministic
	disk            *correlation
	values, blurred []float64
}

func newDefocusBlur(setup setup) operator {
	size := setup.size
	p := defocusBlurDisk.at(setup)
	return &defocusBlur{
		disk:    newCorrelation(diskKernel(p.radius, p.alias), size),
		values:  make([]float64, size.Values()),
		blurred: make([]float64, size.Values()),
	}
}

func (c *defocusBlur) apply(image []uint8, _ *draws, out []uint8) {
	toUnit(c.values, image)
	c.disk.filter(c.blurred, c.values)
	quantiseAll(out, c.blurred)
}
