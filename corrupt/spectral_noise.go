package corrupt

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
)

// spectralNoise returns a random field [height, width] with standard deviation 1 whose amplitude at
// each frequency is given. Frequencies are in cycles over the longer side. The field is the real
// part of the inverse Fourier transform of amplitudes with the given phases, see phases.
func spectralNoise(size Size, amplitude func(frequency float64) float64,
	phases []float64) []float64 {
	height, width := size.Height, size.Width
	across, down := fourier.NewCmplxFFT(width), fourier.NewCmplxFFT(height)
	rows, spectrum := make([][]complex128, height), make([]complex128, width)
	for y := range height {
		for x := range width {
			fy, fx := size.frequency(y, height), size.frequency(x, width)
			sine, cosine := math.Sincos(phases[phaseIndex(size, y, x)])
			scale := amplitude(math.Hypot(fy, fx))
			spectrum[across.ShiftIdx(x)] = complex(scale*cosine, scale*sine)
		}
		rows[y] = across.Sequence(nil, spectrum)
	}
	field, column := make([]float64, height*width), make([]complex128, height)
	for x := range width {
		for y := range height {
			column[down.ShiftIdx(y)] = rows[y][x]
		}
		for y, value := range down.Sequence(nil, column) {
			field[y*width+x] = real(value)
		}
	}
	return standardised(field)
}

// frequency returns the frequency of an index: 0 in the middle, in cycles over the longer side.
func (s Size) frequency(index, length int) float64 {
	return float64(index-length/2) * s.longerSide() / float64(length)
}

// phaseCount returns the number of phases of a field.
func phaseCount(size Size) int { return size.Height*(size.Width/2) + size.Height*(size.Width%2) }

// phases draws the phases of a field.
func phases(rng *rand.Rand, size Size) []float64 {
	return uniforms(rng, phaseCount(size), 0, 2*math.Pi)
}

// phaseIndex returns which phase a frequency has: the left half's are drawn, the right half is the
// left one turned by 180 degrees, as published. An odd width has a middle column of its own.
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
