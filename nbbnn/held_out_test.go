package nbbnn

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

const checkImportNote = "the weights were imported: check that they weren't trained on the images that are held out"

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
		{"the same scenes", func(d *Data) { d.Name, d.Seed = "shapes10-bright", 1 }, "seed 0, not 1"},
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
	testkit.NoError(t, parent.Export(exported, network.ReferenceLayout))
	refused(t, "an ordinary network of ours", "exported.safetensors may have been trained on the 10 images")(ImportOrdinary(t.Context(), t.TempDir(), held, exported))
	refused(t, "an export of ours", "exported.safetensors may have been trained on the 10 images")(Import(t.Context(), t.TempDir(), held, exported))

	imported := testkit.Must(ImportOrdinary(t.Context(), t.TempDir(), held, exportedOrdinary(t, parent, nil)))(t)
	for range 2 { // before and after an evaluation
		card, err := imported.Card()
		if err != nil || !slices.Contains(card.Notes, checkImportNote) {
			t.Errorf("the notes are %s (%v), want %q", strings.Join(card.Notes, "; "), err, checkImportNote)
		}
		testkit.Must(imported.Evaluate(t.Context(), Evaluation{Images: 4}, nil))(t)
	}
}

// The card of a posthoc run on weights that Import took says where they came from, too.
func TestPosthocOfAnImport(t *testing.T) {
	trained := trainedRun(t, t.TempDir(), ordinaryConfig())
	held := trained.Config()
	held.Data.Validation = 10
	parent := testkit.Must(Import(t.Context(), t.TempDir(), held, exportedOrdinary(t, trained, nil)))(t)
	config := testkit.Must(PosthocOf(parent))(t)
	config.Training.Epochs = 1
	card := trainedCard(t, openRun(t, filepath.Dir(parent.directory), config))
	if !strings.HasPrefix(card.Parent.Source, importedFrom) || !slices.Contains(card.Notes, checkImportNote) {
		t.Errorf("the parent is %q and the notes are %q, want an import and %q", card.Parent.Source, card.Notes, checkImportNote)
	}
}
