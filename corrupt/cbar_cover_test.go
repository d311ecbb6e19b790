package corrupt

import (
	"fmt"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/random"
)

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
			near(t, fmt.Sprint(size, " severity ", severity), grey/float64(len(out)), float64(severity)/20, .1*float64(severity)/20)
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
	for row, want := range map[float64][]float64{4: {0, 1, 0, 0}, 4.5: {0, .5, .5, 0}, 4.25: {0, .75, .25, 0}} {
		out := applied(lines, black, 1, row, 4, 0)
		for i, covered := range want {
			near(t, fmt.Sprint("line at ", row, ", row ", 3+i), out.at(3+i, 7, 1), covered*128/255, 1e-12)
		}
	}
	across := applied(lines, black, 1, 4, 2, math.Pi/2)
	near(t, "line along a column", across.at(7, 2, 0), 128./255, 1e-12)
	near(t, "next to the line", across.at(7, 4, 0), 0, 1e-12)
	if draws := lines.Draw(random.New(1, "test"), Image{Size: Size{32, 32}}, 2.5); len(draws) != 2+3*8-2 {
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
		near(t, fmt.Sprint("soft, distance ", distance), soft.light(10+distance, 20), min(1, .75*math.Pow(16/(distance*distance+1e-4), .13)), 1e-9)
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
		t.Errorf("inverse sparkles make %v at the star and %v in the corner, want below .05 and above .7", centre, corner)
	}
}
