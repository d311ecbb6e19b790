package corrupt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// photograph draws an image with smooth areas, edges and texture, from formulas.
func photograph(size Size, seed uint64) []uint8 {
	rng := rand.New(rand.NewPCG(seed, 0))
	phase, frequency := rng.Float64()*6, .1+.2*rng.Float64()
	pixels := make([]uint8, 0, size.Values())
	for y := range size.Height {
		for x := range size.Width {
			wave := math.Sin(phase + frequency*float64(x) + .07*float64(y))
			for channel := range 3 {
				v := 120 + 70*wave*math.Cos(phase+float64(channel)) + 12*rng.NormFloat64()
				if (x/5+y/7)%3 == channel {
					v += 40
				}
				pixels = append(pixels, uint8(max(0, min(v, 255))))
			}
		}
	}
	return pixels
}

// BenchmarkCorruption reports the time for one image at severity 3, on one core.
func BenchmarkCorruption(b *testing.B) {
	sizes := []struct {
		name  string
		table Table
		size  Size
	}{{"32px", CIFAR, Size{32, 32}}, {"64px", Tiny, Size{64, 64}}}
	for _, entry := range registry.corruptions[:benchmark] {
		for _, s := range sizes {
			b.Run(entry.name+"/"+s.name, func(b *testing.B) {
				benchmarkOne(b, entry, s.table, s.size)
			})
		}
	}
}

func benchmarkOne(b *testing.B, entry entry, table Table, size Size) {
	setup := setup{table: table, severity: 3, size: size}
	setup.textures = makeTextures(frostFactor(table, size))
	operator := entry.build(setup)
	image, out, rng := photograph(size, 1), make([]uint8, size.Values()),
		rand.New(rand.NewPCG(1, 2))
	var draws draws
	for b.Loop() {
		operator.draw(rng, image, &draws)
		operator.apply(image, &draws, out)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
