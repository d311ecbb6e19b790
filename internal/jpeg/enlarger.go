package jpeg

// enlarger gives the rows of a chroma plane at the size of luma. What was halved is interpolated:
// three parts of the nearest sample and one of the next, each way.
type enlarger struct {
	plane        *plane
	across, down bool // which ways it was halved
	webp         bool // rounds as libwebp
	sums         []int32
	out          []uint8
}

// begin takes up a plane, which was halved each way or not.
func (e *enlarger) begin(p *plane, across, down bool) {
	e.plane, e.across, e.down = p, across, down
	e.sums, e.out = sized(e.sums, p.width), sized(e.out, 2*p.width)
}

// row returns a row that is valid until the next call.
func (e *enlarger) row(y int) []uint8 {
	if !e.across && !e.down {
		return e.plane.row(y)
	}
	at := y
	if e.down {
		at = y / 2
	}
	nearest := e.plane.row(at)[:e.plane.width]
	if e.across && e.plane.width <= 2 && !e.webp { // libjpeg repeats what is so narrow
		for x, v := range nearest {
			e.out[2*x], e.out[2*x+1] = v, v
		}
		return e.out
	}
	if !e.down {
		for x, v := range nearest {
			e.sums[x] = int32(v)
		}
		return e.widened(1, 2, 2)
	}
	next := max(0, min(y/2-1+2*(y%2), e.plane.height-1))
	for x, v := range e.plane.row(next)[:e.plane.width] {
		e.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	switch {
	case !e.across:
		for x, sum := range e.sums {
			e.out[x] = uint8((sum + 1 + int32(y%2)) >> 2)
		}
		return e.out
	case e.webp:
		return e.widened(8, 8, 4)
	}
	return e.widened(8, 7, 4)
}

// widened doubles a row of sums. It adds to even and to odd columns what rounds them, and divides
// them by a power of two.
func (e *enlarger) widened(even, odd int32, shift int) []uint8 {
	left, last := e.sums[0], len(e.sums)-1
	for x, sum := range e.sums {
		right := e.sums[min(x+1, last)]
		e.out[2*x], e.out[2*x+1] = uint8((3*sum+left+even)>>shift), uint8((3*sum+right+odd)>>shift)
		left = sum
	}
	return e.out
}
