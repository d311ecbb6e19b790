package corrupt

import "math/rand/v2"

// frostMix is the weight of the image and of the texture.
var frostMix = levels[struct{ image, texture float64 }]{
	CIFAR:    {{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}},
	Tiny:     {{1, .3}, {.9, .4}, {.8, .45}, {.75, .5}, {.7, .55}},
	ImageNet: {{1, .4}, {.8, .6}, {.7, .7}, {.65, .7}, {.6, .75}},
}

// frostScale is the factor by which textures are scaled, and the side of the images that it's meant
// for.
var frostScale = [3]struct{ factor, side float64 }{CIFAR: {.2, 32}, Tiny: {.3, 64}, ImageNet: {1, 224}}

// frost lays a random part of a texture over the image (CORRUPT.md 3).
type frost struct {
	size           Size
	textures       []*texture
	image, texture [256]float64 // a byte times its weight
}

func newFrost(setup setup) operator {
	mix := frostMix.at(setup)
	c := &frost{size: setup.size, textures: setup.textures}
	for v := range 256 {
		c.image[v] = mix.image * float64(v)
		c.texture[v] = mix.texture * float64(v)
	}
	return c
}

// frostFactor is by how much textures are scaled for images of one size: in proportion to the
// longer side, so that every texture is larger than the image.
func frostFactor(table Table, size Size) float64 {
	scale := frostScale[table]
	return scale.factor * (float64(max(size.Height, size.Width)) / scale.side)
}

// draw chooses the texture, then the row and the column where the part begins.
func (c *frost) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.texture = rng.IntN(len(c.textures))
	texture := c.textures[draws.texture]
	draws.row = rng.IntN(max(1, texture.height-c.size.Height))
	draws.column = rng.IntN(max(1, texture.width-c.size.Width))
}

func (c *frost) apply(image []uint8, draws *draws, out []uint8) {
	texture, length := c.textures[draws.texture], 3*c.size.Width
	for y := range c.size.Height {
		row := image[y*length : (y+1)*length]
		part := texture.pixels[3*((draws.row+y)*texture.width+draws.column):]
		c.applyRow(row, part, out[y*length:])
	}
}

func (c *frost) applyRow(row, part, out []uint8) {
	part, out = part[:len(row)], out[:len(row)]
	for i, v := range row {
		out[i] = uint8(int32(min(c.image[v]+c.texture[part[i]], 255)))
	}
}
