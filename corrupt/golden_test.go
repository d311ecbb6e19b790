package corrupt

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
)

// goldenVariant is a set of golden images and the parameters that they were corrupted with.
type goldenVariant struct {
	suffix string // of the file names
	table  Table
	step   int // outputs hold each step-th row
}

var goldenVariants = []goldenVariant{{"c32", CIFAR, 1}, {"t64", Tiny, 1}, {"i224", ImageNet, 8}}

// eachStagedVariant runs a test for the variants that have golden stages.
func eachStagedVariant(t *testing.T, test func(t *testing.T, variant goldenVariant)) {
	for _, variant := range goldenVariants[:2] {
		t.Run(variant.suffix, func(t *testing.T) { test(t, variant) })
	}
}

// goldenDraws fills the draws of one image from golden files, for the corruptions that have any.
var goldenDraws = map[string]func(t *testing.T, variant string, severity, image int, draws *draws){
	"gaussian_noise": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, "draw_normal_"+variant).At(image).Values)
	},
	"speckle_noise": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, "draw_normal_"+variant).At(image).Values)
	},
	"impulse_noise": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, "draw_impulse_u_"+variant).At(image).Values)
	},
	"glass_blur": func(t *testing.T, variant string, severity, _ int, draws *draws) {
		draws.offsets = golden[int8](t, fmt.Sprintf("draw_glass_offsets_%s_s%d", variant, severity)).Values
	},
	"motion_blur": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.angle = golden[float64](t, "draw_motion_angle_"+variant).Values[image]
	},
	"snow": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, "draw_snow_normal_"+variant).At(image).Values)
		draws.angle = golden[float64](t, "draw_snow_angle_"+variant).Values[image]
	},
	"elastic_transform": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, "draw_elastic_u_"+variant).At(image).Values)
	},
	"spatter": func(t *testing.T, variant string, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, "draw_spatter_normal_"+variant).At(image).Values)
	},
	"frost": func(t *testing.T, variant string, _, image int, draws *draws) {
		origin := golden[int32](t, "draw_frost_rowcol_"+variant).At(image).Values
		draws.row, draws.column = int(origin[0]), int(origin[1])
	},
	"fog": func(t *testing.T, variant string, _, _ int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, "draw_fog_u_"+variant).Values)
	},
	"shot_noise": func(t *testing.T, variant string, severity, image int, draws *draws) {
		draws.counts = integers(golden[uint16](t, "draw_shot_counts_"+variant).At(severity-1, image).Values)
	},
}

// goldenTexture is the one texture that golden frost is made with, scaled.
func goldenTexture(t *testing.T, variant goldenVariant) *texture {
	array := golden[uint8](t, "stage_frost_resized_"+variant.suffix)
	return &texture{array.Shape[0], array.Shape[1], array.Values}
}

// goldenFolder is where golden files are: the folder that NBBNN_GOLDEN names, else the one beside the repository, else the
// small part that the package carries.
func goldenFolder() string {
	if folder := os.Getenv("NBBNN_GOLDEN"); folder != "" {
		return folder
	}
	if folder := filepath.FromSlash("../../shared/golden"); exists(folder) {
		return folder
	}
	return filepath.Join("testdata", "golden")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// golden reads a golden file; the test is skipped where the folder at hand lacks it.
func golden[T npy.Number](t *testing.T, name string) npy.Array[T] {
	t.Helper()
	path := filepath.Join(goldenFolder(), name+".npy")
	if !exists(path) {
		t.Skipf("%s is not there: set NBBNN_GOLDEN to the folder of all golden files", path)
	}
	array, err := npy.ReadFile[T](path)
	if err != nil {
		t.Fatal(err)
	}
	return array
}

func widen(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func integers[T uint16 | int8 | int32](values []T) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

func TestPixelsEqualTheReferenceGivenItsDraws(t *testing.T) {
	for _, entry := range catalogue {
		for _, variant := range goldenVariants {
			if variant.suffix == "i224" && goldenDraws[entry.name] != nil && entry.name != "motion_blur" {
				continue // the golden files hold no draws at this size
			}
			t.Run(entry.name+"/"+variant.suffix, func(t *testing.T) {
				checkGolden(t, entry, variant)
			})
		}
	}
}

func checkGolden(t *testing.T, entry entry, variant goldenVariant) {
	name := entry.name + "_" + variant.suffix
	if variant.step > 1 {
		name += "_rows8"
	}
	want, images := golden[uint8](t, name), golden[uint8](t, "images_"+variant.suffix)
	size := Size{images.Shape[1], images.Shape[2]}
	for severity := 1; severity <= 5; severity++ {
		setup := setup{table: variant.table, severity: severity, size: size}
		if entry.name == "frost" {
			setup.textures = []*texture{goldenTexture(t, variant)}
		}
		operator := entry.build(setup)
		for image := range want.Shape[1] {
			var draws draws
			if fill := goldenDraws[entry.name]; fill != nil {
				fill(t, variant.suffix, severity, image, &draws)
			}
			out := make([]uint8, size.Values())
			operator.apply(images.At(image).Values, &draws, out)
			compareRows(t, severity, image, out, want.At(severity-1, image), variant.step)
		}
	}
}

// compareRows compares each step-th row of an image with the golden rows.
func compareRows(t *testing.T, severity, image int, got []uint8, want npy.Array[uint8], step int) {
	t.Helper()
	length := want.Shape[1] * want.Shape[2]
	different, largest, at := 0, 0, 0
	for i, v := range want.Values {
		g := got[i/length*step*length+i%length]
		if distance := max(int(g)-int(v), int(v)-int(g)); distance > 0 {
			different++
			if distance > largest {
				largest, at = distance, i
			}
		}
	}
	if different > 0 {
		t.Errorf("severity %d image %d: %d of %d values differ, most by %d at index %d (got %d, want %d), tolerance 0",
			severity, image, different, len(want.Values), largest, at, got[at/length*step*length+at%length], want.Values[at])
	}
}
