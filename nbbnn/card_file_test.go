package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
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

// earlierCard rewrites a card as an earlier version wrote it: weights_sha256 is of the state, and
// parameters_sha256 of the weights, or missing.
func earlierCard(t *testing.T, run *Run, parameters bool) {
	t.Helper()
	card, err := run.Card()
	if err != nil {
		t.Fatal(err)
	}
	card.WeightsSHA256, card.StateSHA256, card.ParametersSHA256 = card.StateSHA256, "", card.WeightsSHA256
	if !parameters {
		card.ParametersSHA256 = ""
	}
	if err := writeCard(run, card); err != nil {
		t.Fatal(err)
	}
}

// A card of an earlier version is read with the checksums under the names that they have now, in
// every way of reading it.
func TestCardOfAnEarlierVersion(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	want := trainedCard(t, run)
	for _, parameters := range []bool{true, false} {
		earlierCard(t, run, parameters)
		data, err := os.ReadFile(run.path("card.json"))
		if err != nil {
			t.Fatal(err)
		}
		var decoded Card
		if err := json.Unmarshal(data, &decoded); err != nil {
			t.Fatal(err)
		}
		got := trainedCard(t, run)
		for _, card := range []Card{got, decoded} {
			known := card.WeightsSHA256 == want.WeightsSHA256
			if card.StateSHA256 != want.StateSHA256 || known != parameters || card.ParametersSHA256 != "" {
				t.Errorf("state %s, weights %q, parameters %q", card.StateSHA256, card.WeightsSHA256, card.ParametersSHA256)
			}
		}
		if weights, err := run.WeightsSHA256(0); err != nil || weights != want.WeightsSHA256 {
			t.Errorf("the weights are %s (%v), want %s", weights, err, want.WeightsSHA256)
		}
		flipped := bytes.Replace(data, []byte(want.StateSHA256[:8]), []byte("00000000"), 1)
		if _, err := parseCard(flipped, run.Hash(), "card.json"); err == nil {
			t.Error("a changed checksum of an earlier card isn't noticed")
		}
	}
}

// A posthoc card of an earlier version names its parent's state.
func TestParentOfAnEarlierVersion(t *testing.T) {
	_, run := posthocRun(t, nil)
	card := trainedCard(t, run)
	want := card.Parent.StateSHA256
	card.Parent = &CardParent{Run: card.Parent.Run, WeightsSHA256: want}
	if err := writeCard(run, card); err != nil {
		t.Fatal(err)
	}
	if parent := trainedCard(t, run).Parent; parent.StateSHA256 != want || parent.WeightsSHA256 != "" {
		t.Errorf("the parent is %+v, want the state %s", parent, want)
	}
}

// Predictions that an earlier version saved, which name the state, belong to the run.
func TestPredictionsOfAnEarlierVersionAreContinued(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	card := trainedCard(t, run)
	evaluation, options := Evaluation{Suite: "fog", Samples: 2, Images: 4}, EvaluateOptions{Save: t.TempDir()}
	cells, err := run.EvaluateWith(t.Context(), evaluation, options)
	if err != nil {
		t.Fatal(err)
	}
	path := score.SavedPath(options.Save, cells[0].Condition())
	for _, test := range []struct {
		weights string
		mine    bool
	}{{card.StateSHA256, true}, {card.WeightsSHA256, true}, {card.ConfigHash, false}} {
		saved, err := score.ReadSaved(path)
		if err != nil {
			t.Fatal(err)
		}
		saved.Weights = []string{test.weights}
		if err := saved.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := run.EvaluateWith(t.Context(), evaluation, options); (err == nil) != test.mine {
			t.Errorf("predictions of the weights %.12s: error %v, want one: %t", test.weights, err, !test.mine)
		}
	}
}

// runBefore opens a copy of a run that an earlier version trained, without checksums.
func runBefore(t *testing.T) *Run {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/before/runs")); err != nil {
		t.Fatal(err)
	}
	config, err := ReadConfig(filepath.Join(folder, "333cf2855251", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	return openRun(t, folder, config)
}

// A new evaluation gives a card without a checksum none, since its old entries may be damaged.
func TestCardStaysWithoutChecksum(t *testing.T) {
	run := runBefore(t)
	old := trainedCard(t, run)
	latest := *old.Evaluation
	latest.Seed++
	if err := recordEvaluation(run, latest); err != nil {
		t.Fatal(err)
	}
	card := trainedCard(t, run)
	if card.Checksum != "" || card.Evaluation.Seed != latest.Seed || card.StateSHA256 != old.StateSHA256 {
		t.Errorf("the checksum is %q, the evaluation %+v, want none and the new one", card.Checksum, card.Evaluation)
	}
	if names := run.Unsealed(); !slices.Contains(names, "card.json") {
		t.Errorf("%v are without checksums, want card.json among them", names)
	}
}

// A finished training of an earlier version, whose checkpoint has no checksum, gets no new card if
// its results show that there was one.
func TestUnverifiableCheckpointGetsNoCard(t *testing.T) {
	run := runBefore(t)
	if err := os.Remove(run.path("card.json")); err != nil {
		t.Fatal(err)
	}
	checkError(t, "training", run.Train(t.Context(), nil), "put a copy of card.json back, or remove "+run.directory)
	if exists(run.path("card.json")) {
		t.Error("a card was written")
	}
}

// A training of an earlier version that was killed between its last checkpoint and its card gets a
// card without a checksum, as the cards of that version have none.
func TestTrainingKilledBeforeItsCardIsCompleted(t *testing.T) {
	run := runBefore(t)
	want := trainedCard(t, run)
	for _, name := range append([]string{"card.json"}, resultFiles...) {
		if err := os.Remove(run.path(name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	got := trainedCard(t, run)
	if got.Checksum != "" || got.StateSHA256 != want.StateSHA256 || got.Engine != want.Engine {
		t.Errorf("the card has the checksum %q, state %s, engine %s, want none, %s, %s", got.Checksum, got.StateSHA256, got.Engine, want.StateSHA256, want.Engine)
	}
	if names := run.Unsealed("card.json"); !slices.Equal(names, []string{"card.json"}) {
		t.Errorf("%v are without checksums, want card.json", names)
	}
}

// The run that an earlier version exported and imported has the weights of the one it came from.
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
