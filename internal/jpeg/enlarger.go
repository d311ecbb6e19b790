package jpeg

// enlarger gives the rows of a chroma plane at the size of luma. What was halved is interpolated:
// three parts of the nearest sample and one of the next, each way.
type enlarger struct {
	*Joiner
	plane *Plane
	sums  []int32
	out   []uint8
}

func (e *enlarger) begin(j *Joiner, p *Plane) {
	*e = enlarger{j, p, sized(e.sums, p.Width), sized(e.out, 2*p.Width)}
}

// row returns a row that is valid until the next call.
func (e *enlarger) row(y int) []uint8 {
	if !e.Across && !e.Down {
		return e.plane.Row(y)
	}
	at := y
	if e.Down {
		at = y / 2
	}
	nearest := e.plane.Row(at)[:e.plane.Width]
	if e.Across && e.plane.Width <= 2 && !e.WebP { // libjpeg repeats what is so narrow
		for x, v := range nearest {
			e.out[2*x], e.out[2*x+1] = v, v
		}
		return e.out
	}
	if !e.Down {
		for x, v := range nearest {
			e.sums[x] = int32(v)
		}
		return e.widened(1, 2, 2)
	}
	next := max(0, min(y/2-1+2*(y%2), e.plane.Height-1))
	for x, v := range e.plane.Row(next)[:e.plane.Width] {
		e.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	switch {
	case !e.Across:
		for x, sum := range e.sums {
			e.out[x] = uint8((sum + 1 + int32(y%2)) >> 2)
		}
		return e.out
	case e.WebP:
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
