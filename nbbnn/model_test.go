package nbbnn

import (
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// What a run's network is asked for depends on no results: damaged ones are no obstacle.
func TestModelReadsNoResults(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	for _, name := range []string{"cells.csv", "bins.csv"} {
		if err := os.WriteFile(run.path(name), []byte("damaged\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Evaluate(t.Context(), Evaluation{Images: 1, Samples: 2}, nil); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("an evaluation: error %v, want one that says what is damaged", err)
	}
	m, err := run.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Classes != 10 || m.Height != 32 || m.Mean[0] <= 0 || m.Std[0] <= 0 {
		t.Errorf("%d classes, %d rows of pixels, mean %v, std %v; want those of shapes10", m.Classes, m.Height, m.Mean, m.Std)
	}
	image := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3)}
	values := make([]float32, 32*32*3)
	for what, call := range map[string]func() error{
		"PredictImages": func() error { _, err := run.PredictImages(t.Context(), image, 2); return err },
		"PredictValues": func() error { _, err := run.PredictValues(t.Context(), values, 32, 32, 2); return err },
		"ImplicitCorruptions": func() error {
			_, err := run.ImplicitCorruptions(t.Context(), implicit.Settings{Images: 1, Draws: 2, Steps: 1}, nil)
			return err
		},
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestModelRefuses(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	_, err := run.Model(t.Context())
	checkError(t, "an untrained run", err, "isn't trained to the end")
}
