package corrupt

import (
	"math"
	"testing"
)

func TestResizedTextureEqualsTheReference(t *testing.T) {
	for _, variant := range goldenVariants[:2] {
		t.Run(variant.suffix, func(t *testing.T) {
			source, want := golden[uint8](t, "frost_texture"), goldenTexture(t, variant)
			got := (&texture{source.Shape[0], source.Shape[1], source.Values}).resized(frostScale[variant.table].factor)
			if got.height != want.height || got.width != want.width {
				t.Fatalf("got %dx%d, want %dx%d", got.height, got.width, want.height, want.width)
			}
			for i, v := range want.pixels {
				if got.pixels[i] != v {
					t.Fatalf("value %d: got %d, want %d, tolerance 0", i, got.pixels[i], v)
				}
			}
		})
	}
}

func TestFrostOfOurOwnResemblesTheReference(t *testing.T) {
	wanted := [5]float64{29.9, 44.0, 49.2, 45.1, 44.9} // mean absolute difference (CORRUPT.md 5)
	images, histogram := golden[uint8](t, "images_c32"), golden[float32](t, "hist_frost_c32")
	size := Size{images.Shape[1], images.Shape[2]}
	for i, want := range wanted {
		config := Config{Corruption: "frost", Severity: i + 1, Seed: 3}
		means, own := ownStatistics(t, config, images.Values, size, 100)
		got := 0.0
		for _, mean := range means {
			got += mean[1] / float64(len(means))
		}
		if math.Abs(got/want-1) > .1 {
			t.Errorf("severity %d: mean absolute difference %.1f, want %.1f, tolerance 10%%", i+1, got, want)
		}
		if v := totalVariation(own, histogram.At(i).Values); v > .15 {
			t.Errorf("severity %d: total variation of the differences is %.3f, tolerance .15", i+1, v)
		}
		t.Logf("severity %d: mean %.2f (%.1f) tv %.3f", i+1, got, want, totalVariation(own, histogram.At(i).Values))
	}
}
