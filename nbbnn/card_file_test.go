package nbbnn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// A network keeps the checksum of its weights when it's exported and imported: the file has it, and
// the import, which has no momentum, has another state.
func TestWeightsHaveOneChecksum(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	card := trainedCard(t, run)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	if err := run.Export(path, network.WorkbenchLayout); err != nil {
		t.Fatal(err)
	}
	exported, _, err := safetensors.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := Import(t.Context(), t.TempDir(), run.Config(), path)
	if err != nil {
		t.Fatal(err)
	}
	after, err := imported.Card()
	if err != nil {
		t.Fatal(err)
	}
	if sum := safetensors.SHA256(exported); card.WeightsSHA256 != sum || after.WeightsSHA256 != sum {
		t.Errorf("the weights are %s, in the file %s, imported %s", card.WeightsSHA256, sum, after.WeightsSHA256)
	}
	if card.StateSHA256 == after.StateSHA256 || len(after.StateSHA256) != 64 {
		t.Errorf("the state is %s before and %s after", card.StateSHA256, after.StateSHA256)
	}
	if kept, err := run.WeightsSHA256(run.config.Training.Epochs); err != nil || kept != card.WeightsSHA256 {
		t.Errorf("after the last epoch the weights are %s (%v), want %s", kept, err, card.WeightsSHA256)
	}
}

// A run that was exported and imported has the weights of the one it came from.
func TestWeightsOfARunImportedBefore(t *testing.T) {
	var sums []string
	for _, parent := range []string{"runs", "imported"} {
		folder := filepath.Join(t.TempDir(), parent)
		if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata/before", parent))); err != nil {
			t.Fatal(err)
		}
		config, err := ReadConfig(filepath.Join(folder, "d0f7142718f7", "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := openRun(t, folder, config).WeightsSHA256(0)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] {
		t.Errorf("the weights are %s in the run and %s in its import", sums[0], sums[1])
	}
}
