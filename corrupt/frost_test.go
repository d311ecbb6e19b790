package corrupt

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestResizedTextureEqualsTheReference(t *testing.T) {
	eachCompleteVariant(t, goldenVariants[:2], func(t *testing.T, variant goldenVariant) {
		source, want := golden[uint8](t, variant.folder, "frost_texture"), goldenTexture(t, variant)
		got := (&texture{source.Shape[0], source.Shape[1], source.Values}).resized(
			frostScale[variant.table].factor)
		if got.height != want.height || got.width != want.width {
			t.Fatalf("got %dx%d, want %dx%d", got.height, got.width, want.height, want.width)
		}
		if !slices.Equal(got.pixels, want.pixels) {
			t.Error("the pixels differ")
		}
	})
}

func TestReadTexturesRefusesOtherFiles(t *testing.T) {
	folder := t.TempDir()
	for _, file := range testkit.Must(sources.ByName("frost"))(t).Members {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, file.Path), []byte("no picture"),
			0o600))
	}
	_, err := readTextures(folder, .2)
	testkit.Error(t, "another file", err, "it's not the reference's file")
}

func TestTexturesOfOurOwnHaveTheSizesOfTheReference(t *testing.T) {
	for _, factor := range []float64{.2, .3, 1} {
		for i, texture := range makeTextures(factor) {
			height, width := roundEven(float64(frostStyles[i].height)*factor),
				roundEven(float64(frostStyles[i].width)*factor)
			if texture.height != height || texture.width != width ||
				len(texture.pixels) != 3*height*width {
				t.Errorf("texture %d at %g: got %dx%d, want %dx%d", i, factor, texture.height,
					texture.width, height, width)
			}
		}
	}
}

func TestFrostOfOurOwnResemblesTheReference(t *testing.T) {
	eachCompleteFolder(t, compareFrost)
}

func compareFrost(t *testing.T, folder goldenFolder) {
	wanted := [5]float64{29.9, 44.0, 49.2, 45.1, 44.9} // mean absolute difference (CORRUPT.md 5)
	images, histogram := golden[uint8](t, folder, "images_c32"),
		golden[float32](t, folder, "hist_frost_c32")
	size := Size{images.Shape[1], images.Shape[2]}
	for i, want := range wanted {
		config := Config{Corruption: "frost", Severity: i + 1, Seed: 3}
		means, own := ownStatistics(t, config, images.Values, size, 100)
		got := 0.0
		for _, mean := range means {
			got += mean[1] / float64(len(means))
		}
		if math.Abs(got/want-1) > .1 {
			t.Errorf("severity %d: mean absolute difference %.1f, want %.1f, tolerance 10%%", i+1,
				got, want)
		}
		if v := totalVariation(own, histogram.At(i).Values); v > .15 {
			t.Errorf("severity %d: total variation of the differences is %.3f, tolerance .15", i+1,
				v)
		}
	}
}
