package jpeg

// The 8x8 discrete cosine transforms here are the integer form of Loeffler, Ligtenberg and
// Moschytz that libjpeg calls "islow", bit for bit (CORRUPT.md 4): the constants have 13 fractional
// bits, and values between the two passes have 2 more.
const (
	dctBits  = 13
	passBits = 2
)

// The constants of the rotations, times 2^13.
const (
	rotate0298 = 2446
	rotate0390 = 3196
	rotate0541 = 4433
	rotate0765 = 6270
	rotate0899 = 7373
	rotate1175 = 9633
	rotate1501 = 12299
	rotate1847 = 15137
	rotate1961 = 16069
	rotate2053 = 16819
	rotate2562 = 20995
	rotate3072 = 25172
)

// Block is 8x8 samples or coefficients, row by row.
type Block [64]int32

// Forward replaces samples, centred on zero, by coefficients that are 8 times the orthonormal ones:
// rows first.
func (b *Block) Forward() {
	var halfway Block
	for i := range 8 {
		forwardLine((*[8]int32)(b[8*i:]), (*[57]int32)(halfway[i:]), dctBits-passBits)
	}
	for i := range 8 {
		forwardLine((*[8]int32)(halfway[8*i:]), (*[57]int32)(b[i:]), dctBits+passBits)
	}
}

// Inverse replaces coefficients by samples centred on zero: columns first.
func (b *Block) Inverse() {
	var halfway Block
	for i := range 8 {
		inverseLine((*[57]int32)(b[i:]), (*[8]int32)(halfway[8*i:]), dctBits-passBits)
	}
	for i := range 8 {
		inverseLine((*[57]int32)(halfway[i:]), (*[8]int32)(b[8*i:]), dctBits+passBits+3)
	}
}

// forwardLine transforms the eight values of a row, scales them down by shift bits and writes them
// as a column, eight apart.
func forwardLine(v *[8]int32, out *[57]int32, shift uint) {
	sum0, difference0 := v[0]+v[7], v[0]-v[7]
	sum1, difference1 := v[1]+v[6], v[1]-v[6]
	sum2, difference2 := v[2]+v[5], v[2]-v[5]
	sum3, difference3 := v[3]+v[4], v[3]-v[4]

	even0, even3 := sum0+sum3, sum0-sum3
	even1, even2 := sum1+sum2, sum1-sum2
	out[0], out[32] = descale((even0+even1)<<dctBits, shift), descale((even0-even1)<<dctBits, shift)
	common := (even2 + even3) * rotate0541
	out[16], out[48] = descale(common+even3*rotate0765, shift), descale(common-even2*rotate1847,
		shift)

	odd7, odd5, odd3, odd1 := rotateOdd(difference3, difference2, difference1, difference0)
	out[56], out[40] = descale(odd7, shift), descale(odd5, shift)
	out[24], out[8] = descale(odd3, shift), descale(odd1, shift)
}

// inverseLine undoes forwardLine: it reads a column, scales down by shift bits and writes a row.
func inverseLine(v *[57]int32, out *[8]int32, shift uint) {
	if v[8]|v[16]|v[24]|v[32]|v[40]|v[48]|v[56] == 0 {
		flat := descale(v[0]<<dctBits, shift)
		*out = [8]int32{flat, flat, flat, flat, flat, flat, flat, flat}
		return
	}
	common := (v[16] + v[48]) * rotate0541
	low, high := common-v[48]*rotate1847, common+v[16]*rotate0765
	sum, difference := (v[0]+v[32])<<dctBits, (v[0]-v[32])<<dctBits
	even0, even3 := sum+high, sum-high
	even1, even2 := difference+low, difference-low

	odd0, odd1, odd2, odd3 := rotateOdd(v[56], v[40], v[24], v[8])
	out[0], out[7] = descale(even0+odd3, shift), descale(even0-odd3, shift)
	out[1], out[6] = descale(even1+odd2, shift), descale(even1-odd2, shift)
	out[2], out[5] = descale(even2+odd1, shift), descale(even2-odd1, shift)
	out[3], out[4] = descale(even3+odd0, shift), descale(even3-odd0, shift)
}

// rotateOdd is the odd half, the same in both directions.
func rotateOdd(a, b, c, d int32) (int32, int32, int32, int32) {
	outer, inner := -(a+d)*rotate0899, -(b+c)*rotate2562
	ac, bd := -(a+c)*rotate1961, -(b+d)*rotate0390
	both := (a + c + b + d) * rotate1175
	ac, bd = ac+both, bd+both
	return a*rotate0298 + outer + ac, b*rotate2053 + inner + bd, c*rotate3072 + inner + ac,
		d*rotate1501 + outer + bd
}

// descale divides by 2^bits and rounds to nearest.
func descale(x int32, bits uint) int32 { return (x + 1<<((bits-1)&31)) >> (bits & 31) }

// Plane is the samples of a channel, with room for whole units.
type Plane struct {
	Height, Width int // of the samples that count
	Rows, Stride  int
	Samples       []uint8
}

// resize makes room for another picture.
func (p *Plane) resize(height, width, rows, stride int) {
	*p = Plane{height, width, rows, stride, sized(p.Samples, rows*stride)}
}

// sized returns a slice of a length, in the memory of the old one if that suffices.
func sized[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

// Row returns one row, with the padding behind its samples.
func (p *Plane) Row(y int) []uint8 { return p.Samples[y*p.Stride : (y+1)*p.Stride] }

// Store puts the samples of a block, moved up to 0..255, where they belong.
func (p *Plane) Store(b *Block, top, left int) {
	for y := range 8 {
		row := p.Row(top + y)[left:][:8]
		for x := range row {
			row[x] = clamp(b[8*y+x] + 128)
		}
	}
}

// clamp limits a value to 0..255.
func clamp(v int32) uint8 {
	if uint32(v) > 255 {
		return uint8(^(v >> 31))
	}
	return uint8(v)
}
