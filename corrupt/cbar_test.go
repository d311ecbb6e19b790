package corrupt

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// cbarApply corrupts copies of one image, each with draws of its own.
func cbarApply(t *testing.T, name string, severity int, size Size, image []uint8, copies int) []uint8 {
	t.Helper()
	config := Config{Corruption: name, Severity: severity, Seed: 1, Table: TableFor(size)}
	return testkit.Must(Apply(t.Context(), config, size, slices.Repeat(image, copies)))(t)
}

func TestCbarSuite(t *testing.T) {
	suite, err := SuiteByName("cbar10")
	if err != nil || len(suite.Corruptions) != 10 || suite.Corruptions[0] != "blue_noise_sample" {
		t.Fatalf("got %v, %v, want ten corruptions from blue_noise_sample", suite, err)
	}
	for _, name := range suite.Corruptions {
		if print, err := Fingerprint(name); len(print) != 8 || err != nil {
			t.Errorf("%s has fingerprint %q, %v, want eight digits", name, print, err)
		}
	}
}

// Every size works, and the number of workers makes no difference.
func TestCbarSizes(t *testing.T) {
	for _, size := range []Size{{1, 1}, {1, 2}, {2, 3}, {7, 4}, {33, 17}, {64, 40}, {130, 9}} {
		images := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3))
		for _, corruption := range cbar {
			config := Config{Corruption: corruption.Name, Severity: 5, Table: TableFor(size), Workers: 1}
			one, err := Apply(t.Context(), config, size, images)
			if err != nil {
				t.Fatalf("%s at %v: %v", corruption.Name, size, err)
			}
			config.Workers = 3
			if three, err := Apply(t.Context(), config, size, images); err != nil || !slices.Equal(one, three) {
				t.Errorf("%s at %v: three workers make other images than one (%v)", corruption.Name, size, err)
			}
		}
	}
}

// ImageNet-C-bar has other strengths for the five corruptions that both published sets share.
func TestCbarTables(t *testing.T) {
	var changed []string
	for _, corruption := range cbar {
		if _, found := corruption.ByTable[ImageNet]; found {
			changed = append(changed, corruption.Name)
		}
	}
	want := []string{"blue_noise_sample", "checkerboard_cutout", "inverse_sparkles", "brownish_noise", "sparkles"}
	if !slices.Equal(changed, want) {
		t.Errorf("got %v, want %v", changed, want)
	}
}

// The picture is ours, made by this package: it tells a change from before, not right from wrong.
func TestCbarRegression(t *testing.T) {
	image := golden[uint8](t, carriedFolder, "images_c32").At(0).Values
	var got []uint8
	for _, corruption := range cbar {
		for severity := 1; severity <= 5; severity++ {
			got = append(got, cbarApply(t, corruption.Name, severity, Size{32, 32}, image, 1)...)
		}
	}
	want := testkit.Must(npy.ReadFile[uint8](filepath.Join("testdata", "cbar10_ours.npy")))(t)
	different := make([]int, len(cbar)) // by more than the rounding of another processor
	for i, v := range want.Values {
		if max(v, got[i])-min(v, got[i]) > 1 {
			different[i*len(cbar)/len(got)]++
		}
	}
	for i, count := range different {
		if count > 0 {
			t.Errorf("%s: %d values differ from those before", cbar[i].Name, count)
		}
	}
}

// slope returns an image whose values grow linearly with the row and the column, 0.2 to 0.8.
func slope(size Size) Image {
	image := Image{size, make([]float64, size.Values())}
	eachPixel(size, image.Values, func(y, x int, pixel []float64) {
		for channel := range pixel {
			pixel[channel] = .2 + .3*float64(y)/float64(size.Height) + .3*float64(x)/float64(size.Width)
		}
	})
	return image
}

// applied returns what a corruption makes of an image with the given draws.
func applied(corruption Corruption, image Image, strength float64, draws ...float64) Image {
	out := slices.Clone(image.Values)
	corruption.Apply(image, strength, draws, out)
	return Image{image.Size, out}
}

var near = testkit.Near

func TestBilinearIsBlackOutside(t *testing.T) {
	image, pixel := slope(Size{4, 5}), make([]float64, 3)
	for _, test := range []struct{ y, x, want float64 }{
		{1, 2, image.at(1, 2, 0)}, {1.5, 2.25, .2 + .3*1.5/4 + .3*2.25/5}, {-.5, 2, image.at(0, 2, 0) / 2}, {3.25, 4.5, image.at(3, 4, 0) * .75 * .5},
		{-1, 2, 0}, {2, 5, 0},
	} {
		image.bilinear(pixel, test.y, test.x)
		near(t, fmt.Sprint(test), pixel[1], test.want, 1e-12)
	}
}
