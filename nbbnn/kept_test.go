package nbbnn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// The checksum of every kept checkpoint is on the card, those from before a stop, too.
func TestKeptChecksums(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options := TrainOptions{KeepEvery: 1, Progress: func(u Update) {
		if u.Done == 8 { // in the second epoch
			cancel()
		}
	}}
	if err := run.TrainWith(ctx, options); !errors.Is(err, ErrStopped) {
		t.Fatalf("error %v, want %v", err, ErrStopped)
	}
	if err := run.TrainWith(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	card := trainedCard(t, run)
	if last := run.config.Training.Epochs; len(card.KeptSHA256) != last || card.KeptSHA256[last] != card.StateSHA256 {
		t.Errorf("checksums %v, want %d, the last one %s", card.KeptSHA256, last, card.StateSHA256)
	}
	for epoch, want := range card.KeptSHA256 {
		stored, _, err := safetensors.Read(run.checkpoints().kept(epoch))
		if err != nil || safetensors.SHA256(stored) != want {
			t.Errorf("epoch %d: weights %s, error %v, want %s", epoch, safetensors.SHA256(stored), err, want)
		}
	}
}

// Epochs of any number of digits are listed, and other files aren't.
func TestKeptEpochs(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if epochs, err := run.KeptEpochs(); err != nil || len(epochs) != 0 {
		t.Errorf("before the training: %v, error %v, want none", epochs, err)
	}
	want := []int{3, 30, 9999, 12000}
	paths := []string{run.checkpointPath(), run.checkpoints().kept(3) + ".new", filepath.Join(filepath.Dir(run.checkpointPath()), "epoch-7.safetensors")}
	for _, epoch := range want {
		paths = append(paths, run.checkpoints().kept(epoch))
	}
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := run.KeptEpochs(); err != nil || !slices.Equal(got, want) {
		t.Errorf("kept epochs are %v, error %v, want %v", got, err, want)
	}
}
