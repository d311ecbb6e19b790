package nbbnn

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Whatever byte of an unfinished run's checkpoint changes, training refuses to continue from it.
func TestDamagedUnfinishedCheckpointIsRefused(t *testing.T) {
	run := halfTrained(t, tinyConfig())
	path := run.checkpointPath()
	sound := testkit.Must(os.ReadFile(path))(t)
	header := 8 + int(binary.LittleEndian.Uint64(sound))
	var positions []int
	for at := 0; at < header; at++ { // its length, names, shapes and metadata
		positions = append(positions, at)
	}
	for at := header; at < len(sound); at += len(sound) / 50 { // the numbers
		positions = append(positions, at)
	}
	for _, at := range positions {
		flip(t, path, at)
		if _, _, err := run.checkpoints().readState(path); err == nil {
			t.Errorf("a flip of byte %d of %d, %q, goes unnoticed", at, len(sound), sound[at])
		}
		flip(t, path, at)
	}
	flip(t, path, len(sound)-1)
	checkError(t, "training", run.Train(t.Context(), nil), path)
	testkit.NoError(t, os.WriteFile(path, sound, 0o644))
	trainedCard(t, run)
}

// rewriteState replaces a text in the state of a run's checkpoint and renews its checksum.
func rewriteState(t *testing.T, run *Run, old, new string) {
	t.Helper()
	stored, metadata, err := safetensors.Read(run.checkpointPath())
	testkit.NoError(t, err)
	metadata = run.checkpoints().sealed(strings.ReplaceAll(metadata[stateKey], old, new), stored)
	testkit.NoError(t, safetensors.Write(run.checkpointPath(), stored, metadata))
}

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
	last := run.config.Training.Epochs
	refused(t, "the posterior at the end of a stopped training",
		"train it first")(run.Posterior(last))
	testkit.NoError(t, run.TrainWith(t.Context(), options))
	card, posterior := trainedCard(t, run), mustPosterior(t, run)
	if len(card.KeptSHA256) != last || card.KeptSHA256[last] != card.StateSHA256 {
		t.Errorf("checksums %v, want %d, the last one %s", card.KeptSHA256, last, card.StateSHA256)
	}
	for epoch, want := range card.KeptSHA256 {
		stored, _, err := safetensors.Read(run.checkpoints().kept(epoch))
		if err != nil || safetensors.SHA256(stored) != want {
			t.Errorf("epoch %d: weights %s, error %v, want %s", epoch, safetensors.SHA256(stored),
				err, want)
		}
		if got, err := run.checkpoints().sha256(epoch); err != nil || got != want {
			t.Errorf("epoch %d: the state is %s, error %v, want %s", epoch, got, err, want)
		}
		if got := testkit.Must(run.Posterior(epoch))(t); reflect.DeepEqual(got,
			posterior) != (epoch == last) {
			t.Errorf("epoch %d: the posterior is %v, at the end %v", epoch, got, posterior)
		}
	}
}

// Epochs of any number of digits are listed, and other files aren't.
func TestKeptEpochs(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if epochs, err := run.KeptEpochs(); err != nil || len(epochs) != 0 {
		t.Errorf("before the training: %v, error %v, want none", epochs, err)
	}
	refused(t, "none is kept", "keeps no checkpoint of epoch 7, but of the last, ")(
		run.checkpoints().of(7))
	want := []int{3, 30, 9999, 12000}
	paths := []string{run.checkpointPath(), run.checkpoints().kept(3) + ".new",
		filepath.Join(filepath.Dir(run.checkpointPath()), "epoch-7.safetensors")}
	for _, epoch := range want {
		paths = append(paths, run.checkpoints().kept(epoch))
	}
	for _, path := range paths {
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	if got, err := run.KeptEpochs(); err != nil || !slices.Equal(got, want) {
		t.Errorf("kept epochs are %v, error %v, want %v", got, err, want)
	}
	refused(t, "others are kept", "of epoch 7, but of [3 30 9999 12000] and the last, ")(
		run.checkpoints().of(7))
}

// flipBit changes the lowest bit of the last byte but three of a file: of the last float32, the bit
// that matters least.
func flipBit(t *testing.T, path string) {
	t.Helper()
	flip(t, path, len(testkit.Must(os.ReadFile(path))(t))-4)
}

// A single bit that has changed in the weights of a complete run is found by whatever loads them,
// and nothing is written.
func TestDamagedWeightsAreRefused(t *testing.T) {
	directory, out := t.TempDir(), t.TempDir()
	config := tinyConfig()
	config.Training.Epochs = 2
	run := openRun(t, directory, config)
	testkit.NoError(t, run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}))
	config.Seed = 77
	other := trainedRun(t, directory, config)
	ensemble := testkit.Must(OpenEnsemble(directory, run, other))(t)
	evaluation := Evaluation{Samples: 2, Images: 2, Part: CleanLabels}
	readers := []struct {
		name string
		read func() error
	}{
		{"train", func() error { return run.Train(t.Context(), nil) }},
		{"evaluate", func() error {
			_, err := run.Evaluate(t.Context(), evaluation, nil)
			return err
		}},
		{"predict", func() error {
			_, _, err := run.Predict(t.Context(), Evaluation{Samples: 2, Images: 2}, score.Clean, 0)
			return err
		}},
		{"ensemble", func() error {
			_, err := ensemble.Evaluate(t.Context(), evaluation, nil)
			return err
		}},
		{"export", func() error {
			return run.Export(t.Context(), filepath.Join(out, "a.safetensors"), ExportOptions{})
		}},
		{"fold", func() error {
			return run.Export(t.Context(), filepath.Join(out, "b.safetensors"), ExportOptions{
				Latents: MeanLatents})
		}},
		{"posterior", func() error { _, err := run.Posterior(0); return err }},
	}
	flipBit(t, run.checkpointPath())
	for _, r := range readers {
		checkError(t, r.name, r.read(), run.checkpointPath()+" isn't what was trained")
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
		t.Errorf("%d exported files (%v), want none", len(entries), err)
	}
	kept := evaluation
	kept.Epoch = 1
	testkit.Must(run.Evaluate(t.Context(), kept, nil))(t)
	kept.Samples = 4 // whose cells aren't there yet
	flipBit(t, run.checkpoints().kept(1))
	refused(t, "kept checkpoint", run.checkpoints().kept(1)+" isn't what was trained")(
		run.Evaluate(t.Context(), kept, nil))
	flipBit(t, run.checkpointPath()) // as it was
	for _, r := range readers {
		if err := r.read(); err != nil {
			t.Errorf("%s of sound weights: %v", r.name, err)
		}
	}
}
