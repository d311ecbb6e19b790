package nbbnn

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A share of p has exactly round(p n) new labels, all wrong with WrongLabels and about nine tenths
// of them with RandomLabels, and the wrong classes are equally frequent.
func TestNoisyLabels(t *testing.T) {
	const count, classes = 20000, 10
	labels := unevenLabels(count, classes, 3)
	for _, c := range []struct {
		share float64
		form  NoiseForm
		want  float64 // wrong labels
		slack float64
	}{
		{0, WrongLabels, 0, 0},
		{0.2, WrongLabels, 4000, 0},
		{0.40001, WrongLabels, 8000, 0},
		{1, WrongLabels, count, 0},
		{0.8, RandomLabels, 0.9 * 16000, 4 * math.Sqrt(16000*0.09)},
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
			t.Errorf("share %g: %d images are listed, %d have a wrong label", c.share, len(changed), count-int(distances[0]))
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
		images := testkit.Must(p.images(part))(t)
		counts[part] = images.Count()
	}
	if p.Train.Count() != 40 || counts[ValidationPart] != 12 || counts[TestPart] != 20 || counts[CleanLabels]+counts[NoisyLabels] != 40 {
		t.Errorf("%d training images and %v, want 40, 12 to validate, 20 to test, and two parts of 40", p.Train.Count(), counts)
	}
	if len(p.changed) != 13 || len(p.labels) != 52 {
		t.Errorf("%d wrong labels of %d, want 13 of 52", len(p.changed), len(p.labels))
	}
	plain := openRun(t, t.TempDir(), tinyConfig())
	p = testkit.Must(openParts(t.Context(), plain.config.Data))(t)
	for _, part := range []Part{ValidationPart, NoisyLabels} {
		if images, err := p.images(part); err == nil {
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
		t.Fatalf("labels.csv has %d lines, error %v, want a header and 13 images", len(records), err)
	}
	for _, record := range records[1:] {
		if image, err := strconv.Atoi(record[0]); err != nil || image >= 52 || record[1] == record[2] {
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
		t.Errorf("the card holds the evaluation %+v (%v), want none but that of the test set", card.Evaluation, err)
	}
}

// A share of no whole number of images is rounded to the nearest, not cut.
func TestNoisyLabelsAreRounded(t *testing.T) {
	labels := unevenLabels(10, 3, 3)
	for share, want := range map[float64]int{0.14: 1, 0.16: 2, 0.25: 3, 0.96: 10} {
		_, changed := noisyLabels(labels, 3, share, WrongLabels)
		near(t, "number of wrong labels", len(changed), float64(want), 0)
	}
}
