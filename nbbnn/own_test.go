package nbbnn_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// stripes returns images of 24 x 24 pixels in three classes: stripes across, down and along a
// diagonal.
func stripes(count, shift int) dataset.Images {
	const side = 24
	images := dataset.Images{
		Height: side, Width: side, Pixels: make([]uint8, count*side*side*3),
		Labels: make([]uint8, count),
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
		Name: "stripes", Classes: []string{"across", "down", "diagonal"}, Train: stripes(30, shift),
		Test: stripes(9, 50),
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

// The card of a run on a user's images names them. TestEvaluateOutside predicts such images.
func TestOwnImagesAreOnTheCard(t *testing.T) {
	m := addStripes(t, 0)
	run := openStripes(t, t.TempDir())
	testkit.NoError(t, run.Train(t.Context(), nil))
	card := cardOf(t, run)
	if card.Data.Hash != m.Hash || card.Config.Data.Content != m.Content() ||
		card.Data.Train != 30 || card.Data.Test != 9 {
		t.Errorf("the card has %+v and content %q, want 30 and 9 images with hash %s", card.Data,
			card.Config.Data.Content, m.Hash)
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
	if other := openStripes(t, runs); other.Config().Hash() == run.Config().Hash() ||
		other.Config().Data.Content != replaced.Content() {
		t.Errorf("the run of replaced images is %s with content %s, want another than %s and %s",
			other.Config().Hash(), other.Config().Data.Content, run.Config().Hash(),
			replaced.Content())
	}
	// by its own configuration, as the command does
	again := testkit.Must(nbbnn.Open(runs, run.Config()))(t)
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
	testkit.Error(t, "removed images", err, old.Content()[:12], "they were removed",
		"`nbbnn data add stripes FOLDER` adds them again")
}

// Only configurations of users' sets have the field content.
func TestContentInConfigurations(t *testing.T) {
	m := addStripes(t, 0)
	for name, want := range map[string]string{"shapes10": "", "stripes": m.Content()} {
		config := nbbnn.Config{Data: nbbnn.Data{Name: name}, Training: nbbnn.Training{Batch: 6}}
		data := testkit.Must(json.Marshal(config.WithDefaults()))(t)
		if has := strings.Contains(string(data), `"content"`); has != (want != "") ||
			config.WithDefaults().Data.Content != want {
			t.Errorf("the configuration of %s is %s, want content %q", name, data, want)
		}
	}
	err := nbbnn.Config{Data: nbbnn.Data{Content: m.Content()}}.Validate()
	testkit.Error(t, "validation", err, "built-in data set shapes10", "leave the content out")
	err = nbbnn.Config{Data: nbbnn.Data{Name: "stripe"}}.Validate()
	testkit.Error(t, "validation", err, `did you mean "stripes"`)
	err = nbbnn.Config{Data: nbbnn.Data{Name: "cifar1000"}}.Validate()
	testkit.Error(t, "validation", err, `unknown data set "cifar1000" (did you mean "cifar100"?)`)
	err = nbbnn.Config{Data: nbbnn.Data{Name: "stripes", Validation: 20}, Training: nbbnn.Training{
		Batch: 16}}.Validate()
	testkit.Error(t, "validation", err, "10 training images", "batch of 16")
}

// changedLater takes the place of a definition that somebody edits between two programs.
var changedLater struct{ kernel int }

func init() {
	err := network.Define("changed_later", func(b *network.Builder) network.Value {
		x := b.Image().Convolve(network.Convolution{Channels: b.Width(),
			Stride: 2}).Normalise().ReLU()
		x = x.Convolve(network.Convolution{Channels: b.Width(),
			Kernel: changedLater.kernel}).ReLU().MaxPool()
		return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
	}, network.Defaults{Width: 4, Epochs: 2, Batch: 8, LearningRate: 0.01})
	if err != nil {
		panic(err)
	}
}

func ownConfig(mode nbbnn.Mode, components int) nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Name: "changed_later"},
		Data:      nbbnn.Data{Name: "shapes10", Train: 16, Test: 10},
		Posterior: nbbnn.Posterior{Mode: mode, Components: components},
		Training:  nbbnn.Training{Samples: 1},
	}
}

func trainOwn(t *testing.T, directory string, config nbbnn.Config) *nbbnn.Run {
	t.Helper()
	run := testkit.Must(nbbnn.Open(directory, config))(t)
	testkit.NoError(t, run.Train(context.Background(), nil))
	return run
}

// The same configuration of a changed definition is another run. The old run gives its results, and
// nothing else.
func TestChangedDefinitionIsAnotherRun(t *testing.T) {
	directory := t.TempDir()
	before := trainOwn(t, directory, ownConfig(nbbnn.Output, 1))
	changedLater.kernel = 5
	defer func() { changedLater.kernel = 0 }()
	after := testkit.Must(nbbnn.Open(directory, ownConfig(nbbnn.Output, 1)))(t)
	if after.Config().Hash() == before.Config().Hash() || after.Complete() {
		t.Errorf("the changed network has the run %s of the old one", before.Directory())
	}
	want := "the layers of changed_later have changed: the configuration has the fingerprint " +
		before.Config().Network.Fingerprint
	testkit.Error(t, "the old configuration", before.Config().Validate(), want)
	_, err := nbbnn.Open(t.TempDir(), before.Config())
	testkit.Error(t, "a new run of it", err, want)
	config := testkit.Must(nbbnn.ReadConfig(filepath.Join(before.Directory(), "config.json")))(t)
	old, err := nbbnn.Open(directory, config)
	testkit.NoError(t, err)
	if card, err := old.Card(); err != nil || card.ConfigHash != before.Config().Hash() ||
		card.Config != before.Config() {
		t.Errorf("the old run's card: %v, of %s, want %s", err, card.ConfigHash,
			before.Config().Hash())
	}
	_, err = old.Evaluate(context.Background(), nbbnn.Evaluation{Samples: 2, Images: 5,
		Suite: "fog"}, nil)
	testkit.Error(t, "evaluating the old run", err, want)
	testkit.Error(t, "exporting the old run",
		old.Export(t.Context(),
			filepath.Join(t.TempDir(), "w.safetensors"), nbbnn.ExportOptions{}), want)
}

func TestOwnNetworkRefusesImagesThatItCannotTake(t *testing.T) {
	err := network.Define("too_deep", func(b *network.Builder) network.Value {
		x := b.Image().Convolve(network.Convolution{Channels: b.Width()})
		for range 6 {
			x = x.MaxPool()
		}
		return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
	})
	testkit.NoError(t, err)
	config := ownConfig(nbbnn.Output, 1)
	config.Network.Name, config.Training.Batch = "too_deep", 8
	_, err = nbbnn.Open(t.TempDir(), config)
	testkit.Error(t, "32 pixels", err, "too_deep takes no images of 32 x 32 pixels: a max pool "+
		"shrinks 1 x 1 pixels below one; it takes square images of 64 pixels and more")
}
