package kernel

// portablePixels is the number of pixels of a tile.
const portablePixels = 4

// portableConvolution returns the micro-kernel of a convolution. It computes tiles of portablePixels
// pixels by a number of vectors of output channels, one after another. Each output is the sum over
// the taps (byte offsets from the pixel) and the input channels of input times weights
// [tap][channel][vectors][lanes]. It begins with the vectors at start or, if that is nil, with what
// output holds; then it's multiplied by scale, unless that is nil, and replaced by zero if it's
// negative and rectify isn't 0. Strides are in bytes.
func portableConvolution(vectors int) convolutionTile {
	width := uintptr(vectors * quadLanes * numberBytes)
	return func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, channels int,
		weights, start, scale *float32, rectify int, output *float32, outputStride uintptr, tiles int) {
		products := outerProducts{leftRow: pixelStride, leftStep: numberBytes, rightStep: width}
		offsets := offsetsAt(taps, tapCount)
		for tile := range uintptr(tiles) {
			for lanes := uintptr(0); lanes < width; lanes += quadLanes * numberBytes {
				outputs := quadRows{moved(output, tile*portablePixels*outputStride+lanes), outputStride}
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

// adjacent returns how many of the first taps lie next to each other in memory: their channels are
// summed as if they were one pixel's.
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
	return func(input *float32, inputRowStride, inputPixelStride uintptr, gradient *float32, gradientStride uintptr,
		rows, columns int, taps *uintptr, tapCount int, output *float32, outputStride, outputTapStride uintptr) {
		products := outerProducts{leftRow: numberBytes, leftStep: inputPixelStride, rightStep: gradientStride, count: columns}
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
