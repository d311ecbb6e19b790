package corrupt

import (
	"math"
	"math/rand/v2"
)

// sparkles adds five white stars, whose radius is 0.01 s of the longer side for strength s, at
// least one pixel.
var sparkles = Corruption{
	Name: "sparkles", Version: "1",
	Severities: [5]float64{.7, 3.5, 5.6, 6.3, 7},
	ByTable:    map[Table][5]float64{ImageNet: {1, 2, 3, 5, 6}},
	Draw: func(rng *rand.Rand, image Image, _ float64) (draws []float64) {
		for range 5 {
			draws = append(draws, starDraws(rng, place(rng, image.Size))...)
		}
		return draws
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		radius := levelShare(strength, .1) * image.longerSide()
		for range 5 {
			var star star
			star, draws = newStar(draws, radius, 1, 1)
			eachPixel(image.Size, out, func(y, x int, pixel []float64) {
				light := star.light(float64(y), float64(x))
				for channel, v := range pixel {
					pixel[channel] = v + light*(1-v)
				}
			})
		}
	},
}

// inverseSparkles whitens the image outside a star in its middle half. The star's radius is a
// quarter of the longer side; its light falls with the distance d as d^(-0.26 s) for strength s.
var inverseSparkles = Corruption{
	Name: "inverse_sparkles", Version: "1",
	Severities: [5]float64{1, 1.5, 2.5, 4.5, 5},
	ByTable:    map[Table][5]float64{ImageNet: {1, 2, 4, 9, 10}},
	Draw: func(rng *rand.Rand, image Image, _ float64) []float64 {
		centre := place(rng, image.Size)
		centre[0] = centre[0]/2 + float64(image.Height)/4
		centre[1] = centre[1]/2 + float64(image.Width)/4
		return starDraws(rng, centre)
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		star, _ := newStar(draws, image.longerSide()/4, 0, levelShare(strength, 65)/50)
		eachPixel(image.Size, out, func(y, x int, pixel []float64) {
			light := star.light(float64(y), float64(x))
			for channel, v := range pixel {
				pixel[channel] = 1 - light*(1-v)
			}
		})
	},
}

// star is a light with rays of random lengths.
type star struct {
	y, x     float64
	lengths  []float64 // in pixels, by direction
	exponent float64   // of the squared ratio of length and distance
}

// starDraws returns the numbers of a star at a position: it has 50 to 199 rays.
func starDraws(rng *rand.Rand, centre []float64) []float64 {
	rays := 50 + rng.IntN(150)
	draws := append(centre, float64(rays))
	for range rays {
		draws = append(draws, rng.NormFloat64())
	}
	return draws
}

// newStar makes a star from the first of the draws and returns the rest. Its rays have the given
// mean length, a standard deviation of a quarter of it, and at least the shortest length.
func newStar(draws []float64, mean, shortest, exponent float64) (star, []float64) {
	rays := int(draws[2])
	lengths := make([]float64, rays)
	for i, z := range draws[3 : 3+rays] {
		lengths[i] = mean + .25*mean*z
		if shortest > 0 {
			lengths[i] = max(shortest, lengths[i])
		}
	}
	return star{draws[0], draws[1], lengths, exponent}, draws[3+rays:]
}

// light returns how bright the star is at a position, 0 to 1.
func (s star) light(y, x float64) float64 {
	rays := len(s.lengths)
	direction := (math.Atan2(x-s.x, y-s.y) + math.Pi) / (2 * math.Pi) * float64(rays)
	ray := int(direction)
	between := direction - float64(ray)
	length := s.lengths[ray%rays] + between*(s.lengths[(ray+1)%rays]-s.lengths[ray%rays])
	distance := (y-s.y)*(y-s.y) + (x-s.x)*(x-s.x) + 1e-4
	return min(1, (1-(between-.5)*(between-.5))*math.Pow(length*length/distance, s.exponent))
}
