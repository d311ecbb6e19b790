package corrupt

import "math"

// texture is a picture of frost, [height, width, 3] RGB.
type texture struct {
	height, width int
	pixels        []uint8
}

// resized scales a texture by a factor in the 8-bit bilinear arithmetic of OpenCV, which doesn't
// smooth before it shrinks (CORRUPT.md 3, frost).
func (t *texture) resized(factor float64) *texture {
	if factor == 1 {
		return t
	}
	rows := bilinearSources(t.height, factor)
	columns := bilinearSources(t.width, factor)
	out := &texture{len(rows), len(columns), make([]uint8, 3*len(rows)*len(columns))}
	upper, lower := make([]int, 3*out.width), make([]int, 3*out.width)
	for y, row := range rows {
		t.narrow(upper, row.first, columns)
		t.narrow(lower, row.second, columns)
		for i := range upper {
			sum := (row.weights[0]*(upper[i]>>4))>>16 + (row.weights[1]*(lower[i]>>4))>>16
			out.pixels[3*y*out.width+i] = uint8((sum + 2) >> 2)
		}
	}
	return out
}

// narrow mixes the columns of one row.
func (t *texture) narrow(out []int, y int, columns []bilinearSource) {
	row := t.pixels[3*y*t.width : 3*(y+1)*t.width]
	for x, column := range columns {
		for channel := range 3 {
			left, right := int(row[3*column.first+channel]), int(row[3*column.second+channel])
			out[3*x+channel] = column.weights[0]*left + column.weights[1]*right
		}
	}
}

// bilinearSource mixes two neighbouring positions; the weights have 11 fractional bits.
type bilinearSource struct {
	first, second int
	weights       [2]int
}

// bilinearSources returns the source of each position of an axis that is scaled by a factor.
func bilinearSources(length int, factor float64) []bilinearSource {
	sources := make([]bilinearSource, max(1, roundEven(float64(length)*factor)))
	for i := range sources {
		position := float32(float64((float64(i)+.5)*(1/factor)) - .5)
		whole := int(math.Floor(float64(position)))
		fraction := position - float32(whole)
		if whole < 0 || whole >= length-1 {
			whole, fraction = nearestBorder(whole, length), 0
		}
		weights := [2]int{roundEven(float64((1 - fraction) * 2048)), roundEven(float64(fraction * 2048))}
		sources[i] = bilinearSource{whole, min(whole+1, length-1), weights}
	}
	return sources
}
