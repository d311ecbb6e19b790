package shapes10

import (
	"bytes"
	"math"
	"testing"
)

// The bright edition is bright enough for every corruption to be seen, at least as colourful as the
// first, and few of its values are clipped.
func TestEditionsBrightness(t *testing.T) {
	for _, test := range []struct {
		edition                       *Edition
		darkest, brightest, colourful float64
	}{
		{&First, 67, 71, 33},
		{&Bright, 125, 129, 48},
	} {
		luma, chroma, clipped := look(drawnOf(t, test.edition, 0, 2, Train, 1000).pixels)
		if luma < test.darkest || luma > test.brightest {
			t.Errorf("%s: mean luma %.1f, want %g to %g", test.edition.Name, luma, test.darkest, test.brightest)
		}
		if chroma < test.colourful {
			t.Errorf("%s: mean chroma %.1f, want at least %g", test.edition.Name, chroma, test.colourful)
		}
		if clipped > 0.02 {
			t.Errorf("%s: %.1f %% of the values are clipped, want at most 2 %%", test.edition.Name, 100*clipped)
		}
	}
}

// look returns the mean luma (BT.601) and the mean difference of the largest and the smallest
// channel, both of 255, and the share of the values at 255.
func look(pixels []uint8) (luma, chroma, clipped float64) {
	for i := 0; i < len(pixels); i += channels {
		r, g, b := float64(pixels[i]), float64(pixels[i+1]), float64(pixels[i+2])
		luma += 0.299*r + 0.587*g + 0.114*b
		chroma += max(r, g, b) - min(r, g, b)
		for _, value := range pixels[i : i+channels] {
			if value == math.MaxUint8 {
				clipped++
			}
		}
	}
	count := float64(len(pixels) / channels)
	return luma / count, chroma / count, clipped / (count * channels)
}

// All editions show the same classes in the same order, in other pixels.
func TestEditionsDrawTheSameScenes(t *testing.T) {
	first, bright := drawnOf(t, &First, 4, 2, Test, 50), drawnOf(t, &Bright, 4, 2, Test, 50)
	if !bytes.Equal(first.labels, bright.labels) {
		t.Errorf("labels differ: %v and %v", first.labels, bright.labels)
	}
	for i := range first.labels {
		if bytes.Equal(first.image(i), bright.image(i)) {
			t.Errorf("image %d is the same in both editions", i)
		}
	}
}
