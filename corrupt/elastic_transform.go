package corrupt

import "math/rand/v2"

// elasticTransformField is the strength of the displacements, their smoothness, and how far the
// corners of a triangle move, all in units of the image's shorter side.
var elasticTransformField = levels[struct{ strength, smoothness, corners float64 }]{
	CIFAR:    {{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}},
	Tiny:     {{0, 0, .08}, {.05, .3, .06}, {.1, .08, .06}, {.1, .03, .03}, {.16, .03, .02}},
	ImageNet: {{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}},
}

// elasticTransform bends the image: an affine map that moves three points, then smooth random
// displacements (CORRUPT.md 4).
type elasticTransform struct {
	size          Size
	strength      float64 // all in pixels
	corners       float64
	smooth        *gaussian
	image, warped []float32
	field         []float64
	right, down   []float32
}

func newElasticTransform(setup setup) operator {
	p, size := elasticTransformField.at(setup), setup.size
	side := float64(min(size.Height, size.Width))
	if setup.table == ImageNet {
		side = side * 244 / 224 // the reference takes 224 pixels for 244
	}
	return &elasticTransform{
		size:     size,
		strength: p.strength * side,
		corners:  p.corners * side,
		smooth:   newGaussian(p.smoothness*side, 3, symmetricBorder),
		image:    make([]float32, size.Values()),
		warped:   make([]float32, size.Values()),
		field:    make([]float64, size.Height*size.Width),
		right:    make([]float32, size.Height*size.Width),
		down:     make([]float32, size.Height*size.Width),
	}
}

// draw makes six numbers for the triangle and one per pixel for each of the two displacements.
func (c *elasticTransform) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.fillUniforms(rng, 6+2*len(c.field))
}

func (c *elasticTransform) apply(image []uint8, draws *draws, out []uint8) {
	for i, v := range image {
		c.image[i] = unitSingle[v]
	}
	c.triangle(draws.uniforms[:6]).warp(c.warped, c.image, c.size)
	if c.strength == 0 {
		copy(c.image, c.warped)
	} else {
		c.fillDisplacement(c.right, draws.uniforms[6:])
		c.fillDisplacement(c.down, draws.uniforms[6+len(c.field):])
		displace(c.image, c.warped, c.size, c.down, c.right)
	}
	for i, v := range c.image {
		out[i] = quantise(v)
	}
}

// triangle moves each coordinate of three points around the centre by up to corners pixels. Points
// are in single precision.
func (c *elasticTransform) triangle(uniforms []float64) affine {
	centre := [2]float64{float64(c.size.Width / 2), float64(c.size.Height / 2)}
	arm := float64(max(1, min(c.size.Height, c.size.Width)/3))
	signs := [3][2]float64{{1, 1}, {1, -1}, {-1, -1}}
	var moved [3][2]float64
	for i := range moved {
		for axis := range 2 {
			from := float32(centre[axis] + float64(signs[i][axis]*arm))
			move := float32(uniform(uniforms[2*i+axis], -c.corners, c.corners))
			moved[i][axis] = float64(from + move)
		}
	}
	return triangleMap(centre, arm, moved)
}

// fillDisplacement smooths a field of numbers in -1..1.
func (c *elasticTransform) fillDisplacement(displacement []float32, uniforms []float64) {
	for i := range c.field {
		c.field[i] = uniform(uniforms[i], -1, 1)
	}
	c.smooth.filter(c.field, c.size, 1)
	for i, v := range c.field {
		displacement[i] = float32(v * c.strength)
	}
}
