package corrupt

import (
	"math"

	"github.com/nbbnn/workbench/internal/random"
)

// frostStyle describes a texture of our own with the size, colours and correlations of one of the
// reference's (CORRUPT.md E).
type frostStyle struct {
	height, width   int // at full scale
	mean, deviation [3]float64
	shared          float64    // correlation of the channels
	skew            float64    // above zero: few bright crystals on a dark ground
	shares          [5]float64 // of the variance, for each of frostCells
	rim             float64    // share of the brightening towards the edges
}

// frostCells are the sizes of the details in pixels at full scale.
var frostCells = [5]float64{1.5, 5, 15, 60, 240}

// frostCrystals is the octave that is folded into ridges.
const frostCrystals = 2

// frostStyles has one entry for each file of the reference: the second and the third one are equal
// there.
var frostStyles = [5]frostStyle{
	{600, 900, [3]float64{78, 149, 166}, [3]float64{27, 17, 15}, .57, .12,
		[5]float64{.14, .14, .1, .26, .36}, 0},
	icyStyle,
	icyStyle,
	{350, 527, [3]float64{138, 153, 165}, [3]float64{29, 29, 30}, 1, .1,
		[5]float64{.25, .25, .1, .14, .21}, .05},
	{495, 660, [3]float64{112, 123, 135}, [3]float64{44, 43, 42}, 1, .15,
		[5]float64{.2, .2, .18, .07, .1}, .25},
}

var icyStyle = frostStyle{
	315, 560, [3]float64{201, 205, 215}, [3]float64{21, 22, 23}, 1, -.12,
	[5]float64{.19, .19, .1, .12, .25}, .15,
}

// makeTextures synthesises five textures at the given scale. They are the same in every run.
func makeTextures(factor float64) []*texture {
	textures := make([]*texture, len(frostStyles))
	for i, style := range frostStyles {
		if i > 0 && style == frostStyles[i-1] {
			textures[i] = textures[i-1]
			continue
		}
		textures[i] = style.texture(factor, uint64(i))
	}
	return textures
}

func (s frostStyle) texture(factor float64, number uint64) *texture {
	size := Size{max(1, roundEven(float64(s.height)*factor)),
		max(1, roundEven(float64(s.width)*factor))}
	t := &texture{size.Height, size.Width, make([]uint8, size.Values())}
	common := s.field(size, factor, number, 0)
	for channel := range 3 {
		field := common
		if s.shared < 1 {
			field = mixed(common, s.field(size, factor, number, uint64(1+channel)), s.shared)
		}
		for i, z := range field {
			t.pixels[3*i+channel] = uint8(
				max(0, min(s.mean[channel]+float64(s.deviation[channel]*z), 255)))
		}
	}
	return t
}

// field sums the octaves and returns a field of mean 0 and standard deviation 1.
func (s frostStyle) field(size Size, factor float64, counters ...uint64) []float64 {
	sum := rim(size)
	addScaled(sum, math.Sqrt(s.rim)-1, sum)
	for octave, share := range s.shares {
		cell := max(1, frostCells[octave]*factor)
		addScaled(sum, math.Sqrt(share), frostOctave(size, cell, octave, counters))
	}
	standardise(sum)
	for i, z := range sum {
		sum[i] = z + float64(s.skew*z*z)
	}
	standardise(sum)
	return sum
}

// frostOctave is noise with details of one size.
func frostOctave(size Size, cell float64, octave int, counters []uint64) []float64 {
	noise := valueNoise(size, cell, append([]uint64{uint64(octave)}, counters...))
	if octave == frostCrystals {
		for i, z := range noise {
			noise[i] = -math.Abs(z)
		}
	}
	standardise(noise)
	return noise
}

// valueNoise interpolates random numbers on a grid of square cells.
func valueNoise(size Size, cell float64, counters []uint64) []float64 {
	rng := random.New(0, random.FrostTexture, counters...)
	columns := int(float64(size.Width)/cell) + 2
	grid := make([]float64, columns*(int(float64(size.Height)/cell)+2))
	for i := range grid {
		grid[i] = uniform(rng.Float64(), -1, 1)
	}
	noise := make([]float64, 0, size.Height*size.Width)
	for y := range size.Height {
		row, down := smoothStep(float64(y) / cell)
		for x := range size.Width {
			column, right := smoothStep(float64(x) / cell)
			corner := grid[row*columns+column:]
			upper := corner[0] + float64((corner[1]-corner[0])*right)
			lower := corner[columns] + float64((corner[columns+1]-corner[columns])*right)
			noise = append(noise, upper+float64((lower-upper)*down))
		}
	}
	return noise
}

// smoothStep splits a position into its cell and an eased fraction.
func smoothStep(position float64) (cell int, eased float64) {
	fraction := position - math.Floor(position)
	return int(position), fraction * fraction * (3 - float64(2*fraction))
}

// rim is bright at the edges and dark in the middle, standardised.
func rim(size Size) []float64 {
	field := make([]float64, 0, size.Height*size.Width)
	for y := range size.Height {
		for x := range size.Width {
			fromEdge := min(y, x, size.Height-1-y, size.Width-1-x)
			field = append(field, -min(float64(fromEdge)/float64(size.Height), .3))
		}
	}
	standardise(field)
	return field
}

func addScaled(sum []float64, factor float64, values []float64) {
	for i, v := range values {
		sum[i] += float64(factor * v)
	}
}

// mixed returns a field that correlates with a as given and is otherwise made of b.
func mixed(a, b []float64, correlation float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = float64(math.Sqrt(correlation)*a[i]) + float64(math.Sqrt(1-correlation)*b[i])
	}
	return out
}

// standardise shifts and scales values to mean 0 and standard deviation 1.
func standardise(values []float64) {
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
		squares += float64(v * v)
	}
	mean := sum / float64(len(values))
	deviation := math.Sqrt(max(squares/float64(len(values))-float64(mean*mean), 1e-12))
	for i, v := range values {
		values[i] = (v - mean) / deviation
	}
}
