package kernel

import "math"

// The kernels of this file choose by masks of bits: branches on the signs of activations would be
// mispredicted half the time.

const (
	signBit   = 1 << 31
	bitsOfOne = 0x3f800000
	allBits   = 1<<32 - 1
)

// signOf is -1 or 1, and 0 for zeros and NaN.
func signOf(x float32) float32 {
	var nonzero uint32
	if x > 0 {
		nonzero = allBits
	}
	if x < 0 {
		nonzero = allBits
	}
	return math.Float32frombits((math.Float32bits(x)&signBit | bitsOfOne) & nonzero)
}

// whereAbove returns value if x is positive, else 0.
func whereAbove(x, value float32) float32 {
	var mask uint32
	if x > 0 {
		mask = allBits
	}
	return math.Float32frombits(math.Float32bits(value) & mask)
}

// portableMultiplySign writes gradient times the sign of activation for a number of vectors of
// eight.
func portableMultiplySign(output, gradient, activation *float32, vectors int) {
	length := vectors * rowLanes
	to, slopes, values := numbersAt(output, 0, length), numbersAt(gradient, 0, length), numbersAt(activation, 0, length)
	for i, value := range values {
		to[i] = slopes[i] * signOf(value)
	}
}
