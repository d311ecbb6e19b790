package corrupt

// border maps a position outside 0..length-1 to the position inside whose value stands for it.
type border func(position, length int) int

// nearestBorder repeats the edge: a a a | a b c d | d d d.
func nearestBorder(position, length int) int {
	return max(0, min(position, length-1))
}

// symmetricBorder mirrors about the edge itself: d c b a | a b c d | d c b a.
func symmetricBorder(position, length int) int {
	if uint(position) < uint(length) {
		return position
	}
	position = modulo(position, 2*length)
	return min(position, 2*length-1-position)
}

// mirrorBorder mirrors about the centre of the edge pixel, which isn't repeated: d c b | a b c d |
// c b a.
func mirrorBorder(position, length int) int {
	switch {
	case uint(position) < uint(length):
		return position
	case length == 1:
		return 0
	}
	position = modulo(position, 2*length-2)
	return min(position, 2*length-2-position)
}

// modulo is the remainder in 0..n-1.
func modulo(a, n int) int {
	if a %= n; a < 0 {
		a += n
	}
	return a
}

// padRow copies a row of pixels of the given number of channels to padded, which has radius more
// pixels on either side.
func padRow(padded, row []float64, radius, channels int, border border) {
	width := len(row) / channels
	copy(padded[radius*channels:], row)
	for i := 1; i <= radius; i++ {
		left, right := border(-i, width)*channels, border(width-1+i, width)*channels
		copy(padded[(radius-i)*channels:], row[left:left+channels])
		copy(padded[(radius+width-1+i)*channels:], row[right:right+channels])
	}
}
