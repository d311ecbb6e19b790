package corrupt

import "math"

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
	kernel, side := diskKernel(p.radius, p.alias)
	return &defocusBlur{
		disk:    newCorrelation(kernel, side, size),
		values:  make([]float64, size.Values()),
		blurred: make([]float64, size.Values()),
	}
}

func (c *defocusBlur) apply(image []uint8, _ *draws, out []uint8) {
	toUnit(c.values, image)
	c.disk.filter(c.blurred, c.values)
	quantiseAll(out, c.blurred)
}

// diskKernel returns the defocus kernel [side, side]: a disk of the given radius in pixels whose
// edge is smoothed by a small Gaussian of the given standard deviation (CORRUPT.md 0.2, Disk). All
// arithmetic is in single precision.
func diskKernel(radius, alias float64) (kernel []float32, side int) {
	reach, smoothing := min(8, int(radius)+2), 1 // the outermost ring is zero unless the reach is 8
	if radius > 8 {
		reach, smoothing = int(radius), 2
	}
	side = 2*reach + 1
	weights := smoothingWeights(alias, smoothing)
	across := smoothLines(flatDisk(radius, reach), side, 1, weights, smoothing == 1)
	return smoothLines(across, side, side, weights, false), side
}

// flatDisk is equal inside the radius and zero outside, with sum 1.
func flatDisk(radius float64, reach int) (disk []float32) {
	count := float32(0)
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			inside := float32(0)
			if float64(dx*dx+dy*dy) <= radius*radius {
				inside = 1
			}
			disk, count = append(disk, inside), count+inside
		}
	}
	for i := range disk {
		disk[i] /= count
	}
	return disk
}

// smoothingWeights returns the weights at distance 0..reach of a Gaussian with sum 1.
func smoothingWeights(sigma float64, reach int) []float32 {
	weights, sum := make([]float64, reach+1), 0.0
	for i := range weights {
		weights[i] = math.Exp(-float64(i*i) / (2 * sigma * sigma))
		sum += weights[i]
		if i > 0 {
			sum += weights[i]
		}
	}
	single := make([]float32, reach+1)
	for i, weight := range weights {
		single[i] = float32(weight / sum)
	}
	return single
}

// smoothLines filters each row of a square, whose values are 1 apart, or each column, side apart,
// with a mirrored border. OpenCV fuses products and sums, and adds the centre last in the first
// pass of three weights; both show in the last bit.
func smoothLines(square []float32, side, apart int, weights []float32, centreLast bool) []float32 {
	out := make([]float32, len(square))
	for at, centre := range square {
		place := at / apart % side
		line := square[at-place*apart:]
		sum := float32(0)
		if !centreLast {
			sum = centre * weights[0]
		}
		for i := 1; i < len(weights); i++ {
			sides := line[mirrorBorder(place-i, side)*apart] +
				line[mirrorBorder(place+i, side)*apart]
			sum = fused(sides, weights[i], sum)
		}
		if centreLast {
			sum = fused(centre, weights[0], sum)
		}
		out[at] = sum
	}
	return out
}

// fused is a*b+c with one rounding: the product of two singles is exact in double precision.
func fused(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) }
