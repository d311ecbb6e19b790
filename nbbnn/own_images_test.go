package nbbnn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// stripes returns images of 24 x 24 pixels in three classes: stripes across, down and along a
// diagonal.
func stripes(count, shift int) dataset.Images {
	const side = 24
	images := dataset.Images{
		Height: side, Width: side, Pixels: make([]uint8, count*side*side*3), Labels: make([]uint8, count),
	}
	for i := range count {
		images.Labels[i] = uint8(i % 3)
		pixels := images.Slice(i, i+1).Pixels
		for k := range pixels {
			x, y := k/3%side, k/3/side
			at := [3]int{x, y, x + y}[i%3] + i + shift
			pixels[k] = uint8(60 + 100*(at/3%2) + (k*7+i*13)%40)
		}
	}
	return images
}

// addStripes adds the set "stripes" to an empty directory of data sets, which the test then uses.
func addStripes(t *testing.T, shift int) dataset.Manifest {
	t.Helper()
	t.Setenv("NBBNN_DATA", t.TempDir())
	m, err := dataset.Add(t.Context(), dataset.Dataset{
		Name: "stripes", Classes: []string{"across", "down", "diagonal"}, Train: stripes(30, shift), Test: stripes(9, 50),
	}, dataset.AddOptions{})
	testkit.NoError(t, err)
	return m
}

// stripesConfig is two epochs of five steps on the set "stripes".
func stripesConfig() nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Name: "allcnnc", Width: 4},
		Data:      nbbnn.Data{Name: "stripes"},
		Posterior: nbbnn.Posterior{Components: 2},
		Training:  nbbnn.Training{Epochs: 2, Batch: 6, Samples: 2},
	}
}

func openStripes(t *testing.T, runs string) *nbbnn.Run {
	t.Helper()
	return testkit.Must(nbbnn.Open(runs, stripesConfig()))(t)
}

// A run on a user's images trains, evaluates and predicts as any other.
func TestOwnImagesFromTrainingToPrediction(t *testing.T) {
	m := addStripes(t, 0)
	run := openStripes(t, t.TempDir())
	testkit.NoError(t, run.Train(t.Context(), nil))
	card := cardOf(t, run)
	if card.Data.Hash != m.Hash || card.Config.Data.Content != m.Content() || card.Data.Train != 30 || card.Data.Test != 9 {
		t.Errorf("the card has %+v and content %q, want 30 and 9 images with hash %s", card.Data, card.Config.Data.Content, m.Hash)
	}
	cells, err := run.Evaluate(t.Context(), nbbnn.Evaluation{Suite: "first8", Samples: 2}, nil)
	if err != nil || len(cells) != 41 {
		t.Fatalf("%d cells, error %v, want 41", len(cells), err)
	}
	data := testkit.Must(dataset.Open(t.Context(), run.Config().Data.Images()))(t)
	prediction := testkit.Must(run.PredictImages(t.Context(), data.Test.Slice(0, 4), 2))(t)
	if prediction.Images != 4 || prediction.Classes != 3 {
		t.Errorf("a prediction of %d images and %d classes, want 4 and 3", prediction.Images, prediction.Classes)
	}
}

func cardOf(t *testing.T, run *nbbnn.Run) nbbnn.Card {
	t.Helper()
	return testkit.Must(run.Card())(t)
}

// Other images under the same name are another run, and never train the checkpoint of the first.
func TestReplacedImagesAreAnotherRun(t *testing.T) {
	runs := t.TempDir()
	old := addStripes(t, 0)
	run := openStripes(t, runs)
	testkit.NoError(t, run.Train(t.Context(), nil))
	replaced := addStripes(t, 1)
	if other := openStripes(t, runs); other.Hash() == run.Hash() || other.Config().Data.Content != replaced.Content() {
		t.Errorf("the run of replaced images is %s with content %s, want another than %s and %s",
			other.Hash(), other.Config().Data.Content, run.Hash(), replaced.Content())
	}
	again := testkit.Must(nbbnn.Open(runs, run.Config()))(t) // by its own configuration, as the command does
	if cardOf(t, again).Config.Data.Content != old.Content() {
		t.Error("the card of the first run isn't readable any more")
	}
	_, err := again.Evaluate(t.Context(), nbbnn.Evaluation{Samples: 2}, nil)
	testkit.Error(t, "replaced images", err, replaced.Content(), old.Content(), "replaced")
	testkit.NoError(t, dataset.Remove("", "stripes"))
	if again, err = nbbnn.Open(runs, run.Config()); err != nil {
		t.Fatalf("a run whose images were removed: %v", err)
	}
	_, err = again.Evaluate(t.Context(), nbbnn.Evaluation{Samples: 2}, nil)
	testkit.Error(t, "removed images", err, old.Content()[:12], "they were removed", "`nbbnn data add stripes FOLDER` adds them again")
}

// Only configurations of users' sets have the field content.
func TestContentInConfigurations(t *testing.T) {
	m := addStripes(t, 0)
	for name, want := range map[string]string{"shapes10": "", "stripes": m.Content()} {
		config := nbbnn.Config{Data: nbbnn.Data{Name: name}, Training: nbbnn.Training{Batch: 6}}
		data := testkit.Must(json.Marshal(config.WithDefaults()))(t)
		if has := strings.Contains(string(data), `"content"`); has != (want != "") || config.WithDefaults().Data.Content != want {
			t.Errorf("the configuration of %s is %s, want content %q", name, data, want)
		}
	}
	err := nbbnn.Config{Data: nbbnn.Data{Content: m.Content()}}.Validate()
	testkit.Error(t, "validation", err, "built-in data set shapes10", "leave the content out")
	err = nbbnn.Config{Data: nbbnn.Data{Name: "stripe"}}.Validate()
	testkit.Error(t, "validation", err, `did you mean "stripes"`)
	err = nbbnn.Config{Data: nbbnn.Data{Name: "cifar1000"}}.Validate()
	testkit.Error(t, "validation", err, `unknown data set "cifar1000" (did you mean "cifar100"?)`)
	err = nbbnn.Config{Data: nbbnn.Data{Name: "stripes", Validation: 20}, Training: nbbnn.Training{Batch: 16}}.Validate()
	testkit.Error(t, "validation", err, "10 training images", "batch of 16")
}
