package corrupt

import (
	"math"
	"math/rand/v2"
)

// spectralNoise returns a random field [height, width] with standard deviation 1 whose amplitude at
// each frequency is given. Frequencies are in cycles over the longer side. The field is the real
// part of the inverse Fourier transform of amplitudes with the given phases, see phases.
func spectralNoise(size Size, amplitude func(frequency float64) float64, phases []float64) []float64 {
	height, width := size.Height, size.Width
	rows := make([]complex128, height*width) // transformed along the rows, [frequency, column]
	across, down := newTurns(width), newTurns(height)
	spectrum := make([]complex128, width)
	for y := range height {
		for x := range width {
			fy, fx := size.frequency(y, height), size.frequency(x, width)
			sine, cosine := math.Sincos(phases[phaseIndex(size, y, x)])
			scale := amplitude(math.Hypot(fy, fx))
			spectrum[x] = complex(scale*cosine, scale*sine)
		}
		for x := range width {
			rows[y*width+x] = across.sum(spectrum, 1, x)
		}
	}
	field := make([]float64, height*width)
	for y := range height {
		for x := range width {
			field[y*width+x] = real(down.sum(rows[x:], width, y))
		}
	}
	return standardised(field)
}

// frequency returns the frequency of an index: 0 in the middle, in cycles over the longer side.
func (s Size) frequency(index, length int) float64 {
	return float64(index-length/2) * s.longerSide() / float64(length)
}

// phaseCount is the number of phases of a field.
func phaseCount(size Size) int { return size.Height*(size.Width/2) + size.Height*(size.Width%2) }

// phases draws the phases of a field.
func phases(rng *rand.Rand, size Size) []float64 {
	return uniforms(rng, phaseCount(size), 0, 2*math.Pi)
}

// phaseIndex returns which phase a frequency has: those of the left half are drawn, the right half
// is the left one turned by 180 degrees, as published. An odd width has a middle column of its own.
func phaseIndex(size Size, y, x int) int {
	half := size.Width / 2
	switch {
	case x < half:
		return y*half + x
	case x >= size.Width-half:
		return (size.Height-1-y)*half + size.Width - 1 - x
	}
	return size.Height*half + y
}

// turns are the roots of unity of a length: the Fourier transform's factors.
type turns []complex128

func newTurns(length int) turns {
	factors := make(turns, length)
	for i := range factors {
		sine, cosine := math.Sincos(2 * math.Pi * float64(i) / float64(length))
		factors[i] = complex(cosine, sine)
	}
	return factors
}

// sum is one value of the inverse transform of a spectrum with frequency 0 in the middle, whose
// values are stride apart.
func (t turns) sum(spectrum []complex128, stride, position int) (total complex128) {
	length := len(t)
	turn := (length - length/2) * position % length
	for i := range length {
		total += spectrum[i*stride] * t[turn]
		if turn += position; turn >= length {
			turn -= length
		}
	}
	return total
}

// standardised divides a field by its standard deviation; a constant field becomes 0.
func standardised(field []float64) []float64 {
	mean, square := 0., 0.
	for _, v := range field {
		mean += v / float64(len(field))
	}
	for _, v := range field {
		square += (v - mean) * (v - mean) / float64(len(field))
	}
	scale := 0.
	if square > 0 {
		scale = 1 / math.Sqrt(square)
	}
	for i := range field {
		field[i] *= scale
	}
	return field
}
