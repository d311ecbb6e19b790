package kernel

import "runtime"

// Convolutions and kernel gradients are sums of outer products, of some rows of numbers and a quad.

// outerProducts are the factors of a sum of outer products:
//
//	sums[row][lane] += left[row, i] right[i][lane]   for i from 0 to count-1
//
// Strides are in bytes.
type outerProducts struct {
	left              *float32
	leftRow, leftStep uintptr // between two rows, and from one i to the next
	right             *float32
	rightStep         uintptr // from one i to the next
	count             int
}

// hasFewRegisters is whether the sums of two rows, and no more, fit into the processor's registers.
const hasFewRegisters = runtime.GOARCH == "amd64" || runtime.GOARCH == "386"

// addTo adds the products to the sums of four rows.
func (p outerProducts) addTo(sums *[4]quad) {
	if hasFewRegisters {
		p.addToTwo((*[2]quad)(sums[:2]))
		p.left = moved(p.left, 2*p.leftRow)
		p.addToTwo((*[2]quad)(sums[2:]))
	} else {
		p.addToFour(sums)
	}
}

// addToTwo keeps eight sums in registers. Two products at a time: the compiler moves the additions
// of the last one to the end of the loop, where eight more products don't fit into registers.
func (p outerProducts) addToTwo(sums *[2]quad) {
	a0, a1, a2, a3 := sums[0][0], sums[0][1], sums[0][2], sums[0][3]
	b0, b1, b2, b3 := sums[1][0], sums[1][1], sums[1][2], sums[1][3]
	second := moved(p.left, p.leftRow)
	var at, rightAt uintptr
	for range p.count / 2 {
		a, b, right := *moved(p.left, at), *moved(second, at), quadAt(p.right, rightAt)
		a0 += right[0] * a
		b0 += right[0] * b
		a1 += right[1] * a
		b1 += right[1] * b
		a2 += right[2] * a
		b2 += right[2] * b
		a3 += right[3] * a
		b3 += right[3] * b
		at += p.leftStep
		rightAt += p.rightStep
		a, b, right = *moved(p.left, at), *moved(second, at), quadAt(p.right, rightAt)
		a0 += right[0] * a
		b0 += right[0] * b
		a1 += right[1] * a
		b1 += right[1] * b
		a2 += right[2] * a
		b2 += right[2] * b
		a3 += right[3] * a
		b3 += right[3] * b
		at += p.leftStep
		rightAt += p.rightStep
	}
	if p.count%2 > 0 {
		a, b, right := *moved(p.left, at), *moved(second, at), quadAt(p.right, rightAt)
		a0 += right[0] * a
		b0 += right[0] * b
		a1 += right[1] * a
		b1 += right[1] * b
		a2 += right[2] * a
		b2 += right[2] * b
		a3 += right[3] * a
		b3 += right[3] * b
	}
	sums[0], sums[1] = quad{a0, a1, a2, a3}, quad{b0, b1, b2, b3}
}

// addToFour keeps sixteen sums in registers.
func (p outerProducts) addToFour(sums *[4]quad) {
	a0, a1, a2, a3 := sums[0][0], sums[0][1], sums[0][2], sums[0][3]
	b0, b1, b2, b3 := sums[1][0], sums[1][1], sums[1][2], sums[1][3]
	c0, c1, c2, c3 := sums[2][0], sums[2][1], sums[2][2], sums[2][3]
	d0, d1, d2, d3 := sums[3][0], sums[3][1], sums[3][2], sums[3][3]
	second, third, fourth := moved(p.left, p.leftRow), moved(p.left, 2*p.leftRow), moved(p.left, 3*p.leftRow)
	var at, rightAt uintptr
	for range p.count {
		a, b, c, d := *moved(p.left, at), *moved(second, at), *moved(third, at), *moved(fourth, at)
		right := quadAt(p.right, rightAt)
		a0 += right[0] * a
		b0 += right[0] * b
		c0 += right[0] * c
		d0 += right[0] * d
		a1 += right[1] * a
		b1 += right[1] * b
		c1 += right[1] * c
		d1 += right[1] * d
		a2 += right[2] * a
		b2 += right[2] * b
		c2 += right[2] * c
		d2 += right[2] * d
		a3 += right[3] * a
		b3 += right[3] * b
		c3 += right[3] * c
		d3 += right[3] * d
		at += p.leftStep
		rightAt += p.rightStep
	}
	sums[0], sums[1] = quad{a0, a1, a2, a3}, quad{b0, b1, b2, b3}
	sums[2], sums[3] = quad{c0, c1, c2, c3}, quad{d0, d1, d2, d3}
}
