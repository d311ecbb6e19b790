package corrupt

import (
	"math"
	"slices"
	"testing"
)

// spatterStages compares what each severity of water makes of the golden draws with the golden
// stage of a name.
func spatterStages[T uint8 | float32](t *testing.T, stage string, tolerance float64, of func(c *spatter) []T) {
	t.Helper()
	eachVariant(t, goldenVariants[:2], func(t *testing.T, variant goldenVariant) {
		normals := golden[float32](t, variant.folder, "draw_spatter_normal_"+variant.suffix)
		stages := golden[T](t, variant.folder, "stage_spatter_"+stage+"_"+variant.suffix)
		size := Size{normals.Shape[1], normals.Shape[2]}
		for severity := 1; severity <= 3; severity++ {
			c := newSpatter(setup{table: variant.table, severity: severity, size: size}).(*spatter)
			for image := range normals.Shape[0] {
				c.apply(make([]uint8, size.Values()), &draws{normals: widen(normals.At(image).Values)}, make([]uint8, size.Values()))
				compareStage(t, of(c), stages.At(severity-1, image).Values, tolerance)
			}
		}
	})
}

func compareStage[T uint8 | float32](t *testing.T, got, want []T, tolerance float64) {
	t.Helper()
	for i, v := range got {
		if math.Abs(float64(v)-float64(want[i])) > tolerance {
			t.Fatalf("value %d: got %v, want %v, tolerance %g", i, v, want[i], tolerance)
		}
	}
}

func TestCannyEqualsTheReference(t *testing.T) {
	spatterStages(t, "canny", 0, func(c *spatter) []uint8 {
		var edges []uint8
		for _, edge := range c.droplets.canny.edges(c.liquid) {
			if edge {
				edges = append(edges, 255)
			} else {
				edges = append(edges, 0)
			}
		}
		return edges
	})
}

func TestChamferEqualsTheReference(t *testing.T) {
	spatterStages(t, "distance", 1e-6, func(c *spatter) []float32 {
		frame := newFrame(c.size)
		c.droplets.chamfer.transform(frame, c.droplets.canny.edges(c.liquid))
		var distances []float32
		for y := range c.size.Height {
			for _, distance := range frame.row(y)[1 : c.size.Width+1] {
				distances = append(distances, float32(distance)*0x1p-16)
			}
		}
		return distances
	})
}

func TestHeightEqualsTheReference(t *testing.T) {
	spatterStages(t, "equalized", 0, func(c *spatter) []uint8 {
		c.droplets.chamfer.transform(c.droplets.frame, c.droplets.canny.edges(c.liquid))
		c.droplets.fillHeight()
		return c.droplets.shades
	})
}

func TestReliefEqualsTheReference(t *testing.T) {
	spatterStages(t, "filtered", 0, func(c *spatter) []uint8 {
		c.droplets.chamfer.transform(c.droplets.frame, c.droplets.canny.edges(c.liquid))
		c.droplets.fillHeight()
		c.droplets.fillRelief()
		return c.droplets.shades
	})
}

func TestChamferDistances(t *testing.T) {
	size := Size{5, 5}
	edges := make([]bool, 25)
	edges[12] = true
	frame := newFrame(size)
	newChamfer(size).transform(frame, edges)
	want := []int{
		2 * cornerStep, knightStep, 2 * straightStep, knightStep, 2 * cornerStep,
		knightStep, cornerStep, straightStep, cornerStep, knightStep,
		2 * straightStep, straightStep, 0, straightStep, 2 * straightStep,
	}
	for i, w := range want {
		if got := frame.row(i / 5)[1+i%5]; got != w {
			t.Errorf("row %d column %d: got %d, want %d", i/5, i%5, got, w)
		}
		if got := frame.row(4 - i/5)[1+i%5]; got != w {
			t.Errorf("row %d column %d: got %d, want %d", 4-i/5, i%5, got, w)
		}
	}
}

func TestEqualiseHistogram(t *testing.T) {
	tests := []struct {
		name       string
		grey, want []uint8
	}{
		{"one level stays", []uint8{7, 7, 7}, []uint8{7, 7, 7}},
		{"two levels become the extremes", []uint8{100, 101, 100}, []uint8{0, 255, 0}},
		{"levels by their ranks", []uint8{0, 1, 2, 3, 250}, []uint8{0, 64, 128, 191, 255}},
	}
	for _, test := range tests {
		grey := slices.Clone(test.grey)
		if equaliseHistogram(grey); !slices.Equal(grey, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, grey, test.want)
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
