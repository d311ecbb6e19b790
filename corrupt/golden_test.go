package corrupt

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// goldenVariant is a set of golden images and the parameters that they were corrupted with.
type goldenVariant struct {
	suffix string // of the file names
	table  Table
	step   int // outputs hold each step-th row
	folder goldenFolder
}

var goldenVariants = []goldenVariant{{suffix: "c32", table: CIFAR, step: 1},
	{suffix: "t64", table: Tiny, step: 1}, {suffix: "i224", table: ImageNet, step: 8}}

// eachVariant runs a test for the variant that the package carries, then for the given ones in each
// complete folder.
func eachVariant(t *testing.T, variants []goldenVariant,
	test func(t *testing.T, variant goldenVariant)) {
	carried := goldenVariants[0]
	carried.folder = carriedFolder
	t.Run(carried.suffix, func(t *testing.T) { test(t, carried) })
	eachCompleteVariant(t, variants, test)
}

// eachCompleteVariant runs a test for variants of which the package carries no files.
func eachCompleteVariant(t *testing.T, variants []goldenVariant,
	test func(t *testing.T, variant goldenVariant)) {
	eachCompleteFolder(t, func(t *testing.T, folder goldenFolder) {
		for _, variant := range variants {
			variant.folder = folder
			t.Run(variant.suffix, func(t *testing.T) { test(t, variant) })
		}
	})
}

// goldenDraws fills the draws of one image from golden files, for the corruptions that have any.
var goldenDraws = map[string]func(t *testing.T, variant goldenVariant, severity, image int,
	draws *draws){
	"gaussian_noise": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, variant.folder, "draw_normal_"+variant.suffix).At(
			image).Values)
	},
	"speckle_noise": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, variant.folder, "draw_normal_"+variant.suffix).At(
			image).Values)
	},
	"impulse_noise": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, variant.folder, "draw_impulse_u_"+
			variant.suffix).At(image).Values)
	},
	"glass_blur": func(t *testing.T, variant goldenVariant, severity, _ int, draws *draws) {
		draws.offsets = golden[int8](t, variant.folder, fmt.Sprintf("draw_glass_offsets_%s_s%d",
			variant.suffix, severity)).Values
	},
	"motion_blur": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.angle = golden[float64](t, variant.folder, "draw_motion_angle_"+
			variant.suffix).Values[image]
	},
	"snow": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, variant.folder, "draw_snow_normal_"+
			variant.suffix).At(image).Values)
		draws.angle = golden[float64](t, variant.folder, "draw_snow_angle_"+
			variant.suffix).Values[image]
	},
	"elastic_transform": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, variant.folder, "draw_elastic_u_"+
			variant.suffix).At(image).Values)
	},
	"spatter": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		draws.normals = widen(golden[float32](t, variant.folder, "draw_spatter_normal_"+
			variant.suffix).At(image).Values)
	},
	"frost": func(t *testing.T, variant goldenVariant, _, image int, draws *draws) {
		origin := golden[int32](t, variant.folder, "draw_frost_rowcol_"+variant.suffix).At(
			image).Values
		draws.row, draws.column = int(origin[0]), int(origin[1])
	},
	"fog": func(t *testing.T, variant goldenVariant, _, _ int, draws *draws) {
		draws.uniforms = widen(golden[float32](t, variant.folder, "draw_fog_u_"+
			variant.suffix).Values)
	},
	"shot_noise": func(t *testing.T, variant goldenVariant, severity, image int, draws *draws) {
		draws.counts = integers(golden[uint16](t, variant.folder, "draw_shot_counts_"+
			variant.suffix).At(severity-1, image).Values)
	},
}

// goldenTexture is the one texture that golden frost is made with, scaled.
func goldenTexture(t *testing.T, variant goldenVariant) *texture {
	array := golden[uint8](t, variant.folder, "stage_frost_resized_"+variant.suffix)
	return &texture{array.Shape[0], array.Shape[1], array.Values}
}

// goldenFolder is a folder with golden files.
type goldenFolder string

// carriedFolder holds the part that the package carries: one image of 32x32 pixels.
const carriedFolder goldenFolder = "testdata/golden"

// eachCompleteFolder runs a test for the folders of all golden files: the one that NBBNN_GOLDEN
// names and the one next to the repository.
func eachCompleteFolder(t *testing.T, test func(t *testing.T, folder goldenFolder)) {
	t.Run("complete", func(t *testing.T) {
		named, beside := os.Getenv("NBBNN_GOLDEN"), filepath.FromSlash("../../shared/golden")
		if named == "" && !exists(beside) {
			t.Skip("the larger golden images were not compared: set NBBNN_GOLDEN to the folder " +
				"of all golden files")
		}
		if named != "" {
			t.Run("NBBNN_GOLDEN", func(t *testing.T) { test(t, goldenFolder(named)) })
		}
		if exists(beside) {
			t.Run("beside", func(t *testing.T) { test(t, goldenFolder(beside)) })
		}
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// golden reads a golden file.
func golden[T npy.Number](t *testing.T, folder goldenFolder, name string) npy.Array[T] {
	t.Helper()
	return testkit.Must(npy.ReadFile[T](filepath.Join(string(folder), name+".npy")))(t)
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
	for _, entry := range registry.corruptions[:benchmark] {
		variants := goldenVariants
		if goldenDraws[entry.name] != nil && entry.name != "motion_blur" {
			variants = variants[:2] // the golden files hold no draws at the largest size
		}
		t.Run(entry.name, func(t *testing.T) {
			eachVariant(t, variants, func(t *testing.T, variant goldenVariant) {
				checkGolden(t, entry, variant)
			})
		})
	}
}

func checkGolden(t *testing.T, entry entry, variant goldenVariant) {
	name := entry.name + "_" + variant.suffix
	if variant.step > 1 {
		name += "_rows8"
	}
	want, images := golden[uint8](t, variant.folder, name), golden[uint8](t, variant.folder,
		"images_"+variant.suffix)
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
				fill(t, variant, severity, image, &draws)
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
		t.Errorf("severity %d image %d: %d of %d values differ, most by %d at index %d (got %d, "+
			"want %d), tolerance 0",
			severity, image, different, len(want.Values), largest, at,
			got[at/length*step*length+at%length], want.Values[at])
	}
}
