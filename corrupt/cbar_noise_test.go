package corrupt

import (
	"fmt"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/random"
)

// lowShare returns the share of a field's power at frequencies up to a limit, without frequency 0.
func lowShare(size Size, field []float64, limit float64) float64 {
	low, all := 0., 0.
	for ky := range size.Height {
		for kx := range size.Width {
			fy, fx := size.frequency(ky, size.Height), size.frequency(kx, size.Width)
			if fy == 0 && fx == 0 {
				continue
			}
			re, im := 0., 0.
			for i, v := range field {
				turn := fy*float64(i/size.Width)/size.longerSide() + fx*float64(i%size.Width)/size.longerSide()
				sine, cosine := math.Sincos(-2 * math.Pi * turn)
				re, im = re+v*cosine, im+v*sine
			}
			power := re*re + im*im
			all += power
			if math.Hypot(fy, fx) <= limit {
				low += power
			}
		}
	}
	return low / all
}

// A field's power has the shape of its squared amplitudes: blue noise has little at low
// frequencies, brownish noise has most of it there.
func TestSpectraOfNoise(t *testing.T) {
	tests := []struct {
		name      string
		amplitude func(float64) float64
		low, high float64 // bounds of the expected share, to state what the names mean
	}{
		{"blue", func(f float64) float64 { return f }, 0, .02}, {"brownish", brownishAmplitude, .7, 1},
	}
	for _, size := range []Size{{16, 16}, {15, 17}, {12, 20}} {
		for _, test := range tests {
			limit := size.longerSide() / 8
			want := expectedShare(size, test.amplitude, limit)
			if want < test.low || want > test.high {
				t.Errorf("%s noise at %v: expected share %v of low frequencies, want %v to %v", test.name, size, want, test.low, test.high)
			}
			got := 0.
			for seed := range uint64(30) {
				rng := random.New(seed, "test")
				got += lowShare(size, spectralNoise(size, test.amplitude, phases(rng, size)), limit) / 30
			}
			near(t, fmt.Sprint(test.name, size), got, want, .15*min(want, 1-want)+.002)
		}
	}
}

// expectedShare is the share of the squared amplitudes up to a frequency.
func expectedShare(size Size, amplitude func(float64) float64, limit float64) float64 {
	low, all := 0., 0.
	for ky := range size.Height {
		for kx := range size.Width {
			frequency := math.Hypot(size.frequency(ky, size.Height), size.frequency(kx, size.Width))
			if frequency == 0 {
				continue
			}
			power := amplitude(frequency) * amplitude(frequency)
			all += power
			if frequency <= limit {
				low += power
			}
		}
	}
	return low / all
}

func TestSpectralNoiseHasStandardDeviationOne(t *testing.T) {
	for _, size := range []Size{{32, 32}, {5, 8}} {
		field := spectralNoise(size, brownishAmplitude, phases(random.New(1, "test"), size))
		mean, square := 0., 0.
		for _, v := range field {
			mean += v / float64(len(field))
			square += v * v / float64(len(field))
		}
		near(t, size.String(), math.Sqrt(square-mean*mean), 1, 1e-9)
	}
}

// A single frequency with a known phase gives a cosine.
func TestSpectralNoiseOfOneFrequency(t *testing.T) {
	size := Size{8, 8}
	angles := make([]float64, phaseCount(size))
	only := func(f float64) float64 { return map[bool]float64{true: 1}[math.Abs(f-1) < 1e-9] }
	field := spectralNoise(size, only, angles) // cos y + cos x, each from two frequencies
	for i, v := range field {
		y, x := 2*math.Pi*float64(i/8)/8, 2*math.Pi*float64(i%8)/8
		near(t, fmt.Sprint("value ", i), v, math.Cos(y)+math.Cos(x), 1e-9)
	}
}

// The share of black pixels is that of a normal distribution below the threshold.
func TestBlueNoiseSampleShare(t *testing.T) {
	size := Size{32, 32}
	white := make([]uint8, size.Values())
	for i := range white {
		white[i] = 255
	}
	for severity := 1; severity <= 5; severity++ {
		black, out := 0., cbarApply(t, "blue_noise_sample", severity, size, white, 40)
		for i := 0; i < len(out); i += 3 {
			if out[i] == 0 && out[i+1] == 0 && out[i+2] == 0 {
				black++
			} else if out[i] != 255 || out[i+1] != 255 || out[i+2] != 255 {
				t.Fatalf("pixel %d is %v, want black or white", i/3, out[i:i+3])
			}
		}
		threshold := .3*blueNoiseSample.Severities[severity-1] - 2.5
		near(t, fmt.Sprint("severity ", severity), 3*black/float64(len(out)), .5*math.Erfc(-threshold/math.Sqrt2), .004)
	}
}

// The noise's standard deviation is the stated one, in each channel.
func TestBrownishNoiseDeviation(t *testing.T) {
	size := Size{16, 16}
	image := slope(size)
	draws := brownishNoise.Draw(random.New(1, "test"), image, 0)
	out := applied(brownishNoise, image, 2.5, draws...)
	for channel := range 3 {
		mean, square, count := 0., 0., float64(size.Height*size.Width)
		for i := channel; i < len(out.Values); i += 3 {
			change := out.Values[i] - image.Values[i]
			mean, square = mean+change/count, square+change*change/count
		}
		near(t, fmt.Sprint("channel ", channel), math.Sqrt(square-mean*mean), 16./255, 1e-9)
	}
}
