package corrupt

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
)

var regenerate = flag.Bool("regen", false, "rewrite testdata/golden from the folder of all golden files")

// TestRegenerateSubset makes the part of the golden files that the package carries: one 32x32 image, its draws, and its
// outputs at all severities. It does nothing without -regen.
func TestRegenerateSubset(t *testing.T) {
	if !*regenerate {
		t.Skip("no -regen")
	}
	saveSubset(t, "images_c32", keep[uint8](0))
	saveSubset(t, "stage_frost_resized_c32", keep[uint8]())
	for _, name := range Names() {
		saveSubset(t, name+"_c32", keep[uint8](1))
	}
	for _, name := range strings.Fields("normal impulse_u snow_normal spatter_normal elastic_u") {
		saveSubset(t, "draw_"+name+"_c32", keep[float32](0))
	}
	saveSubset(t, "draw_fog_u_c32", keep[float32]())
	saveSubset(t, "draw_shot_counts_c32", keep[uint16](1))
	saveSubset(t, "draw_frost_rowcol_c32", keep[int32](0))
	saveSubset(t, "draw_motion_angle_c32", keep[float64](0))
	saveSubset(t, "draw_snow_angle_c32", keep[float64](0))
	for _, name := range strings.Fields("canny equalized filtered") {
		saveSubset(t, "stage_spatter_"+name+"_c32", keep[uint8](1))
	}
	saveSubset(t, "stage_spatter_distance_c32", keep[float32](1))
	saveSubset(t, "stage_snow_layer_c32", keep[uint8](1))
	saveSubset(t, "stage_elastic_affine_c32", keep[float64](1))
	saveSubset(t, "kernels_disk_17", keep[float32]())
	saveSubset(t, "kernels_disk_21", keep[float32]())
	saveSubset(t, "kernels_motion", keep[float64]())
	for severity := '1'; severity <= '5'; severity++ {
		saveSubset(t, "draw_glass_offsets_c32_s"+string(severity), keep[int8]())
	}
}

// keep returns what keeps only the first entry along the given axes, of which there is at most one, 0 or 1.
func keep[T npy.Number](axes ...int) func(npy.Array[T]) npy.Array[T] {
	return func(array npy.Array[T]) npy.Array[T] {
		for _, axis := range axes {
			array = firstAlong(array, axis)
		}
		return array
	}
}

func firstAlong[T npy.Number](array npy.Array[T], axis int) npy.Array[T] {
	outer, inner := 1, 1
	for k, length := range array.Shape {
		if k < axis {
			outer *= length
		} else if k > axis {
			inner *= length
		}
	}
	out := npy.Array[T]{Shape: slices.Clone(array.Shape)}
	out.Shape[axis] = 1
	for i := range outer {
		start := i * array.Shape[axis] * inner
		out.Values = append(out.Values, array.Values[start:start+inner]...)
	}
	return out
}

func saveSubset[T npy.Number](t *testing.T, name string, keep func(npy.Array[T]) npy.Array[T]) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".npy")
	if err := npy.WriteFile(path, keep(golden[T](t, name))); err != nil {
		t.Fatal(err)
	}
}
