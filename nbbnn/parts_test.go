package nbbnn

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
)

// A share of p has exactly round(p n) new labels, all wrong with "" and about nine tenths
// of them with anyLabels, and the wrong classes are equally frequent.
func TestNoisyLabels(t *testing.T) {
	const count, classes = 20000, 10
	labels := unevenLabels(count, classes, 3)
	for _, c := range []struct {
		share float64
		form  string
		want  float64 // wrong labels
		slack float64
	}{
		{0, "", 0, 0},
		{0.2, "", 4000, 0},
		{0.40001, "", 8000, 0},
		{0.40004, "", 8001, 0}, // rounded, not cut
		{1, "", count, 0},
		{0.8, anyLabels, 0.9 * 16000, 4 * math.Sqrt(16000*0.09)},
	} {
		noisy, changed := noisyLabels(labels, classes, c.share, c.form)
		near(t, "number of wrong labels", len(changed), c.want, c.slack)
		distances := make([]float64, classes)
		for image := range labels {
			distances[(int(noisy[image])-int(labels[image])+classes)%classes]++
		}
		for _, frequency := range distances[1:] {
			expected := float64(len(changed)) / (classes - 1)
			near(t, "images of a wrong class", frequency, expected, 4.5*math.Sqrt(expected)+1e-9)
		}
		for _, image := range changed {
			if noisy[image] == labels[image] {
				t.Errorf("share %g: image %d is listed with its own label", c.share, image)
			}
		}
		if len(changed) != count-int(distances[0]) {
			t.Errorf("share %g: %d images are listed, %d have a wrong label", c.share, len(changed),
				count-int(distances[0]))
		}
		again, _ := noisyLabels(labels, classes, c.share, c.form)
		if !slices.Equal(again, noisy) {
			t.Errorf("share %g: drawn again, the labels differ", c.share)
		}
	}
}

func noisyConfig() Config {
	config := tinyConfig()
	config.Data.Validation, config.Data.LabelNoise = 12, 0.25
	return config
}

// Training, validation, clean and noisy images make up the data set, and nothing of the validation
// set is trained on.
func TestPartsMakeUpTheDataSet(t *testing.T) {
	run := openRun(t, t.TempDir(), noisyConfig())
	p := testkit.Must(openParts(t.Context(), run.config.Data))(t)
	counts := map[Part]int{}
	for _, part := range []Part{TestPart, ValidationPart, CleanLabels, NoisyLabels} {
		images, _, err := p.of(part)
		testkit.NoError(t, err)
		counts[part] = images.Count()
	}
	if p.Train.Count() != 40 || counts[ValidationPart] != 12 || counts[TestPart] != 20 ||
		counts[CleanLabels]+counts[NoisyLabels] != 40 {
		t.Errorf("%d training images and %v, want 40, 12 to validate, 20 to test, and two parts "+
			"of 40", p.Train.Count(), counts)
	}
	if len(p.changed) != 13 || len(p.labels) != 52 {
		t.Errorf("%d wrong labels of %d, want 13 of 52", len(p.changed), len(p.labels))
	}
	plain := openRun(t, t.TempDir(), tinyConfig())
	p = testkit.Must(openParts(t.Context(), plain.config.Data))(t)
	for _, part := range []Part{ValidationPart, NoisyLabels} {
		if images, _, err := p.of(part); err == nil {
			t.Errorf("part %q of a plain run has %d images", part, images.Count())
		}
	}
}

// The run keeps the images with wrong labels, and its parts are tested one by one.
func TestEvaluateParts(t *testing.T) {
	run := trainedRun(t, t.TempDir(), noisyConfig())
	file := testkit.Must(os.Open(run.path("labels.csv")))(t)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) != 14 {
		t.Fatalf("labels.csv has %d lines, error %v, want a header and 13 images", len(records),
			err)
	}
	for _, record := range records[1:] {
		if image, err := strconv.Atoi(record[0]); err != nil || image >= 52 ||
			record[1] == record[2] {
			t.Errorf("labels.csv has the line %v, want an image below 52 with two labels", record)
		}
	}
	seen := map[float64]Part{}
	for _, part := range []Part{ValidationPart, CleanLabels, NoisyLabels} {
		cells, err := run.Evaluate(t.Context(), Evaluation{Part: part, Samples: 4}, nil)
		if err != nil || len(cells) != 1 {
			t.Fatalf("%s: %d cells, error %v, want one", part, len(cells), err)
		}
		if other, double := seen[cells[0].NLL]; double {
			t.Errorf("%s and %s have the same NLL %g", part, other, cells[0].NLL)
		}
		seen[cells[0].NLL] = part
	}
	if card, err := run.Card(); err != nil || card.Evaluation != nil {
		t.Errorf("the card holds the evaluation %+v (%v), want none but that of the test set",
			card.Evaluation, err)
	}
}

// unevenLabels are labels of a number of classes of different sizes.
func unevenLabels(count, classes, period int) []uint8 {
	labels := make([]uint8, count)
	for i := range labels {
		labels[i] = uint8((i*i*7 + i*3 + i/period) % classes)
	}
	return labels
}

// The images that scikit-learn 1.9's train_test_split holds out with seed 1507, stratified by
// label.
func TestStratifyAgreesWithScikitLearn(t *testing.T) {
	for _, c := range []struct {
		count, classes, period, held int
		want                         []int
	}{
		{60, 3, 5, 9, []int{2, 12, 14, 15, 19, 40, 49, 52, 55}},
		{103, 4, 7, 20, []int{8, 10, 18, 24, 28, 33, 37, 47, 60, 61, 64, 71, 77, 78, 83, 87, 88, 89,
			90, 95}},
		{257, 10, 3, 31, []int{8, 10, 13, 25, 34, 39, 49, 60, 63, 75, 98, 102, 107, 108, 114, 131,
			143, 162, 187, 199, 204, 206, 208, 214, 215, 223, 237, 238, 243, 249, 256}},
	} {
		train, validation, err := stratify(unevenLabels(c.count, c.classes, c.period), c.held,
			validationSeed)
		testkit.NoError(t, err)
		if !slices.Equal(validation, c.want) {
			t.Errorf("%d of %d images held out: got %v, want %v", c.held, c.count, validation,
				c.want)
		}
		if all := slices.Sorted(slices.Values(slices.Concat(train, validation))); len(
			all) != c.count || len(slices.Compact(all)) != c.count {
			t.Errorf("%d of %d images held out: the two parts have %d images", c.held, c.count,
				len(all))
		}
	}
}

// On CIFAR-10 the 5,000 images are those of the published code: the hash is that of their indices
// from scikit-learn.
func TestStratifyOfCIFAR10(t *testing.T) {
	data, err := dataset.Open(t.Context(), dataset.Config{Name: dataset.CIFAR10})
	if err != nil {
		t.Skipf("CIFAR-10 isn't here: %v", err)
	}
	_, validation, err := stratify(data.Train.Labels, 5000, validationSeed)
	testkit.NoError(t, err)
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(validation), " ", ","), "[]")
	sum := sha256.Sum256([]byte(text))
	const want = "9d1538d097ca9ee6ae3676eb8f9c0125c5be66a2d358c7352af00e89cb24c2a5"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("images %v... have the hash %s, want %s", validation[:8], got, want)
	}
}

func TestStratifyRefuses(t *testing.T) {
	for _, held := range []int{0, 2, 58, 60, 100} {
		if _, _, err := stratify(unevenLabels(60, 3, 5), held, 1); err == nil {
			t.Errorf("%d of 60 images of three classes are held out, want an error", held)
		}
	}
}

const checkImportNote = "the weights were imported: check that they weren't trained on the " +
	"images that are held out"

func TestCheckHeldOut(t *testing.T) {
	parent := Data{Name: "shapes10", Train: 40, Test: 10, Validation: 10}
	for _, c := range []struct {
		name   string
		change func(d *Data)
		want   string
	}{
		{"the same images", func(*Data) {}, ""},
		{"other test images", func(d *Data) { d.Test = 5 }, ""},
		{"none held out", func(d *Data) { d.Validation, d.Train = 0, 30 }, ""},
		{"fewer held out", func(d *Data) { d.Validation = 20 }, "validation 10, not 20"},
		{"fewer images", func(d *Data) { d.Train = 30 }, "train 40, not 30"},
		{"all images", func(d *Data) { d.Train = 0 }, "train 40, not 4000"},
		{"other images", func(d *Data) { d.Seed = 1 }, "seed 0, not 1"},
		{"the same scenes", func(d *Data) {
			d.Name, d.Seed = "shapes10-bright", 1
		}, "seed 0, not 1"},
		{"another data set", func(d *Data) { d.Name = "cifar10" }, ""},
		{"other labels", func(d *Data) { d.LabelNoise = 0.5 }, "label noise 0, not 0.5"},
	} {
		own := parent
		c.change(&own)
		err := checkHeldOut("run x", own, parent)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		checkError(t, c.name, err, c.want)
	}
}

// The file of an export says what was held out. Of another file only the user knows: the card of
// its run says so.
func TestImportHoldsOutImages(t *testing.T) {
	parent := trainedRun(t, t.TempDir(), ordinaryConfig())
	held := parent.Config()
	held.Data.Validation = 10
	exported := filepath.Join(t.TempDir(), "exported.safetensors")
	testkit.NoError(t, parent.Export(t.Context(), exported, inReference))
	refused(t, "an ordinary network of ours", "exported.safetensors may have been trained on the "+
		"10 images")(ImportOrdinary(t.Context(), t.TempDir(), held, exported))
	refused(t, "an export of ours", "exported.safetensors may have been trained on the 10 images")(
		Import(t.Context(), t.TempDir(), held, exported))

	imported := testkit.Must(ImportOrdinary(t.Context(), t.TempDir(), held,
		exportedOrdinary(t, parent, nil)))(t)
	for range 2 { // before and after an evaluation
		card, err := imported.Card()
		if err != nil || !slices.Contains(card.Notes, checkImportNote) {
			t.Errorf("the notes are %s (%v), want %q", strings.Join(card.Notes, "; "), err,
				checkImportNote)
		}
		testkit.Must(imported.Evaluate(t.Context(), Evaluation{Images: 4}, nil))(t)
	}
}

// The card of a posthoc run on weights that Import took says where they came from, too.
func TestPosthocOfAnImport(t *testing.T) {
	held := ordinaryConfig()
	held.Data.Validation = 10
	exported := filepath.Join(t.TempDir(), "exported.safetensors")
	testkit.NoError(t, trainedRun(t, t.TempDir(), held).Export(t.Context(), exported, inReference))
	parent := testkit.Must(Import(t.Context(), t.TempDir(), held, exported))(t)
	config := testkit.Must(PosthocOf(parent))(t)
	config.Training.Epochs = 1
	card := trainedCard(t, openRun(t, filepath.Dir(parent.directory), config))
	if !strings.HasPrefix(card.Parent.Source, engine.ImportedFrom) ||
		!slices.Contains(card.Notes, checkImportNote) {
		t.Errorf("the parent is %q and the notes are %q, want an import and %q", card.Parent.Source,
			card.Notes, checkImportNote)
	}
}
