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
