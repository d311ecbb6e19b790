package corrupt

import (
	"math"
	"math/rand/v2"
)

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

// affine maps (x, y) to (a[0] x + a[1] y + a[2], a[3] x + a[4] y + a[5]).
type affine [6]float64

// triangleMap returns the map that moves the points (centre+arm, centre+arm), (centre+arm,
// centre-arm) and (centre-arm, centre-arm) to the given ones, all (x, y).
func triangleMap(centre [2]float64, arm float64, to [3][2]float64) affine {
	var a affine
	for axis := range 2 {
		perX := (to[1][axis] - to[2][axis]) / (2 * arm)
		perY := (to[0][axis] - to[1][axis]) / (2 * arm)
		constant := to[0][axis] - float64(perX*(centre[0]+arm)) - float64(perY*(centre[1]+arm))
		copy(a[3*axis:], []float64{perX, perY, constant})
	}
	return a
}

// inverse undoes the map. A map onto a line has none and gives zeros.
func (a affine) inverse() affine {
	determinant := float64(a[0]*a[4]) - float64(a[1]*a[3])
	if determinant != 0 {
		determinant = 1 / determinant
	}
	xx, yy := a[4]*determinant, a[0]*determinant
	xy, yx := -(a[1] * determinant), -(a[3] * determinant)
	return affine{
		xx, xy, -float64(xx*a[2]) - float64(xy*a[5]),
		yx, yy, -float64(yx*a[2]) - float64(yy*a[5]),
	}
}

// warp writes the image [height, width, 3] moved by the map: bilinear in single precision at source
// positions that are rounded to 1/32 pixel, with a mirrored border (CORRUPT.md 4, elastic_transform
// step 2).
func (a affine) warp(out, image []float32, size Size) {
	const fixed = 1024 // 10 fractional bits, of which 5 remain
	back := a.inverse()
	columns := make([][2]int, size.Width)
	for x := range columns {
		columns[x] = [2]int{roundEven(back[0] * float64(x) * fixed),
			roundEven(back[3] * float64(x) * fixed)}
	}
	for y := range size.Height {
		rowX := roundEven((float64(back[1]*float64(y))+back[2])*fixed) + 16
		rowY := roundEven((float64(back[4]*float64(y))+back[5])*fixed) + 16
		for x, column := range columns {
			pixel := (*[3]float32)(out[3*(y*size.Width+x):])
			sampleMirrored(pixel, image, size, (rowY+column[1])>>5, (rowX+column[0])>>5)
		}
	}
}

// sampleMirrored interpolates at a position in units of 1/32 pixel.
func sampleMirrored(pixel *[3]float32, image []float32, size Size, y, x int) {
	fractionY, fractionX := float32(float32(y&31)/32), float32(float32(x&31)/32)
	top, bottom := mirroredNeighbours(y>>5, size.Height)
	top, bottom = top*size.Width, bottom*size.Width
	left, right := mirroredNeighbours(x>>5, size.Width)
	topLeft, topRight := (*[3]float32)(image[3*(top+left):]), (*[3]float32)(image[3*(top+right):])
	bottomLeft, bottomRight := (*[3]float32)(image[3*(bottom+left):]),
		(*[3]float32)(image[3*(bottom+right):])
	weights := [4]float32{
		(1 - fractionY) * (1 - fractionX), (1 - fractionY) * fractionX,
		fractionY * (1 - fractionX), fractionY * fractionX,
	}
	for channel := range pixel {
		sum := float32(topLeft[channel]*weights[0]) + float32(topRight[channel]*weights[1])
		sum += float32(bottomLeft[channel] * weights[2])
		pixel[channel] = sum + float32(bottomRight[channel]*weights[3])
	}
}

// mirroredNeighbours returns the positions read for a position and the next one.
func mirroredNeighbours(position, length int) (first, second int) {
	if uint(position) < uint(length-1) {
		return position, position + 1
	}
	return mirrorBorder(position, length), mirrorBorder(position+1, length)
}

// displace writes the image [height, width, 3] with each pixel taken from its own position plus
// (down, right), in pixels: bilinear in double precision, with a border mirrored about the edge
// (CORRUPT.md 4, elastic_transform step 4).
func displace(out, image []float32, size Size, down, right []float32) {
	for y := range size.Height {
		for x := range size.Width {
			i := y*size.Width + x
			rows := symmetricNeighbours(float64(y)+float64(down[i]), size.Height)
			columns := symmetricNeighbours(float64(x)+float64(right[i]), size.Width)
			mixPixel((*[3]float32)(out[3*i:]), image, size.Width, rows, columns)
		}
	}
}

// neighbours are two positions along an axis and their weights.
type neighbours struct {
	first, second int
	weights       [2]float64
}

// symmetricNeighbours returns the neighbours of a coordinate.
func symmetricNeighbours(coordinate float64, length int) neighbours {
	if coordinate >= 0 && coordinate < float64(length-1) {
		first := int(coordinate)
		fraction := coordinate - float64(first)
		return neighbours{first, first + 1, [2]float64{1 - fraction, fraction}}
	}
	coordinate = foldSymmetric(coordinate, float64(length))
	whole := math.Floor(coordinate)
	fraction, first := coordinate-whole, int(whole)
	return neighbours{
		symmetricBorder(first, length), symmetricBorder(first+1, length),
		[2]float64{1 - fraction, fraction},
	}
}

// foldSymmetric brings a coordinate into -1..length, where at most one neighbour is outside.
func foldSymmetric(coordinate, length float64) float64 {
	period := 2 * length
	switch {
	case coordinate < 0:
		coordinate += float64(period * math.Trunc(-coordinate/period))
		if coordinate < -length {
			return coordinate + period
		}
		return -coordinate - 1
	case coordinate > length-1:
		coordinate -= float64(period * math.Trunc(coordinate/period))
		if coordinate >= length {
			return period - coordinate - 1
		}
	}
	return coordinate
}

// mixPixel adds the four neighbours row by row, each times its row's and then its column's weight.
func mixPixel(pixel *[3]float32, image []float32, width int, rows, columns neighbours) {
	at := func(row, column int) *[3]float32 { return (*[3]float32)(image[3*(row*width+column):]) }
	topLeft, topRight := at(rows.first, columns.first), at(rows.first, columns.second)
	bottomLeft, bottomRight := at(rows.second, columns.first), at(rows.second, columns.second)
	top, bottom := rows.weights[0], rows.weights[1]
	left, right := columns.weights[0], columns.weights[1]
	for channel := range pixel {
		sum := float64(float64(topLeft[channel]) * top * left)
		sum += float64(float64(topRight[channel]) * top * right)
		sum += float64(float64(bottomLeft[channel]) * bottom * left)
		pixel[channel] = float32(sum + float64(float64(bottomRight[channel])*bottom*right))
	}
}
