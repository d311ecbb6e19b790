package npy

import "math"

// Half is a floating-point number of IEEE 754 in 16 bits: a sign, 5 bits of exponent and 10 of
// fraction.
type Half uint16

// Float32 returns the number exactly.
func (h Half) Float32() float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // subnormal
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
