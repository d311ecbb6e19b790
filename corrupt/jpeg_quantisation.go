package corrupt

import "github.com/nbbnn/workbench/internal/jpeg"

// The example quantisation tables of the JPEG standard, row by row: quality 50.
var (
	luminanceSteps = jpeg.Block{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	}
	chrominanceSteps = jpeg.Block{
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

// quantiser rounds coefficients to multiples of its steps.
type quantiser struct {
	steps       jpeg.Block
	reciprocals [64]uint64 // see reciprocal
}

// newQuantiser scales steps to a quality of 1 to 100.
func newQuantiser(steps *jpeg.Block, quality int32) *quantiser {
	percent := 200 - 2*quality
	if quality < 50 {
		percent = 5000 / quality
	}
	q := &quantiser{}
	for i, step := range steps {
		q.steps[i] = max(1, min((step*percent+50)/100, 255))
		q.reciprocals[i] = reciprocal(q.steps[i])
	}
	return q
}

// round replaces coefficients that are 8 times too large by the nearest multiples of the steps, no
// longer scaled.
func (q *quantiser) round(b *jpeg.Block) {
	for i, coefficient := range b {
		b[i] = nearestMultiple(coefficient, q.steps[i], q.reciprocals[i])
	}
}

// reciprocal returns 1/(8 step) times 2^32, rounded up.
func reciprocal(step int32) uint64 { return 1<<32/uint64(8*step) + 1 }

// nearestMultiple returns the multiple of step that is nearest to an eighth of the coefficient,
// halves away from zero. The product with the reciprocal is the exact quotient for coefficients
// below 2^20.
func nearestMultiple(coefficient, step int32, reciprocal uint64) int32 {
	sign := coefficient >> 31
	magnitude := uint64((coefficient ^ sign) - sign + 4*step)
	return (int32(magnitude*reciprocal>>32)*step ^ sign) - sign
}
