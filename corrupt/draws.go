package corrupt

import (
	"math"
	"math/rand/v2"
)

// draws are the random numbers of one image. Each corruption fills only the fields that it names.
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

// Standard normal numbers by the ziggurat method of Marsaglia and Tsang in Doornik's form: the area
// under the density is cut into 256 layers of equal area, the lowest of which includes the tail.
// Each number takes 32 bits, so that one 64-bit number of the stream makes two.
const (
	zigguratLayers = 256
	zigguratTail   = 3.6541528853610088 // where the tail begins
	zigguratArea   = .00492867323399    // of a layer
)

// zigguratLayer is one layer, in units in which its half-width is 2^23.
type zigguratLayer struct {
	width float64 // half the width, divided by 2^23
	inner int32   // everything closer to the middle is under the density
}

// ziggurat holds the layers from the lowest to the top, and zigguratEdges their half-widths.
var ziggurat, zigguratEdges = newZiggurat()

func newZiggurat() (layers [zigguratLayers]zigguratLayer, edges [zigguratLayers + 1]float64) {
	density := math.Exp(-.5 * zigguratTail * zigguratTail)
	edges[0], edges[1] = zigguratArea/density, zigguratTail
	for i := 2; i < zigguratLayers; i++ {
		density += zigguratArea / edges[i-1]
		edges[i] = math.Sqrt(-2 * math.Log(density))
	}
	for i := range layers {
		layers[i] = zigguratLayer{edges[i] * 0x1p-23, int32(edges[i+1] / edges[i] * 0x1p23)}
	}
	return layers, edges
}

// fillNormals draws count standard normal numbers.
func (d *draws) fillNormals(rng *rand.Rand, count int) {
	d.normals = resize(d.normals, count+count&1)
	for i := 0; i < len(d.normals); i += 2 {
		bits := rng.Uint64()
		pair := (*[2]float64)(d.normals[i:])
		first, inside := zigguratPlace(uint32(bits))
		if !inside {
			first = normalOutside(rng, uint32(bits))
		}
		second, inside := zigguratPlace(uint32(bits >> 32))
		if !inside {
			second = normalOutside(rng, uint32(bits>>32))
		}
		pair[0], pair[1] = first, second
	}
	d.normals = d.normals[:count]
}

// zigguratPlace turns 32 random bits into a place: 8 choose the layer, 24 the place in it. inside
// reports whether the place is certainly under the density; once in a hundred times it isn't, and
// more bits are needed.
func zigguratPlace(bits uint32) (x float64, inside bool) {
	layer, place := &ziggurat[bits%zigguratLayers], int32(bits)>>8
	return float64(place) * layer.width, max(place, -place) < layer.inner
}

// normalOutside decides about the place of some bits that isn't surely under the density.
func normalOutside(rng *rand.Rand, bits uint32) float64 {
	x, _ := zigguratPlace(bits)
	layer := int(bits % zigguratLayers)
	if layer == 0 {
		return math.Copysign(normalTail(rng), x)
	}
	below := math.Exp(-.5 * (float64(zigguratEdges[layer]*zigguratEdges[layer]) - float64(x*x)))
	above := math.Exp(-.5 * (float64(zigguratEdges[layer+1]*zigguratEdges[layer+1]) - float64(x*x)))
	if below+float64((above-below)*rng.Float64()) < 1 {
		return x
	}
	bits = rng.Uint32()
	if x, inside := zigguratPlace(bits); inside {
		return x
	}
	return normalOutside(rng, bits)
}

// normalTail draws a number beyond the beginning of the tail.
func normalTail(rng *rand.Rand) float64 {
	for {
		x := -math.Log(1-rng.Float64()) / zigguratTail
		y := -math.Log(1 - rng.Float64())
		if 2*y >= float64(x*x) {
			return zigguratTail + x
		}
	}
}
