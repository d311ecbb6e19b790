package viz_test

import "github.com/nbbnn/workbench/internal/random"

// side is the height and width of the test image.
const side = 32

// ball is an image of a lit ball before a sky, RGB bytes [side, side, 3].
func ball() []uint8 {
	pixels := make([]uint8, 0, side*side*3)
	for y := range side {
		for x := range side {
			dx, dy := float64(x)-15.5, float64(y)-17
			light := 200 - 6*(dx+dy)
			switch {
			case dx*dx+dy*dy < 100:
				pixels = append(pixels, clip(light), clip(0.35*light), clip(0.2*light))
			case y > 24:
				pixels = append(pixels, 70, 120, 60)
			default:
				pixels = append(pixels, uint8(120+3*y), uint8(160+2*y), 225)
			}
		}
	}
	return pixels
}

// noisy adds uniform noise of a strength that grows with the severity.
func noisy(clean []uint8, severity int) []uint8 {
	rng := random.New(1, "test picture", uint64(severity))
	return each(clean, func(value float64) float64 { return value + 45*float64(severity)*(rng.Float64()-0.5) })
}

// flat takes contrast away.
func flat(clean []uint8, severity int) []uint8 {
	return each(clean, func(value float64) float64 { return 128 + (value-128)*(1-0.17*float64(severity)) })
}

// coarse repeats the upper left pixel of blocks that grow with the severity.
func coarse(clean []uint8, severity int) []uint8 {
	result := make([]uint8, 0, len(clean))
	for y := range side {
		for x := range side {
			source := 3 * ((y-y%(severity+1))*side + x - x%(severity+1))
			result = append(result, clean[source:source+3]...)
		}
	}
	return result
}

// each applies a function to every value.
func each(pixels []uint8, change func(float64) float64) []uint8 {
	result := make([]uint8, len(pixels))
	for i, value := range pixels {
		result[i] = clip(change(float64(value)))
	}
	return result
}

// clip rounds a value into a byte.
func clip(value float64) uint8 {
	return uint8(min(max(value, 0), 255) + 0.5)
}
