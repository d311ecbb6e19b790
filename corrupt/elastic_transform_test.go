package corrupt

import (
	"math"
	"slices"
	"testing"
)

func TestTriangleMapMovesItsCorners(t *testing.T) {
	to := [3][2]float64{{30, 28}, {29, 3}, {5, 2}}
	a := triangleMap([2]float64{16, 16}, 10, to)
	for i, from := range [3][2]float64{{26, 26}, {26, 6}, {6, 6}} {
		x, y := a[0]*from[0]+a[1]*from[1]+a[2], a[3]*from[0]+a[4]*from[1]+a[5]
		if math.Abs(x-to[i][0])+math.Abs(y-to[i][1]) > 1e-12 {
			t.Errorf("corner %d: got (%g, %g), want %v, tolerance 1e-12", i, x, y, to[i])
		}
		back := a.inverse()
		u, v := back[0]*x+back[1]*y+back[2], back[3]*x+back[4]*y+back[5]
		if math.Abs(u-from[0])+math.Abs(v-from[1]) > 1e-12 {
			t.Errorf("corner %d and back: got (%g, %g), want %v, tolerance 1e-12", i, u, v, from)
		}
	}
}

// ramp is an image whose red values count the pixels.
func ramp(size Size) []float32 {
	image := make([]float32, size.Values())
	for i := range size.Height * size.Width {
		image[3*i] = float32(i)
	}
	return image
}

func TestWarpByWholePixels(t *testing.T) {
	size := Size{3, 3}
	out := make([]float32, size.Values())
	affine{1, 0, 1, 0, 1, 0}.warp(out, ramp(size), size) // one to the right; the left edge is mirrored
	for i, want := range []float32{1, 0, 1, 4, 3, 4, 7, 6, 7} {
		if out[3*i] != want {
			t.Errorf("pixel %d: got %g, want %g", i, out[3*i], want)
		}
	}
}

func TestDisplace(t *testing.T) {
	size := Size{1, 4}
	tests := []struct {
		name  string
		right float32
		want  []float32
	}{
		{"nothing", 0, []float32{0, 1, 2, 3}},
		{"half a pixel", .5, []float32{.5, 1.5, 2.5, 3}},
		{"one pixel left", -1, []float32{0, 0, 1, 2}},
		{"two pixels right", 2, []float32{2, 3, 3, 2}},
		{"a whole period", 8, []float32{0, 1, 2, 3}},
	}
	for _, test := range tests {
		out, down := make([]float32, 12), make([]float32, 4)
		displace(out, ramp(size), size, down, []float32{test.right, test.right, test.right, test.right})
		got := []float32{out[0], out[3], out[6], out[9]}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
