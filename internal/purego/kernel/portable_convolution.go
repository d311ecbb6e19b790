package kernel

import "runtime"

// portablePixels is the number of pixels of a tile.
const portablePixels = 4

// portableConvolution returns the micro-kernel of a convolution. It computes tiles of
// portablePixels pixels by a number of vectors of output channels, one after another. Each output
// is the sum over the taps (byte offsets from the pixel) and the input channels of input times
// weights [tap][channel][vectors][lanes]. It begins with the vectors at start or, if that is nil,
// with what output holds; then it's multiplied by scale, unless that is nil, and replaced by zero
// if it's negative and rectify isn't 0. Strides are in bytes.
func portableConvolution(vectors int) convolutionTile {
	width := uintptr(vectors * quadLanes * numberBytes)
	return func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, channels int,
		weights, start, scale *float32, rectify int, output *float32, outputStride uintptr,
		tiles int) {
		products := outerProducts{leftRow: pixelStride, leftStep: numberBytes, rightStep: width}
		offsets := offsetsAt(taps, tapCount)
		for tile := range uintptr(tiles) {
			for lanes := uintptr(0); lanes < width; lanes += quadLanes * numberBytes {
				outputs := quadRows{moved(output, tile*portablePixels*outputStride+lanes),
					outputStride}
				var sums [portablePixels]quad
				if start == nil {
					outputs.load(&sums)
				} else {
					value := *quadAt(start, lanes)
					sums = [portablePixels]quad{value, value, value, value}
				}
				for tap := 0; tap < tapCount; {
					run := adjacent(offsets[tap:], channels)
					products.left = moved(input, tile*portablePixels*pixelStride+offsets[tap])
					products.right = moved(weights, uintptr(tap*channels)*width+lanes)
					products.count = run * channels
					products.addTo(&sums)
					tap += run
				}
				if scale != nil {
					scaleQuads(&sums, quadAt(scale, lanes))
				}
				if rectify != 0 {
					rectifyQuads(&sums)
				}
				outputs.store(&sums)
			}
		}
	}
}

// adjacent returns the count of first taps that are adjacent in memory: their channels are summed
// like one pixel's.
func adjacent(taps []uintptr, channels int) int {
	count := 1
	for count < len(taps) && taps[count] == taps[0]+uintptr(count*channels*numberBytes) {
		count++
	}
	return count
}

// portableKernelGradient returns the tile of a kernel's gradient. It adds to output, for each tap
// and for quadLanes input channels by vectors of output channels, the sum over rows times
// columns pixels of input, displaced by the tap, times gradient. input is a panel of quadLanes
// channels a pixel, taps are byte offsets in it; the gradient's pixels follow each other over all
// rows. Strides are in bytes.
func portableKernelGradient(vectors int) kernelGradientTile {
	width := uintptr(vectors * quadLanes * numberBytes)
	return func(input *float32, inputRowStride, inputPixelStride uintptr, gradient *float32,
		gradientStride uintptr,
		rows, columns int, taps *uintptr, tapCount int, output *float32, outputStride,
		outputTapStride uintptr) {
		products := outerProducts{leftRow: numberBytes, leftStep: inputPixelStride,
			rightStep: gradientStride, count: columns}
		for tap, offset := range offsetsAt(taps, tapCount) {
			for lanes := uintptr(0); lanes < width; lanes += quadLanes * numberBytes {
				outputs := quadRows{moved(output, uintptr(tap)*outputTapStride+lanes), outputStride}
				var sums [quadLanes]quad
				outputs.load(&sums)
				for row := range uintptr(rows) {
					products.left = moved(input, row*inputRowStride+offset)
					products.right = moved(gradient, row*uintptr(columns)*gradientStride+lanes)
					products.addTo(&sums)
				}
				outputs.store(&sums)
			}
		}
	}
}

// quadRows is four quads, stride bytes apart.
type quadRows struct {
	first  *float32
	stride uintptr
}

func (r quadRows) load(values *[4]quad) {
	for row := range values {
		values[row] = *quadAt(r.first, uintptr(row)*r.stride)
	}
}

func (r quadRows) store(values *[4]quad) {
	for row := range values {
		*quadAt(r.first, uintptr(row)*r.stride) = values[row]
	}
}

func scaleQuads(values *[4]quad, scale *quad) {
	for row := range values {
		for lane := range scale {
			values[row][lane] *= scale[lane]
		}
	}
}

// rectifyQuads replaces negative values by zero; a NaN stays.
func rectifyQuads(values *[4]quad) {
	for row := range values {
		for lane := range values[row] {
			values[row][lane] = max(values[row][lane], 0)
		}
	}
}

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
	second, third, fourth := moved(p.left, p.leftRow), moved(p.left, 2*p.leftRow),
		moved(p.left, 3*p.leftRow)
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
