package corrupt

// The 8x8 discrete cosine transforms of the JPEG corruption, in the integer form of Loeffler, Ligtenberg and Moschytz that
// libjpeg calls "islow": 13 fractional bits in the constants, 2 more in what passes from the first pass to the second.
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

// block is 8x8 samples or coefficients, row by row.
type block [64]int32

// forward replaces samples, centred on zero, by coefficients that are 8 times the orthonormal ones.
func (b *block) forward() {
	for row := 0; row < 64; row += 8 {
		b.forwardLine(row, 1, -passBits, dctBits-passBits)
	}
	for column := range 8 {
		b.forwardLine(column, 8, passBits, dctBits+passBits)
	}
}

// inverse replaces coefficients by samples centred on zero.
func (b *block) inverse() {
	for column := range 8 {
		b.inverseLine(column, 8, dctBits-passBits)
	}
	for row := 0; row < 64; row += 8 {
		b.inverseLine(row, 1, dctBits+passBits+3)
	}
}

// forwardLine transforms the eight values from first on, step apart. evenShift is what the two values without a product are
// scaled down by, in bits (up, if negative), and shift the others.
func (b *block) forwardLine(first, step int, evenShift, shift int) {
	at := func(i int) *int32 { return &b[(first+i*step)&63] }
	sum0, difference0 := *at(0)+*at(7), *at(0)-*at(7)
	sum1, difference1 := *at(1)+*at(6), *at(1)-*at(6)
	sum2, difference2 := *at(2)+*at(5), *at(2)-*at(5)
	sum3, difference3 := *at(3)+*at(4), *at(3)-*at(4)

	even0, even3 := sum0+sum3, sum0-sum3
	even1, even2 := sum1+sum2, sum1-sum2
	if evenShift < 0 {
		*at(0), *at(4) = (even0+even1)<<-evenShift, (even0-even1)<<-evenShift
	} else {
		*at(0), *at(4) = descale(even0+even1, evenShift), descale(even0-even1, evenShift)
	}
	common := (even2 + even3) * rotate0541
	*at(2) = descale(common+even3*rotate0765, shift)
	*at(6) = descale(common-even2*rotate1847, shift)

	odd7, odd5, odd3, odd1 := rotateOdd(difference3, difference2, difference1, difference0)
	*at(7), *at(5) = descale(odd7, shift), descale(odd5, shift)
	*at(3), *at(1) = descale(odd3, shift), descale(odd1, shift)
}

// inverseLine undoes forwardLine and scales down by shift bits.
func (b *block) inverseLine(first, step int, shift int) {
	at := func(i int) *int32 { return &b[(first+i*step)&63] }
	common := (*at(2) + *at(6)) * rotate0541
	low := common - *at(6)*rotate1847
	high := common + *at(2)*rotate0765
	sum, difference := (*at(0)+*at(4))<<dctBits, (*at(0)-*at(4))<<dctBits
	even0, even3 := sum+high, sum-high
	even1, even2 := difference+low, difference-low

	odd0, odd1, odd2, odd3 := rotateOdd(*at(7), *at(5), *at(3), *at(1))
	*at(0), *at(7) = descale(even0+odd3, shift), descale(even0-odd3, shift)
	*at(1), *at(6) = descale(even1+odd2, shift), descale(even1-odd2, shift)
	*at(2), *at(5) = descale(even2+odd1, shift), descale(even2-odd1, shift)
	*at(3), *at(4) = descale(even3+odd0, shift), descale(even3-odd0, shift)
}

// rotateOdd is the odd half, the same in both directions.
func rotateOdd(a, b, c, d int32) (int32, int32, int32, int32) {
	outer, inner := -(a+d)*rotate0899, -(b+c)*rotate2562
	ac, bd := -(a+c)*rotate1961, -(b+d)*rotate0390
	both := (a + c + b + d) * rotate1175
	ac, bd = ac+both, bd+both
	return a*rotate0298 + outer + ac, b*rotate2053 + inner + bd, c*rotate3072 + inner + ac, d*rotate1501 + outer + bd
}

// descale divides by 2^bits and rounds to nearest.
func descale(x int32, bits int) int32 { return (x + 1<<(bits-1)) >> bits }
