package corrupt

import (
	"math"
	"slices"
	"testing"
)

func TestGaussianWeightsEqualTheReference(t *testing.T) {
	table, weights := golden[float64](t, carriedFolder, "kernels_gaussian_table"),
		golden[float64](t, carriedFolder, "kernels_gaussian_weights").Values
	for row := range table.Shape[0] {
		entry := table.At(row).Values
		sigma, cutoff, radius := entry[0], entry[1], int(entry[2])
		tolerance := 1e-15
		if cutoff == 4 {
			tolerance = 0
		}
		got := gaussianWeights(sigma, cutoff)
		if len(got) != radius+1 {
			t.Fatalf("sigma %g: radius %d, want %d", sigma, len(got)-1, radius)
		}
		for i, w := range got {
			if want := weights[radius+i]; math.Abs(w-want) > tolerance {
				t.Errorf("sigma %g, distance %d: got %x, want %x, tolerance %g", sigma, i, w, want,
					tolerance)
			}
		}
		weights = weights[2*radius+1:]
	}
}

// TestFlatImagesLoseTheReferenceLevels checks the order of summation: the given number of the 256
// flat images become darker by one level (CORRUPT.md 0.3).
func TestFlatImagesLoseTheReferenceLevels(t *testing.T) {
	tests := []struct {
		corruption string
		lost       [5]int
	}{
		{"gaussian_blur", [5]int{56, 0, 0, 0, 8}},
		{"defocus_blur", [5]int{}},
		{"motion_blur", [5]int{}},
		{"zoom_blur", [5]int{41, 63, 71, 83, 85}},
		{"glass_blur", [5]int{0, 0, 56, 0, 56}},
		{"pixelate", [5]int{}},
		{"contrast", [5]int{121, 121, 121, 121, 121}},
	}
	size := Size{32, 32}
	for _, test := range tests {
		for i, want := range test.lost {
			lost := 0
			for level := range 256 {
				flat := make([]uint8, size.Values())
				for k := range flat {
					flat[k] = uint8(level)
				}
				out := apply(t, Config{Corruption: test.corruption, Severity: i + 1}, size, flat)
				if out[len(out)/2] < uint8(level) {
					lost++
				}
			}
			if lost != want {
				t.Errorf("%s at severity %d: %d levels get darker, want %d", test.corruption, i+1,
					lost, want)
			}
		}
	}
}

func TestDiskKernelsEqualTheReference(t *testing.T) {
	disks := []struct{ radius, alias float64 }{
		{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}, {1, .1}, {2.5, .01}, {3, .1}, {4, .5},
		{6, .5}, {8, .5},
	}
	small := golden[float32](t, carriedFolder, "kernels_disk_17")
	for i, disk := range disks {
		compareKernel(t, disk.radius, disk.alias, small.At(i).Values, 17)
	}
	compareKernel(t, 10, .5, golden[float32](t, carriedFolder, "kernels_disk_21").Values, 21)
}

// compareKernel compares a kernel with one that may have more zeros around it.
func compareKernel(t *testing.T, radius, alias float64, want []float32, wantSide int) {
	t.Helper()
	kernel, side := diskKernel(radius, alias)
	margin := (wantSide - side) / 2
	for i, w := range want {
		y, x, got := i/wantSide-margin, i%wantSide-margin, float32(0)
		if min(y, x) >= 0 && max(y, x) < side {
			got = kernel[y*side+x]
		}
		if got != w {
			t.Errorf("radius %g, row %d column %d: got %g, want %g, tolerance 0", radius, y, x, got,
				w)
		}
	}
}

func TestSpatterWithoutADropLeavesTheImage(t *testing.T) {
	size := Size{8, 8}
	c := newSpatter(setup{severity: 1, size: size})
	image, out := photograph(size, 1), make([]uint8, size.Values())
	c.apply(image, &draws{normals: make([]float64, 64)}, out)
	if !slices.Equal(out, image) {
		t.Errorf("got %v, want %v", out, image)
	}
}

func TestNearestMultipleDividesExactly(t *testing.T) {
	for step := int32(1); step <= 255; step++ {
		reciprocal := reciprocal(step)
		for coefficient := int32(0); coefficient < 1<<14; coefficient++ {
			want := (coefficient + 4*step) / (8 * step) * step
			up, down := nearestMultiple(coefficient, step, reciprocal),
				nearestMultiple(-coefficient, step, reciprocal)
			if up != want || down != -want {
				t.Fatalf("%d/8 to steps of %d: got %d and %d, want %d and its negative",
					coefficient, step, up, down, want)
			}
		}
	}
}
