package nbbnn

import (
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestEvaluateFillsEveryCell(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	evaluation := Evaluation{Samples: 4, Images: 6, Seed: 3}
	if _, err := run.Evaluate(t.Context(), evaluation, nil); err == nil || !strings.Contains(err.Error(), "isn't trained") {
		t.Fatalf("error %v, want one that says the run isn't trained", err)
	}
	train(t, run)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := run.Evaluate(ctx, evaluation, func(u Update) {
		if u.Done == 7 {
			cancel()
		}
	})
	if !errors.Is(err, ErrStopped) {
		t.Fatalf("error %v, want %v", err, ErrStopped)
	}
	var updates []Update
	cells, err := run.Evaluate(t.Context(), evaluation, func(u Update) { updates = append(updates, u) })
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 41 || len(updates) != 41 {
		t.Fatalf("%d cells and %d updates, want 41", len(cells), len(updates))
	}
	for _, cell := range cells {
		if cell.Images != 6 || cell.Samples != 4 || math.IsNaN(cell.NLL) || cell.NLL > cell.GibbsNLL {
			t.Errorf("%s %d: %d images, %d samples, NLL %g, Gibbs NLL %g", cell.Corruption, cell.Severity,
				cell.Images, cell.Samples, cell.NLL, cell.GibbsNLL)
		}
	}
	again, err := run.Evaluate(t.Context(), evaluation, func(Update) { t.Error("a complete evaluation computes again") })
	if err != nil || !reflect.DeepEqual(again, cells) {
		t.Errorf("read again: error %v, the same cells: %v", err, reflect.DeepEqual(again, cells))
	}
	card, err := run.Card()
	if err != nil || card.Evaluation == nil || card.Suite != "first8" || card.Evaluation.Levels.NLL[0] != cells[0].NLL {
		t.Errorf("the card doesn't hold the evaluation: %+v, %v", card.Evaluation, err)
	}
}

// A prediction depends on the image and its index alone, not on the other images or on their
// number.
func TestPredictionDoesNotDependOnTheBatch(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	data, err := run.config.OpenData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, err := run.trainedModel(data, 0)
	if err != nil {
		t.Fatal(err)
	}
	var predictions []score.Prediction
	for _, batch := range []int{3, 32} {
		p, err := n.NewPredictor(batch, 4, 0)
		if err != nil {
			t.Fatal(err)
		}
		prediction, err := p.Predict(t.Context(), data.Test.Slice(0, 10))
		if err != nil {
			t.Fatal(err)
		}
		predictions = append(predictions, prediction)
	}
	near(t, "log-probabilities", predictions[1].LogProbabilities, predictions[0].LogProbabilities, 1e-5)
}

func TestCheckpointOfAnotherNetworkIsRefused(t *testing.T) {
	directory := t.TempDir()
	narrow, wide := tinyConfig(), tinyConfig()
	wide.Network.Width = 5
	narrow.Training.Epochs, wide.Training.Epochs = 1, 1
	trained, other := openRun(t, directory, narrow), openRun(t, directory, wide)
	train(t, trained)
	stored, metadata, err := safetensors.Read(trained.checkpointPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(other.path("checkpoint"), 0o755); err != nil {
		t.Fatal(err)
	}
	metadata = other.checkpoints().sealed(metadata[stateKey], stored) // another run's hash would be refused before
	if err := safetensors.Write(other.checkpointPath(), stored, metadata); err != nil {
		t.Fatal(err)
	}
	if err := other.Train(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "it's of another network") {
		t.Errorf("error %v, want one that says the checkpoint is of another network", err)
	}
}

// The predictions of a cell give the cell's metrics.
func TestPredictAgreesWithTheCells(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	evaluation := Evaluation{Samples: 4, Images: 15, Seed: 2}
	cells, err := run.Evaluate(t.Context(), evaluation, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 3} {
		prediction, labels, err := run.Predict(t.Context(), evaluation, cells[i].Corruption, cells[i].Severity)
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := prediction.Outcomes(labels)
		if err != nil {
			t.Fatal(err)
		}
		points, err := score.RiskCoverage(outcomes)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "risk of all images", points[len(points)-1].Risk, cells[i].Error, 1e-12)
	}
	for _, severity := range []int{0, 6, -1} {
		if _, _, err := run.Predict(t.Context(), evaluation, "fog", severity); err == nil {
			t.Errorf("severity %d is accepted", severity)
		}
	}
}

// Two tests of parts of the images, put together, are the test of all of them: a corruption draws
// for an image by its place.
func TestEvaluateFromAnImageOn(t *testing.T) {
	config := tinyConfig()
	config.Posterior, config.Objective, config.Training.Samples = Posterior{Mode: Deterministic}, Objective{}, 1
	config.Training.Epochs, config.Training.PosteriorLearningRate = 1, 0
	run := openRun(t, t.TempDir(), config)
	if err := run.Train(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	evaluate := func(first, images int) score.Cells {
		cells, err := run.Evaluate(t.Context(), Evaluation{Suite: "gaussian_noise", First: first, Images: images}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cells
	}
	head, tail, all := evaluate(0, 6), evaluate(6, 12), evaluate(0, 18)
	for i := range all {
		if got := (6*head[i].NLL + 12*tail[i].NLL) / 18; math.Abs(got-all[i].NLL) > 1e-6 {
			t.Errorf("severity %d: the parts have the NLL %v, all images %v, tolerance 1e-6", all[i].Severity, got, all[i].NLL)
		}
	}
	if rest := evaluate(18, 0); rest[0].Images != 2 || rest.Scaled() {
		t.Errorf("%d images from 18 on, scaled %v, want the last 2 and none left for a temperature", rest[0].Images, rest.Scaled())
	}
	if _, err := run.Evaluate(t.Context(), Evaluation{First: 15, Images: 6}, nil); err == nil || !strings.Contains(err.Error(), "6 test images are asked for from image 15 on") {
		t.Errorf("error is %v, want one that names 6 images from image 15 on", err)
	}
}
