package corrupt

import "math"

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
		columns[x] = [2]int{roundEven(back[0] * float64(x) * fixed), roundEven(back[3] * float64(x) * fixed)}
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

func roundEven(x float64) int { return int(math.RoundToEven(x)) }

// sampleMirrored interpolates at a position in units of 1/32 pixel.
func sampleMirrored(pixel *[3]float32, image []float32, size Size, y, x int) {
	fractionY, fractionX := float32(float32(y&31)/32), float32(float32(x&31)/32)
	top, bottom := mirroredNeighbours(y>>5, size.Height)
	top, bottom = top*size.Width, bottom*size.Width
	left, right := mirroredNeighbours(x>>5, size.Width)
	topLeft, topRight := (*[3]float32)(image[3*(top+left):]), (*[3]float32)(image[3*(top+right):])
	bottomLeft, bottomRight := (*[3]float32)(image[3*(bottom+left):]), (*[3]float32)(image[3*(bottom+right):])
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

// mirroredNeighbours returns what stands for a position and for the next one.
func mirroredNeighbours(position, length int) (first, second int) {
	if uint(position) < uint(length-1) {
		return position, position + 1
	}
	return mirrorBorder(position, length), mirrorBorder(position+1, length)
}
