package methods

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// No bit of kept statistics can change without their being computed again.
func TestFlippedStatisticsAreNotLoaded(t *testing.T) {
	kept := Prediction{Directory: t.TempDir(), Weights: "ab12", Engine: "go"}
	tensors := []network.Tensor{{Name: "running.mean", DType: "F32", Shape: []int{2},
		Data: []byte{0, 0, 128, 63, 1, 2, 3, 4}}}
	kept.save("seed0-sample1", tensors)
	path := kept.path("seed0-sample1")
	sound := testkit.Must(os.ReadFile(path))(t)
	if got := kept.load("seed0-sample1"); !reflect.DeepEqual(got, tensors) {
		t.Fatalf("loaded %v, want %v", got, tensors)
	}
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		if got := kept.load("seed0-sample1"); got != nil && !reflect.DeepEqual(got, tensors) {
			t.Errorf("a flip in byte %d changes the statistics silently", at)
		}
	}
	testkit.NoError(t, os.WriteFile(kept.path("seed0-sample2"), sound, 0o644))
	if kept.load("seed0-sample2") != nil {
		t.Error("the statistics of another draw are loaded")
	}
	testkit.NoError(t, safetensors.Write(path, tensors, kept.metadata()))
	if got := kept.load("seed0-sample1"); got != nil {
		t.Errorf("without a checksum %v are loaded", got)
	}
}
