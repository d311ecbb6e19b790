package corrupt

// The example quantisation tables of the JPEG standard, row by row: quality 50.
var (
	luminanceSteps = block{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	}
	chrominanceSteps = block{
		17, 18, 24, 47, 99, 99, 99, 99,
		18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99,
		47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
	}
)

// atQuality scales the steps to a quality of 1 to 100 and arranges them as coefficients, column by column.
func (b block) atQuality(quality int32) block {
	percent := 200 - 2*quality
	if quality < 50 {
		percent = 5000 / quality
	}
	for i, step := range b {
		b[i] = max(1, min((step*percent+50)/100, 255))
	}
	b.transpose()
	return b
}

// roundTo replaces coefficients that are 8 times too large by the nearest multiples of the steps, no longer scaled.
func (b *block) roundTo(steps *block) {
	for i, coefficient := range b {
		b[i] = nearestMultiple(coefficient, steps[i])
	}
}

// nearestMultiple returns the multiple of step that is nearest to an eighth of the coefficient, halves away from zero.
func nearestMultiple(coefficient, step int32) int32 {
	half := 4 * step
	switch {
	case coefficient >= half:
		return int32(uint32(coefficient+half)/uint32(8*step)) * step
	case coefficient <= -half:
		return -int32(uint32(half-coefficient)/uint32(8*step)) * step
	}
	return 0
}
