package corrupt

import (
	"math/rand/v2"
	"slices"
)

// spatterLiquid describes the liquid: water at the lower severities, mud at the higher ones.
var spatterLiquid = levels[spatterParameters]{
	CIFAR: {
		{.62, .1, .7, .7, .5, false}, {.65, .1, .8, .7, .5, false}, {.65, .3, 1, .69, .5, false},
		{.65, .1, .7, .69, .6, true}, {.65, .1, .5, .68, .6, true},
	},
	Tiny: {
		{.62, .1, .7, .7, .6, false}, {.65, .1, .8, .7, .6, false}, {.65, .3, 1, .69, .6, false},
		{.65, .1, .7, .68, .6, true}, {.65, .1, .5, .67, .6, true},
	},
	ImageNet: {
		{.65, .3, 4, .69, .6, false}, {.65, .3, 3, .68, .6, false}, {.65, .3, 2, .68, .5, false},
		{.65, .3, 1, .65, 1.5, true}, {.67, .4, 1, .65, 1.5, true},
	},
}

type spatterParameters struct {
	mean, deviation float64 // of the normal field
	sigma           float64 // its smoothness in pixels
	threshold       float64 // below which there is no liquid
	strength        float64 // brightness of water; smoothness of mud's edge in pixels
	mud             bool
}

// The colours of the liquids.
var (
	waterColour = [3]float32{175. / 255, 238. / 255, 238. / 255}
	mudColour   = [3]float32{63. / 255, 42. / 255, 20. / 255}
)

// spatter splashes drops of water or of mud on the lens (CORRUPT.md 3).
type spatter struct {
	spatterParameters
	size     Size
	smooth   *gaussian
	soften   *gaussian // the edge of mud
	droplets *droplets
	field    []float64 // of liquid
	liquid   []uint8
	mask     []float32 // how much of each pixel is liquid
}

func newSpatter(setup setup) operator {
	p, count := spatterLiquid.at(setup), setup.size.Height*setup.size.Width
	c := &spatter{
		spatterParameters: p,
		size:              setup.size,
		smooth:            newGaussian(p.sigma, 4, nearestBorder),
		soften:            newGaussian(p.strength, 4, nearestBorder),
		droplets:          newDroplets(setup.size),
		field:             make([]float64, count),
		liquid:            make([]uint8, count),
		mask:              make([]float32, count),
	}
	c.soften.single = true
	return c
}

func (c *spatter) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.fillNormals(rng, len(c.field))
}

func (c *spatter) apply(image []uint8, draws *draws, out []uint8) {
	for i, z := range draws.normals {
		c.field[i] = c.mean + float64(c.deviation*z)
	}
	c.smooth.filter(c.field, c.size, 1)
	if c.mud {
		c.fillMud()
		c.coverWithMud(image, out)
		return
	}
	c.fillWater()
	c.addWater(image, out)
}

// fillWater computes the light of the drops, scaled to the strength. Without a drop it's zero: the
// reference divides zero by zero there.
func (c *spatter) fillWater() {
	for i, x := range c.field {
		c.liquid[i] = 0
		if x >= c.threshold {
			c.liquid[i] = uint8(int(255 * x)) // modulo 256, as in the reference
		}
	}
	for i, light := range c.droplets.shade(c.liquid) {
		c.mask[i] = float32(c.liquid[i]) * float32(light)
	}
	brightest := slices.Max(c.mask)
	if brightest == 0 {
		return
	}
	for i, light := range c.mask {
		c.mask[i] = light / brightest * float32(c.strength)
	}
}

func (c *spatter) addWater(image, out []uint8) {
	for i, light := range c.mask {
		pixel, wet := (*[3]uint8)(image[3*i:]), (*[3]uint8)(out[3*i:])
		if light == 0 {
			*wet = *pixel
			continue
		}
		for channel, v := range pixel {
			wet[channel] = quantise(unitSingle[v] + float32(light*waterColour[channel]))
		}
	}
}

// fillMud computes how much of each pixel is covered.
func (c *spatter) fillMud() {
	for i, x := range c.field {
		c.field[i] = 0
		if x > c.threshold {
			c.field[i] = 1
		}
	}
	c.soften.filter(c.field, c.size, 1)
	for i, covered := range c.field {
		c.mask[i] = 0
		if float32(covered) >= .8 {
			c.mask[i] = float32(covered)
		}
	}
}

func (c *spatter) coverWithMud(image, out []uint8) {
	for i, covered := range c.mask {
		pixel, dirty := (*[3]uint8)(image[3*i:]), (*[3]uint8)(out[3*i:])
		for channel, v := range pixel {
			dirty[channel] = quantise(float32(unitSingle[v]*(1-covered)) +
				float32(mudColour[channel]*covered))
		}
	}
}
