package corrupt

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

var regenerate = flag.Bool("regen", false, "rewrite testdata/golden from the folder of all golden files, NBBNN_GOLDEN")

// TestRegenerateSubset makes the part of the golden files that the package carries: one 32x32
// image, its draws, and its outputs at all severities. It does nothing without -regen.
func TestRegenerateSubset(t *testing.T) {
	if !*regenerate {
		t.Skip("no -regen")
	}
	complete := goldenFolder(os.Getenv("NBBNN_GOLDEN"))
	if complete == "" {
		t.Fatal("set NBBNN_GOLDEN to the folder of all golden files")
	}
	saveSubset(t, complete, "images_c32", keep[uint8](0))
	saveSubset(t, complete, "stage_frost_resized_c32", keep[uint8]())
	for _, name := range Names() {
		saveSubset(t, complete, name+"_c32", keep[uint8](1))
	}
	for _, name := range strings.Fields("normal impulse_u snow_normal spatter_normal elastic_u") {
		saveSubset(t, complete, "draw_"+name+"_c32", keep[float32](0))
	}
	saveSubset(t, complete, "draw_fog_u_c32", keep[float32]())
	saveSubset(t, complete, "draw_shot_counts_c32", keep[uint16](1))
	saveSubset(t, complete, "draw_frost_rowcol_c32", keep[int32](0))
	saveSubset(t, complete, "draw_motion_angle_c32", keep[float64](0))
	saveSubset(t, complete, "draw_snow_angle_c32", keep[float64](0))
	for _, name := range strings.Fields("canny equalized filtered") {
		saveSubset(t, complete, "stage_spatter_"+name+"_c32", keep[uint8](1))
	}
	saveSubset(t, complete, "stage_spatter_distance_c32", keep[float32](1))
	saveSubset(t, complete, "stage_snow_layer_c32", keep[uint8](1))
	saveSubset(t, complete, "stage_elastic_affine_c32", keep[float64](1))
	saveSubset(t, complete, "kernels_disk_17", keep[float32]())
	saveSubset(t, complete, "kernels_disk_21", keep[float32]())
	for _, name := range strings.Fields("motion gaussian_table gaussian_weights") {
		saveSubset(t, complete, "kernels_"+name, keep[float64]())
	}
	for severity := '1'; severity <= '5'; severity++ {
		saveSubset(t, complete, "draw_glass_offsets_c32_s"+string(severity), keep[int8]())
	}
}

// keep returns what keeps only the first entry along the given axes, of which there is at most one,
// 0 or 1.
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

func saveSubset[T npy.Number](t *testing.T, complete goldenFolder, name string, keep func(npy.Array[T]) npy.Array[T]) {
	t.Helper()
	path := filepath.Join(string(carriedFolder), name+".npy")
	testkit.NoError(t, npy.WriteFile(path, keep(golden[T](t, complete, name))))
}
