package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestSaveTraining(t *testing.T) {
	config := nbbnn.Config{
		Network: nbbnn.Network{Width: 2}, Data: nbbnn.Data{Name: "shapes10", Train: 32, Test: 8},
		Training: nbbnn.Training{Epochs: 3, Batch: 8, Samples: 1},
	}
	run := testkit.Must(nbbnn.Open(t.TempDir(), config))(t)
	_, err := Training(run)
	testkit.Error(t, "not begun", err, "isn't trained to the end")
	testkit.NoError(t, run.Train(t.Context(), nil))
	directory := filepath.Join(t.TempDir(), "results")
	files := testkit.Must(SaveTraining(run, directory))(t)
	for i, name := range []string{"training.png", "training.csv", "card.json"} {
		if files[i] != filepath.Join(directory, name) || len(readFile(t, files[i])) == 0 {
			t.Errorf("file %d is %s, want %s with content", i, files[i], name)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(readFile(t, files[1]))), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[4], "3,-") {
		t.Errorf("the table is %q, want a header, the state before training and three epochs",
			lines)
	}
	if want :=
		"epoch,log_likelihood,cross_entropy,entropy,kl,beta,gamma,learning_rate,posterior_learning_rate,nll,error,seconds"; lines[0] != want {
		t.Errorf("the header is %s, want %s", lines[0], want)
	}
	if cells := strings.Split(lines[1], ","); cells[0] != "0" || cells[1] != "" || cells[2] == "" ||
		cells[9] != "" || cells[10] != "" || cells[11] == "" {
		t.Errorf("the state before training is %q, want no likelihood and no error, and what was "+
			"measured", lines[1])
	}
	_, err = SaveTraining(run, files[1])
	testkit.Error(t, "a file in place of the directory", err, "write results into "+files[1])
	history := testkit.Must(run.History())(t)
	weights := filepath.Join(t.TempDir(), "weights.safetensors")
	testkit.NoError(t, run.Export(t.Context(), weights, nbbnn.ExportOptions{}))
	imported := testkit.Must(nbbnn.Import(t.Context(), t.TempDir(), config, weights))(t)
	_, err = SaveTraining(imported, directory)
	testkit.Error(t, "is imported", err, "has no training of its own, as an imported one")
	testkit.NoError(t, os.Remove(filepath.Join(run.Directory(), "train.jsonl")))
	_, err = SaveTraining(run, directory)
	testkit.Error(t, "no train.jsonl", err, "train.jsonl has 0 epochs, checkpoint/")
	if want := decimal(history[3].KL); !strings.Contains(lines[4], ","+want+",") {
		t.Errorf("the last line is %q, want the divergence %s in it", lines[4], want)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return data
}

// The terms of a posterior are drawn where there is one.
func TestTermsOfTraining(t *testing.T) {
	for mode, want := range map[nbbnn.Mode]int{nbbnn.Output: 3, nbbnn.Both: 3,
		nbbnn.Deterministic: 1} {
		terms := termsOf(nbbnn.Config{Posterior: nbbnn.Posterior{Mode: mode}})
		if len(terms) != want || terms[want-1].quantity != "training NLL (nats)" {
			t.Errorf("mode %q has the terms %+v, want %d with the likelihood last", mode, terms,
				want)
		}
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"M32 seed 1": "m32-seed1", "M32 fixed σ seed 2": "m32-fixed-sigma-seed2",
		"out, K = 4, γ/K = 12 seed 3": "out-k-4-gamma-k-12-seed3",
	} {
		if got := FileName(name); got != want {
			t.Errorf("the files of %q are called %q, want %q", name, got, want)
		}
	}
}

// Records are named after methods and seeds; an imported run has no epochs, an ensemble no card.
// A folder with those of another comparison is refused, and other files stay.
func TestSaveRecords(t *testing.T) {
	runs, folder := t.TempDir(), filepath.Join(t.TempDir(), "cards")
	for _, path := range []string{"a/card.json", "a/train.jsonl", "a/cells.csv", "a/bins.csv",
		"a/metrics.csv", "b/card.json", "ensemble-c/ensemble.json",
		"ensemble-c/cells.csv"} {
		writeText(t, filepath.Join(runs, path), path)
	}
	for _, name := range []string{"map-seed3.d.record", "map-seed1.a.record"} {
		writeText(t, filepath.Join(folder, name), "of an earlier comparison")
	}
	writeText(t, filepath.Join(folder, "notes.txt"), "of somebody")
	find := func(run string) string { return filepath.Join(runs, run) }
	compared := score.Comparison{Methods: []score.Method{
		{Name: "MAP", Seeds: []uint64{1, 2}, Runs: []string{"a", "b"}},
		{Name: "ens MAP", Seeds: []uint64{2}, Runs: []string{"ensemble-c"}},
	}}
	other := filepath.Join(folder, "map-seed3.d.record")
	if err := SaveRecords(compared, find, folder); err == nil ||
		!strings.Contains(err.Error(), other+" isn't of these runs") {
		t.Errorf("a record of another comparison: error %v", err)
	}
	testkit.NoError(t, os.Remove(other))
	testkit.NoError(t, SaveRecords(compared, find, folder))
	entries := testkit.Must(os.ReadDir(folder))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{"ens-map.ensemble-c.record", "map-seed1.a.record", "map-seed2.b.record",
		"notes.txt"}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
	for _, name := range recordFiles {
		data, err := files.ReadFile(filepath.Join(folder, want[1], name))
		if has := name != "ensemble.json"; has != (string(data) == "a/"+name+"\n") ||
			has != (err == nil) {
			t.Errorf("%s is %q, error %v", name, data, err)
		}
	}
	for name, wrong := range map[string][]score.Method{
		"a name without a letter":    {{Name: "β", Seeds: []uint64{1}, Runs: []string{"a"}}},
		"an unknown run's directory": {{Name: "MAP", Seeds: []uint64{1}, Runs: []string{"z"}}},
	} {
		if err := SaveRecords(score.Comparison{Methods: wrong}, find,
			filepath.Join(t.TempDir(), "cards")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}
