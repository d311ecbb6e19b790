package nbbnn

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/corrupted"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// makeSet makes a folder as `nbbnn corrupt make` does, with the manifest.
func makeSet(t *testing.T, folder string, suite corrupt.Suite, images dataset.Images, seed uint64) {
	t.Helper()
	size := corrupt.Size{Height: images.Height, Width: images.Width}
	source := corrupted.Source{Name: "shapes10", Pixels: images.Pixels, Labels: images.Labels,
		Size: size}
	making := corrupted.Making{Suite: suite, Seed: seed, Table: corrupt.TableFor(size)}
	testkit.Must(corrupted.Make(t.Context(), folder, source, making, nil))(t)
}

// makeFog makes a folder of the suite fog for the test images of a run.
func makeFog(t *testing.T, run *Run, folder string) {
	t.Helper()
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	makeSet(t, folder, testkit.Must(corrupt.SuiteByName("fog"))(t), data.Test, 3)
}

// The same images give the same cells, whether they are read or generated.
func TestEvaluateReadyMadeImages(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	generated := Evaluation{Suite: "all19", Samples: 4, Images: 6, Seed: 3}
	suite := testkit.Must(corrupt.SuiteByName(generated.Suite))(t)
	want := testkit.Must(run.Evaluate(t.Context(), generated, nil))(t)
	read := generated
	read.Corrupted = filepath.Join(t.TempDir(), "Shapes10-C")
	makeSet(t, read.Corrupted, suite, data.Test, generated.Seed)
	if run.Evaluated(read) {
		t.Error("the cells of generated images count as those of ready-made ones")
	}
	got, err := run.Evaluate(t.Context(), read, nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("error %v, the same cells: %v", err, reflect.DeepEqual(got, want))
	}
	card := testkit.Must(run.Card())(t)
	const note = "corrupted images are ready-made, from Shapes10-C, none with a published checksum"
	identity := identityOf(t, read.Corrupted)
	if card.Evaluation.Corrupted != identity || !slices.Contains(card.Notes, note) {
		t.Errorf("the card has images from %q and the notes %q, want %s and %q",
			card.Evaluation.Corrupted, card.Notes, identity, note)
	}
	if !run.Evaluated(card.Evaluation.Evaluation) || !run.Evaluated(read) {
		t.Error("the cells aren't found by the evaluation on the card and by the folder")
	}
	if cells, err := os.ReadFile(run.path("cells.csv")); err != nil ||
		!strings.Contains(string(cells), "all19@"+identity+",") {
		t.Errorf("cells.csv doesn't name the images (%v)", err)
	}
}

// With a first image the corrupted images are those at the places of the clean ones.
func TestReadyMadeImagesFromAPlaceOn(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	generated := Evaluation{Suite: "fog", Samples: 4, First: 5, Images: 6, Seed: 3}
	read := generated
	read.Corrupted = filepath.Join(t.TempDir(), "Shapes10-C")
	makeFog(t, run, read.Corrupted)
	want, got := testkit.Must(run.Evaluate(t.Context(), generated, nil))(t),
		testkit.Must(run.Evaluate(t.Context(), read, nil))(t)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the cells of images read from place 5 on are %+v, of those generated %+v", got,
			want)
	}
}

// identityOf is what cells and cards call ready-made images.
func identityOf(t *testing.T, corrupted string) string {
	t.Helper()
	return testkit.Must(Evaluation{Corrupted: corrupted}.public(t.Context()))(t).Corrupted
}

// Folders with one name are told apart by what is in them: the manifest, or the contents of
// all files.
func TestIdentityOfReadyMadeImages(t *testing.T) {
	t.Chdir(t.TempDir())
	equal(t, "an evaluation of generated images",
		testkit.Must(Evaluation{Suite: "all19"}.public(t.Context()))(t), Evaluation{Suite: "all19"})
	if got := identityOf(t, "cifar10-c"); got != "cifar10-c" {
		t.Errorf("the source cifar10-c is called %s", got)
	}
	manifest := func(seed uint64) string {
		m := corrupted.Manifest{Seed: seed}
		var text bytes.Buffer
		testkit.NoError(t, files.WriteJSON(&text, m))
		m.Checksum = records.Digest(text.Bytes())
		return encoded(t, m)
	}
	seen := map[string]string{}
	for _, c := range []struct{ name, file, content string }{
		{"labels", "labels.npy", "0123"},
		{"other labels", "labels.npy", "0124"},
		{"images", "fog.npy", "01234567"},
		{"other images of the same size", "fog.npy", "01234568"},
		{"larger images", "fog.npy", "012345678"},
		{"pictures of classes", "fog/1/n01/a.JPEG", "0"},
		{"a manifest", "manifest.json", manifest(0)},
		{"another manifest", "manifest.json", manifest(1)},
	} {
		path := filepath.Join("Own-C", filepath.FromSlash(c.file))
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, []byte(c.content), 0o644))
		got := identityOf(t, "Own-C")
		if !strings.HasPrefix(got, "Own-C-") || len(got) != len("Own-C-")+8 || seen[got] != "" {
			t.Errorf("%s: identity %q, that of %q, want Own-C- with 8 digits of its own", c.name,
				got, seen[got])
		}
		seen[got] = c.name
		if again := identityOf(t, filepath.Join(".", "Own-C")+"/"); again != got ||
			identityOf(t, got) != got {
			t.Errorf("%s: %s becomes %s, and itself %s", c.name, got, again, identityOf(t, got))
		}
	}
}

func TestEvaluateRefusesReadyMadeImages(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	small := dataset.Images{Height: 2, Width: 2, Pixels: make([]uint8, 12*data.Test.Count()),
		Labels: data.Test.Labels}
	other := data.Test
	other.Labels = slices.Clone(other.Labels)
	other.Labels[0]++
	first8 := testkit.Must(corrupt.SuiteByName("first8"))(t)
	for _, test := range []struct {
		name   string
		suite  string
		images dataset.Images
		part   Part
		want   string
	}{
		{"of another size", "first8", small, TestPart,
			"has images of 2x2, the run's data set 32x32"},
		{"with other labels", "first8", other, TestPart, "differ from the run's test images'"},
		{"without some corruptions", "all19", data.Test, TestPart,
			"lacks impulse_noise, glass_blur"},
		{"of another part", "first8", data.Test, ValidationPart, "go with the test images"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "Other-C")
			makeSet(t, folder, testkit.Must(corrupt.SuiteByName(first8.Corruptions[0]))(t),
				test.images, 0)
			testkit.NoError(t, os.Remove(filepath.Join(folder, corrupted.ManifestName)))
			for _, name := range first8.Corruptions[1:] {
				testkit.NoError(t, os.Link(filepath.Join(folder, first8.Corruptions[0]+".npy"),
					filepath.Join(folder, name+".npy")))
			}
			refused(t, test.name, test.want)(run.Evaluate(t.Context(), Evaluation{Suite: test.suite,
				Samples: 2, Part: test.part, Corrupted: folder}, nil))
		})
	}
}

// The reference's textures are asked for by name; their cells are kept apart from those of textures
// of our own.
func TestTexturesOfFrost(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	images := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3),
		Labels: make([]uint8, 1)}
	own, reference := Evaluation{Suite: "all19"}, Evaluation{Suite: "all19", Textures: "frost"}
	testkit.Must(own.corrupted(t.Context(), images, score.Condition{Corruption: "frost",
		Severity: 1}))(t)
	refused(t, "textures that are missing", "`nbbnn data get frost`")(
		reference.corrupted(t.Context(), images, score.Condition{Corruption: "frost", Severity: 1}))
	if own.label() != "all19" || reference.label() != "all19+frost" {
		t.Errorf("cells are kept under %q and %q, want all19 and all19+frost", own.label(),
			reference.label())
	}
	if len(own.notes()) != 1 || len(reference.notes()) != 0 {
		t.Errorf("notes are %q and %q, want one about textures of our own, and none", own.notes(),
			reference.notes())
	}
	equal(t, "textures on the card",
		testkit.Must(Evaluation{Textures: "/some/folder"}.public(t.Context()))(t).Textures, "frost")
}

// flip changes the lowest bit of one byte of a file.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	file := testkit.Must(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer file.Close()
	value := make([]byte, 1)
	testkit.Must(file.ReadAt(value, int64(at)))(t)
	value[0] ^= 1
	testkit.Must(file.WriteAt(value, int64(at)))(t)
}

// Images that aren't those of the manifest are refused, and so is a manifest that was changed.
func TestEvaluateRefusesDamagedImages(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := trainedRun(t, t.TempDir(), tinyConfig())
	const (
		past  = 200 // bytes, where an array's numbers have begun
		digit = 45  // bytes, within the first checksum of a manifest
	)
	for _, test := range []struct {
		name, file string
		at         int
		want       string
	}{
		{"image", "fog.npy", past, "fog.npy isn't the file that manifest.json lists: repeat " +
			"nbbnn corrupt make"},
		{"label", "labels.npy", past, "holds 100 labels that don't repeat the test images'"},
		{"manifest", corrupted.ManifestName, digit, "another checksum than its content"},
	} {
		folder := filepath.Join(t.TempDir(), "Fog-C")
		makeFog(t, run, folder)
		e := Evaluation{Suite: "fog", Samples: 2, Images: 6, Corrupted: folder}
		flip(t, filepath.Join(folder, test.file), test.at)
		refused(t, test.name, test.want)(run.Evaluate(t.Context(), e, nil))
	}
	folder := filepath.Join(t.TempDir(), "Fog-C")
	makeFog(t, run, folder)
	testkit.Must(run.Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 6,
		Corrupted: folder}, nil))(t)
}

// A file that someone added isn't believed either, until the manifest is gone.
func TestEvaluateRefusesUnlistedImages(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := trainedRun(t, t.TempDir(), tinyConfig())
	folder := filepath.Join(t.TempDir(), "Fog-C")
	makeFog(t, run, folder)
	testkit.NoError(t, os.Link(filepath.Join(folder, "fog.npy"), filepath.Join(folder, "snow.npy")))
	e := Evaluation{Suite: "fog,snow", Samples: 2, Images: 6, Corrupted: folder}
	refused(t, "unlisted file", "manifest.json doesn't list snow.npy: remove the manifest if you "+
		"added that file")(run.Evaluate(t.Context(), e, nil))
	testkit.NoError(t, os.Remove(filepath.Join(folder, corrupted.ManifestName)))
	testkit.Must(run.Evaluate(t.Context(), e, nil))(t)
}

// A source is named on cards without a checksum, so its files have to be the published ones.
func TestEvaluateRefusesUnpublishedSource(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := trainedRun(t, t.TempDir(), tinyConfig())
	folder := filepath.Join(os.Getenv("NBBNN_DATA"), "CIFAR-10-C")
	makeFog(t, run, folder)
	testkit.NoError(t, os.Remove(filepath.Join(folder, corrupted.ManifestName)))
	refused(t, "unpublished", "fog of "+folder+" isn't the published file: "+
		"`nbbnn data verify cifar10-c`")(run.Evaluate(t.Context(),
		Evaluation{Suite: "fog", Samples: 2, Images: 6, Corrupted: "cifar10-c"}, nil))
}
