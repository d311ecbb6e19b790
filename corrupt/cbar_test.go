package corrupt

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/internal/testkit"
)

// cbarApply corrupts copies of one image, each with draws of its own.
func cbarApply(t *testing.T, name string, severity int, size Size, image []uint8,
	copies int) []uint8 {
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

// Every size works, and the number of cores makes no difference.
func TestCbarSizes(t *testing.T) {
	for _, size := range []Size{{1, 1}, {1, 2}, {2, 3}, {7, 4}, {33, 17}, {64, 40}, {130, 9}} {
		images := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3))
		for _, corruption := range cbar {
			config := Config{Corruption: corruption.Name, Severity: 5, Table: TableFor(size)}
			onCores(t, 1)
			one, err := Apply(t.Context(), config, size, images)
			if err != nil {
				t.Fatalf("%s at %v: %v", corruption.Name, size, err)
			}
			onCores(t, 3)
			if three, err := Apply(t.Context(), config, size, images); err != nil ||
				!slices.Equal(one, three) {
				t.Errorf("%s at %v: three cores make other images than one (%v)", corruption.Name,
					size, err)
			}
		}
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
			pixel[channel] = .2 + .3*float64(y)/float64(size.Height) +
				.3*float64(x)/float64(size.Width)
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
		{1, 2, image.at(1, 2, 0)}, {1.5, 2.25, .2 + .3*1.5/4 + .3*2.25/5},
		{-.5, 2, image.at(0, 2, 0) / 2}, {3.25, 4.5, image.at(3, 4, 0) * .75 * .5},
		{-1, 2, 0}, {2, 5, 0},
	} {
		image.bilinear(pixel, test.y, test.x)
		near(t, fmt.Sprint(test), pixel[1], test.want, 1e-12)
	}
}

// Grey squares cover half of the stated share of the squares.
func TestCheckerboardCutoutShare(t *testing.T) {
	for _, size := range []Size{{32, 32}, {24, 40}} {
		image := make([]uint8, size.Values())
		for severity := 1; severity <= 5; severity++ {
			grey, out := 0., cbarApply(t, "checkerboard_cutout", severity, size, image, 400)
			for _, v := range out {
				switch v {
				case 128:
					grey++
				case 0:
				default:
					t.Fatalf("got value %d, want 0 or 128", v)
				}
			}
			near(t, fmt.Sprint(size, " severity ", severity), grey/float64(len(out)),
				float64(severity)/20, .1*float64(severity)/20)
		}
	}
}

// An unturned board with all squares cut is a checkerboard.
func TestCheckerboardCutoutOfAllSquares(t *testing.T) {
	size := Size{8, 8}
	reach := checkerboardReach(size, 2)
	draws := make([]float64, 2+4*reach*reach)
	draws[1] = 2
	out := applied(checkerboardCutout, Image{size, make([]float64, size.Values())}, 10, draws...)
	eachPixel(size, out.Values, func(y, x int, pixel []float64) {
		want := 128. / 255 * float64((y/2+x/2+1)%2)
		near(t, fmt.Sprint(y, x), pixel[2], want, 0)
	})
}

// A line along a row covers it, and half of both rows if it runs between them.
func TestLinesCoverage(t *testing.T) {
	size := Size{9, 9}
	black := Image{size, make([]float64, size.Values())}
	for row, want := range map[float64][]float64{4: {0, 1, 0, 0}, 4.5: {0, .5, .5, 0},
		4.25: {0, .75, .25, 0}} {
		out := applied(lines, black, 1, row, 4, 0)
		for i, covered := range want {
			near(t, fmt.Sprint("line at ", row, ", row ", 3+i), out.at(3+i, 7, 1), covered*128/255,
				1e-12)
		}
	}
	across := applied(lines, black, 1, 4, 2, math.Pi/2)
	near(t, "line along a column", across.at(7, 2, 0), 128./255, 1e-12)
	near(t, "next to the line", across.at(7, 4, 0), 0, 1e-12)
	if draws := lines.Draw(random.New(1, "test"), Image{Size: Size{32, 32}}, 2.5); len(draws) != 2+
		3*8-2 {
		t.Errorf("got %d numbers at severity 5, want three for each of 8 lines", len(draws))
	}
}

// With rays of equal length the light depends on the distance and on the place between two rays.
func TestStarLight(t *testing.T) {
	draws := make([]float64, 3+100)
	draws[0], draws[1], draws[2] = 10, 20, 100
	sharp, rest := newStar(draws, 4, 1, 1)
	soft, _ := newStar(draws, 4, 1, .13)
	if len(rest) != 0 {
		t.Errorf("%d draws are left, want none", len(rest))
	}
	for _, distance := range []float64{1, 4, 8} {
		// at angle 0 the position is on ray 50, where the light is 3/4 of that in the middle
		want := .75 * 16 / (distance*distance + 1e-4)
		near(t, fmt.Sprint("distance ", distance), sharp.light(10+distance, 20), min(1, want), 1e-9)
		near(t, fmt.Sprint("soft, distance ", distance), soft.light(10+distance, 20),
			min(1, .75*math.Pow(16/(distance*distance+1e-4), .13)), 1e-9)
	}
	near(t, "centre", sharp.light(10, 20), 1, 0)
}

// Sparkles only lighten, inverse sparkles too: one near its stars, the other away from its star.
func TestSparklesLighten(t *testing.T) {
	size := Size{32, 32}
	image := photograph(size, 2)
	for _, name := range []string{"sparkles", "inverse_sparkles"} {
		for i, v := range cbarApply(t, name, 5, size, image, 20) {
			if before := image[i%len(image)]; int(v) < int(before)-1 {
				t.Fatalf("%s makes value %d of %d: want no less", name, v, before)
			}
		}
	}
	star := starDraws(random.New(1, "test"), []float64{16, 16})
	out := applied(inverseSparkles, Image{size, make([]float64, size.Values())}, 10, star...)
	if centre, corner := out.at(16, 16, 0), out.at(0, 0, 0); centre > .05 || corner < .7 {
		t.Errorf("inverse sparkles make %v at the star and %v in the corner, want below .05 and "+
			"above .7", centre, corner)
	}
}
