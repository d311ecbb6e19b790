package corrupt

import "math"

// splineTaps returns where a cubic B-spline reads along an axis for a position between 0 and
// length-1, and with which weights. Indexes outside are mirrored at the outermost pixel.
func splineTaps(position float64, length int) (indexes [4]int, weights [4]float64) {
	first := math.Floor(position)
	t := position - first
	weights[0] = (1 - t) * (1 - t) * (1 - t) / 6
	weights[1] = (4 - 6*t*t + 3*t*t*t) / 6
	weights[3] = t * t * t / 6
	weights[2] = 1 - weights[0] - weights[1] - weights[3]
	for i := range indexes {
		indexes[i] = mirrorBorder(int(first)-1+i, length)
	}
	return indexes, weights
}

// spline writes a pixel of the cubic B-spline with the image's values as coefficients.
func (m Image) spline(pixel []float64, y, x float64) {
	rows, down := splineTaps(y, m.Height)
	columns, across := splineTaps(x, m.Width)
	clear(pixel)
	for i, row := range rows {
		for j, column := range columns {
			weight, source := down[i]*across[j], m.Values[3*(row*m.Width+column):]
			for channel := range pixel {
				pixel[channel] += weight * source[channel]
			}
		}
	}
}

// splineCoefficients returns the image whose cubic B-spline passes through the values of this one.
func (m Image) splineCoefficients() Image {
	values := make([]float64, len(m.Values))
	copy(values, m.Values)
	for y := range m.Height {
		for channel := range 3 {
			solveSpline(values[3*y*m.Width+channel:], 3, m.Width)
		}
	}
	for i := range 3 * m.Width {
		solveSpline(values[i:], 3*m.Width, m.Height)
	}
	return Image{m.Size, values}
}

// solveSpline replaces values, stride apart, by the coefficients of the spline through them: the
// recursive filter with the pole sqrt(3)-2, forwards and backwards, for a border mirrored at the
// outermost value.
func solveSpline(values []float64, stride, count int) {
	if count == 1 {
		return
	}
	pole := math.Sqrt(3) - 2
	last := (count - 1) * stride
	first, power := 0., 1.
	for k := 0; k < 2*(count-1) && math.Abs(power) > 1e-20; k++ { // one period of the mirrored values
		first += power * values[mirrorBorder(k, count)*stride]
		power *= pole
	}
	values[0] = first / (1 - power)
	for i := stride; i <= last; i += stride {
		values[i] += pole * values[i-stride]
	}
	values[last] = pole / (pole*pole - 1) * (values[last] + pole*values[last-stride])
	for i := last - stride; i >= 0; i -= stride {
		values[i] = pole * (values[i+stride] - values[i])
	}
	for i := 0; i <= last; i += stride {
		values[i] *= 6
	}
}
