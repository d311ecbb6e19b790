package corrupt

import "math"

// toHSV returns hue, saturation and value, all in 0..1, of red, green and blue in 0..1 (CORRUPT.md
// 0.2, HSV).
func toHSV(r, g, b float64) (hue, saturation, value float64) {
	value = max(r, g, b)
	delta := value - min(r, g, b)
	if delta == 0 {
		return 0, 0, value
	}
	switch value { // of equal channels the last one decides
	case b:
		hue = 4 + (r-g)/delta
	case g:
		hue = 2 + (b-r)/delta
	default:
		hue = (g - b) / delta
	}
	if hue /= 6; hue < 0 {
		hue++
	}
	return hue, delta / value, value
}

func fromHSV(hue, saturation, value float64) (r, g, b float64) {
	sector := math.Floor(hue * 6)
	fraction := float64(hue*6) - sector
	low := value * (1 - saturation)
	falling := value * (1 - float64(fraction*saturation))
	rising := value * (1 - float64((1-fraction)*saturation))
	switch int(sector) % 6 {
	case 0:
		return value, rising, low
	case 1:
		return falling, value, low
	case 2:
		return low, value, rising
	case 3:
		return low, falling, value
	case 4:
		return rising, low, value
	}
	return value, low, falling
}

// unit is v/255 for each byte v.
var unit = func() (table [256]float64) {
	for v := range table {
		table[v] = float64(v) / 255
	}
	return table
}()

// unitSingle is unit in single precision.
var unitSingle = func() (table [256]float32) {
	for v := range table {
		table[v] = float32(unit[v])
	}
	return table
}()

// quantise turns a value in 0..1 into a byte as the reference does: clip, scale, truncate towards
// zero, never round.
func quantise[T float32 | float64](x T) uint8 {
	switch {
	case x >= 1:
		return 255
	case x > 0:
		return uint8(int32(x * 255))
	}
	return 0
}

// quantiseAll quantises each value.
func quantiseAll(out []uint8, values []float64) {
	for i, x := range values[:len(out)] {
		out[i] = quantise(x)
	}
}

// toUnit writes v/255 of each byte.
func toUnit(out []float64, image []uint8) {
	out = out[:len(image)]
	for i, v := range image {
		out[i] = unit[v]
	}
}

// roundEven rounds to the nearest integer, halves to the even one.
func roundEven(x float64) int { return int(math.RoundToEven(x)) }
