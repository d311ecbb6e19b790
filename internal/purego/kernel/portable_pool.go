package kernel

// portablePool writes the largest of the four pixels of windows that follow each other in two rows
// of pixels of a number of vectors of eight. A NaN among them wins.
func portablePool(output, top, bottom *float32, vectors, windows int) {
	length := vectors * rowLanes
	for window := range windows {
		at := uintptr(2 * window * length * numberBytes)
		above, below := numbersAt(top, at, 2*length), numbersAt(bottom, at, 2*length)
		to := numbersAt(output, at/2, length)
		for i := range to {
			to[i] = max(above[i], above[length+i], below[i], below[length+i])
		}
	}
}

// portablePoolGradient writes the gradient of windows of four pixels to the first of the largest,
// and zeros to the others. The windows follow each other in two rows of pixels of a number of
// vectors of eight. The outputs may be the inputs.
func portablePoolGradient(outputTop, outputBottom, gradient, top, bottom *float32, vectors, windows int) {
	length := vectors * rowLanes
	for window := range windows {
		at := uintptr(2 * window * length * numberBytes)
		above, below := numbersAt(top, at, 2*length), numbersAt(bottom, at, 2*length)
		toAbove, toBelow := numbersAt(outputTop, at, 2*length), numbersAt(outputBottom, at, 2*length)
		for i, slope := range numbersAt(gradient, at/2, length) {
			pixels := [4]float32{above[i], above[length+i], below[i], below[length+i]}
			largest := max(pixels[0], pixels[1], pixels[2], pixels[3])
			var slopes [4]float32
			for j, pixel := range pixels {
				if pixel == largest {
					slopes[j] = slope
					break
				}
			}
			toAbove[i], toAbove[length+i], toBelow[i], toBelow[length+i] = slopes[0], slopes[1], slopes[2], slopes[3]
		}
	}
}
