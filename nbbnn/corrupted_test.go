package nbbnn

import (
	"bytes"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// TestEvaluationSeesTheImagesOfMadeSets holds evaluation's own images to the files that
// corrupt.Make writes with the same seed.
func TestEvaluationSeesTheImagesOfMadeSets(t *testing.T) {
	data, err := dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10, TrainCount: 1, TestCount: 4})
	if err != nil {
		t.Fatal(err)
	}
	suite, err := corrupt.SuiteByName("all19")
	if err != nil {
		t.Fatal(err)
	}
	size := corrupt.Size{Height: data.Test.Height, Width: data.Test.Width}
	source := corrupt.Source{Name: data.Name, Size: size, Pixels: data.Test.Pixels, Labels: data.Test.Labels}
	directory := t.TempDir()
	if _, err := corrupt.Make(t.Context(), directory, source, corrupt.Making{Suite: suite, Seed: 6, Table: corrupt.TableFor(size)}, nil); err != nil {
		t.Fatal(err)
	}
	folder, err := dataset.OpenCorrupted(directory, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range score.Conditions(suite)[1:] {
		made, err := folder.Images(t.Context(), s.Corruption, s.Severity, 0)
		if err != nil {
			t.Fatal(err)
		}
		generated, err := Evaluation{Seed: 6}.corrupted(t.Context(), data.Test, s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(generated.Pixels, made.Pixels) || !bytes.Equal(generated.Labels, made.Labels) {
			t.Errorf("%s at severity %d: evaluation corrupts images otherwise than the made set", s.Corruption, s.Severity)
		}
	}
}
