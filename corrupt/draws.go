package corrupt

import "math/rand/v2"

// draws are the random numbers of one image. Each corruption fills the fields that it names and
// leaves the others alone.
type draws struct {
	normals  []float64 // standard normal numbers
	uniforms []float64 // in 0..1
	counts   []int     // Poisson counts, one a value
	offsets  []int8    // pairs of a horizontal and a vertical distance in pixels
	angle    float64   // degrees
	texture  int       // which of the frost textures
	row      int       // where the texture's crop starts
	column   int
	custom   []float64 // of a registered corruption
}

// deterministic is the draw of corruptions without randomness.
type deterministic struct{}

func (deterministic) draw(*rand.Rand, []uint8, *draws) {}

// resize returns a slice of the wanted length, with the memory of the old one if it is large
// enough.
func resize[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

// fillUniforms draws count numbers in 0..1.
func (d *draws) fillUniforms(rng *rand.Rand, count int) {
	d.uniforms = resize(d.uniforms, count)
	for i := range d.uniforms {
		d.uniforms[i] = rng.Float64()
	}
}

// uniform maps a number in 0..1 to low..high.
func uniform(u, low, high float64) float64 { return low + float64((high-low)*float64(u)) }
