package jpeg

// block is 8x8 coefficients or samples, row by row.
type block [64]int32

// inverse replaces coefficients by samples centred on zero: columns first, then rows, in the integer form of Loeffler,
// Ligtenberg and Moschytz with 13 fractional bits in the constants and 2 between the passes (CORRUPT.md 4).
func (b *block) inverse() {
	var v [8]int32
	for x := range 8 {
		for y := range v {
			v[y] = b[8*y+x]
		}
		inverseLine(&v, 11)
		for y := range v {
			b[8*y+x] = v[y]
		}
	}
	for y := 0; y < 64; y += 8 {
		inverseLine((*[8]int32)(b[y:]), 18)
	}
}

// inverseLine transforms eight values and rounds away so many bits.
func inverseLine(v *[8]int32, shift uint) {
	common := (v[2] + v[6]) * 4433
	low, high := common-v[6]*15137, common+v[2]*6270
	sum, difference := (v[0]+v[4])<<13, (v[0]-v[4])<<13
	even := [4]int32{sum + high, difference + low, difference - low, sum - high}

	turn := (v[7] + v[3] + v[5] + v[1]) * 9633
	outer, inner := (v[7]+v[1])*-7373, (v[5]+v[3])*-20995
	left, right := (v[7]+v[3])*-16069+turn, (v[5]+v[1])*-3196+turn
	odd := [4]int32{
		v[1]*12299 + outer + right, v[3]*25172 + inner + left, v[5]*16819 + inner + right, v[7]*2446 + outer + left,
	}
	half := int32(1) << (shift - 1)
	for i := range even {
		v[i], v[7-i] = (even[i]+odd[i]+half)>>shift, (even[i]-odd[i]+half)>>shift
	}
}

// plane is the samples of a channel, with room for whole units.
type plane struct {
	height, width int // of the samples that count
	rows, stride  int
	samples       []uint8
}

// resize makes room for another picture.
func (p *plane) resize(height, width, rows, stride int) {
	*p = plane{height, width, rows, stride, sized(p.samples, rows*stride)}
}

// sized returns a slice of a length, in the memory of the old one where that suffices.
func sized[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

func (p *plane) row(y int) []uint8 { return p.samples[y*p.stride : (y+1)*p.stride] }

// store puts the samples of a block, moved up to 0..255, where they belong.
func (p *plane) store(b *block, top, left int) {
	for y := range 8 {
		row := p.row(top + y)[left:][:8]
		for x := range row {
			row[x] = clamp(b[8*y+x] + 128)
		}
	}
}

// clamp limits a value to 0..255.
func clamp(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
