package nbbnn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// flipBit changes the lowest bit of the last byte but three of a file: of the last float32, the bit
// that matters least.
func flipBit(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-4] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A single bit that has changed in the weights of a complete run is found by whatever loads them,
// and nothing is written.
func TestDamagedWeightsAreRefused(t *testing.T) {
	directory, out := t.TempDir(), t.TempDir()
	config := tinyConfig()
	config.Training.Epochs = 2
	run := openRun(t, directory, config)
	if err := run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}); err != nil {
		t.Fatal(err)
	}
	config.Seed = 77
	other := openRun(t, directory, config)
	train(t, other)
	ensemble, err := OpenEnsemble(directory, run, other)
	if err != nil {
		t.Fatal(err)
	}
	evaluation := Evaluation{Samples: 2, Images: 2, Part: CleanLabels}
	readers := []struct {
		name string
		read func() error
	}{
		{"evaluate", func() error { _, err := run.Evaluate(t.Context(), evaluation, nil); return err }},
		{"predict", func() error {
			_, _, err := run.Predict(t.Context(), Evaluation{Samples: 2, Images: 2}, score.Clean, 0)
			return err
		}},
		{"ensemble", func() error { _, err := ensemble.Evaluate(t.Context(), evaluation, nil); return err }},
		{"export", func() error { return run.Export(filepath.Join(out, "a.safetensors"), network.WorkbenchLayout) }},
		{"fold", func() error { return run.ExportFolded(filepath.Join(out, "b.safetensors"), MeanLatents) }},
		{"posterior", func() error { _, err := run.Posterior(); return err }},
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
	if _, err := run.Evaluate(t.Context(), kept, nil); err != nil {
		t.Errorf("the kept checkpoint of epoch 1, which isn't damaged: %v", err)
	}
	kept.Samples = 4 // whose cells aren't there yet
	flipBit(t, run.checkpoints().kept(1))
	_, err = run.Evaluate(t.Context(), kept, nil)
	checkError(t, "kept checkpoint", err, run.checkpoints().kept(1)+" isn't what was trained")
	flipBit(t, run.checkpointPath()) // as it was
	for _, r := range readers {
		if err := r.read(); err != nil {
			t.Errorf("%s of sound weights: %v", r.name, err)
		}
	}
}

// An export that can't be written names the folder and what to do.
func TestUnwritableExport(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	folder := filepath.Join(t.TempDir(), "missing")
	want := "make the folder " + folder + " writable"
	path := filepath.Join(folder, "a.safetensors")
	checkError(t, "export", run.Export(path, network.WorkbenchLayout), want)
	checkError(t, "folded export", run.ExportFolded(path, OneLatents), want)
}

// Imported weights have their checksum on the card, too.
func TestDamagedImportIsRefused(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	if err := run.Export(path, network.ReferenceLayout); err != nil {
		t.Fatal(err)
	}
	imported, err := Import(t.Context(), t.TempDir(), config, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := imported.Posterior(); err != nil {
		t.Errorf("sound weights: %v", err)
	}
	flipBit(t, imported.checkpointPath())
	_, err = imported.Posterior()
	checkError(t, "imported weights", err, "isn't what was trained")
}

// The hash of 92 MB, which a checkpoint of ResNet18 has, costs little compared with reading them.
func BenchmarkReadCheckpoint(b *testing.B) {
	path := filepath.Join(b.TempDir(), "weights.safetensors")
	tensors := []safetensors.Tensor{{Name: "weights", DType: "F32", Shape: []int{23 << 20}, Data: make([]byte, 92<<20)}}
	if err := safetensors.Write(path, tensors, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := safetensors.Read(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			safetensors.SHA256(tensors)
		}
	})
}
