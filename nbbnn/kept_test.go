package nbbnn

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Epochs of any number of digits are listed, and other files aren't.
func TestKeptEpochs(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if epochs, err := run.KeptEpochs(); err != nil || len(epochs) != 0 {
		t.Errorf("before the training: %v, error %v, want none", epochs, err)
	}
	want := []int{3, 30, 9999, 12000}
	paths := []string{run.checkpointPath(), run.keptPath(3) + ".new", filepath.Join(filepath.Dir(run.checkpointPath()), "epoch-7.safetensors")}
	for _, epoch := range want {
		paths = append(paths, run.keptPath(epoch))
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
