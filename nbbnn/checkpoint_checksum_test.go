package nbbnn

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// halfTrained trains a run for one epoch and stops it: no card tells its checksum.
func halfTrained(t *testing.T, config Config) *Run {
	t.Helper()
	run := openRun(t, t.TempDir(), config)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := run.Train(ctx, func(u Update) {
		if u.Epoch > 1 {
			cancel()
		}
	})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	return run
}

// Whatever byte of an unfinished run's checkpoint changes, training refuses to continue from it.
func TestDamagedUnfinishedCheckpointIsRefused(t *testing.T) {
	run := halfTrained(t, tinyConfig())
	path := run.checkpointPath()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(path, sound, 0o644); err != nil {
		t.Fatal(err)
	}
	trainedCard(t, run)
}

// The checkpoint of another seed isn't continued as if it were this one's.
func TestForeignCheckpointIsRefused(t *testing.T) {
	config := tinyConfig()
	run := halfTrained(t, config)
	config.Seed++
	other := halfTrained(t, config)
	foreign, err := os.ReadFile(other.checkpointPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run.checkpointPath(), foreign, 0o644); err != nil {
		t.Fatal(err)
	}
	err = run.Train(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "belongs to run "+other.config.RunName()+", not to "+run.config.RunName()) {
		t.Errorf("error is %v, want one that names both runs", err)
	}
}

// rewriteState replaces a text in the state of a run's checkpoint and renews its checksum.
func rewriteState(t *testing.T, run *Run, old, new string) {
	t.Helper()
	stored, metadata, err := safetensors.Read(run.checkpointPath())
	if err != nil {
		t.Fatal(err)
	}
	metadata = run.checkpoints().sealed(strings.ReplaceAll(metadata[stateKey], old, new), stored)
	if err := safetensors.Write(run.checkpointPath(), stored, metadata); err != nil {
		t.Fatal(err)
	}
}
