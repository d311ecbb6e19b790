package corrupt

import "math/rand/v2"

// snowFlakes describes the layer of flakes and how much of the image's colour remains.
var snowFlakes = levels[snowParameters]{
	CIFAR: {
		{.1, .2, 1, .6, 8, 3, .95}, {.1, .2, 1, .5, 10, 4, .9}, {.15, .3, 1.75, .55, 10, 4, .9},
		{.25, .3, 2.25, .6, 12, 6, .85}, {.3, .3, 1.25, .65, 14, 12, .8},
	},
	Tiny: {
		{.1, .2, 1, .6, 8, 3, .8}, {.1, .2, 1, .5, 10, 4, .8}, {.15, .3, 1.75, .55, 10, 4, .7},
		{.25, .3, 2.25, .6, 12, 6, .65}, {.3, .3, 1.25, .65, 14, 12, .6},
	},
	ImageNet: {
		{.1, .3, 3, .5, 10, 4, .8}, {.2, .3, 2, .5, 12, 4, .7}, {.55, .3, 4, .9, 12, 8, .7},
		{.55, .3, 4.5, .85, 12, 8, .65}, {.55, .3, 2.5, .85, 12, 12, .55},
	},
}

type snowParameters struct {
	mean, deviation float64 // of the normal field
	zoom            float64 // of the field
	threshold       float64 // below which there is no flake
	radius, sigma   float64 // of the motion blur, in pixels
	kept            float64 // share of the image that isn't whitened
}

// snow whitens the image and adds blurred flakes, and the same flakes turned by 180 degrees
// (CORRUPT.md 3).
type snow struct {
	snowParameters
	size          Size
	zoomed        *clippedZoom
	motion        *motion
	field, flakes []float64
	layer         []uint8
}

func newSnow(setup setup) operator {
	p, size := snowFlakes.at(setup), setup.size
	return &snow{
		snowParameters: p,
		size:           size,
		zoomed:         newClippedZoom(p.zoom, size, 1),
		motion:         newMotion(p.radius, p.sigma, size, 1),
		field:          make([]float64, size.Height*size.Width),
		flakes:         make([]float64, size.Height*size.Width),
		layer:          make([]uint8, size.Height*size.Width),
	}
}

// draw makes the field first, then the direction of the fall.
func (c *snow) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.fillNormals(rng, len(c.field))
	draws.angle = uniform(rng.Float64(), -135, -45)
}

func (c *snow) apply(image []uint8, draws *draws, out []uint8) {
	c.fillLayer(draws)
	for i := range c.layer {
		first, second := unit[c.layer[i]], unit[c.layer[len(c.layer)-1-i]]
		pixel := image[3*i:][:3]
		white := snowWhite(pixel)
		for channel, v := range pixel {
			x := unitSingle[v]
			x = float32(float32(c.kept)*x) + float32(float32(1-c.kept)*max(x, white))
			out[3*i+channel] = quantise(float64(x) + first + second)
		}
	}
}

// snowWhite returns the brightness that whitening pulls a pixel towards.
func snowWhite(pixel []uint8) float32 {
	grey := float32(unitSingle[pixel[0]]*.299) + float32(unitSingle[pixel[1]]*.587)
	grey += float32(unitSingle[pixel[2]] * .114)
	return float32(grey*1.5) + .5
}

// fillLayer makes the flakes, as bytes.
func (c *snow) fillLayer(draws *draws) {
	for i, z := range draws.normals {
		c.field[i] = c.mean + float64(c.deviation*z)
	}
	c.zoomed.zoom(c.flakes, c.field)
	for i, flake := range c.flakes {
		c.layer[i] = 0
		if flake >= c.threshold {
			c.layer[i] = quantise(flake)
		}
	}
	c.motion.blur(c.layer, c.layer, draws.angle)
}
