package nbbnn

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// openTestRun returns a run whose directory is there, with config.json.
func openTestRun(t *testing.T, config Config) *Run {
	t.Helper()
	r := openRun(t, t.TempDir(), config)
	makeDirectory(t, r)
	return r
}

func makeDirectory(t *testing.T, r *Run) {
	t.Helper()
	unlock := testkit.Must(r.lock())(t)
	unlock()
}

func TestOpenIsIdempotent(t *testing.T) {
	directory := t.TempDir()
	first := testkit.Must(Open(directory, Config{Seed: 1}))(t)
	second := testkit.Must(Open(directory, Config{Seed: 1}.WithDefaults()))(t)
	if first.Directory() != second.Directory() || first.Config() != second.Config() {
		t.Errorf("runs of one configuration are %s and %s", first.Directory(), second.Directory())
	}
	if want := filepath.Join(directory, first.hash()[:12]); first.Directory() != want {
		t.Errorf("directory is %s, want %s", first.Directory(), want)
	}
	if other, err := Open(directory, Config{Seed: 2}); err != nil ||
		other.Directory() == first.Directory() {
		t.Errorf("seeds 1 and 2 share %s (%v)", first.Directory(), err)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("opening makes %v (%v), want nothing", left, err)
	}
	makeDirectory(t, first)
	if stored, err := ReadConfig(first.path("config.json")); err != nil ||
		stored != first.Config() {
		t.Errorf("config.json holds %+v (%v), want %+v", stored, err, first.Config())
	}
	if first.Complete() {
		t.Error("an empty run is complete")
	}
}

func TestOpenRefuses(t *testing.T) {
	refused(t, "invalid configuration", "unknown bound")(Open(t.TempDir(),
		Config{Objective: Objective{Bound: "x"}}))

	r := openTestRun(t, Config{})
	rewrite(t, r.path("config.json"), `"gamma": 0`, `"gamma": 40`)
	refused(t, "another run's directory", r.path("config.json")+
		" holds a run with gamma 40, not 0")(Open(filepath.Dir(r.Directory()), Config{}))

	rewrite(t, r.path("config.json"), `"seed"`, `"sead"`)
	refused(t, "unknown key", `config.json has an unknown key`)(Open(filepath.Dir(r.Directory()),
		Config{}))

	rewrite(t, r.path("config.json"), `{`, ``)
	refused(t, "damaged file", "config.json is no configuration")(Open(filepath.Dir(r.Directory()),
		Config{}))

	file := filepath.Join(t.TempDir(), "file")
	rewrite(t, file, "", "")
	refused(t, "a file in place of the directory", "can't be created")(Open(file, Config{}))
}

// rewrite replaces text in a file, which it makes if it isn't there.
func rewrite(t *testing.T, path, old, replacement string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	testkit.NoError(t,
		os.WriteFile(path, []byte(strings.Replace(string(data), old, replacement, 1)), 0o644))
}

func TestHistory(t *testing.T) {
	r := openTestRun(t, Config{})
	checkHistory(t, r, "before training", 0)
	for epoch := range 4 {
		testkit.NoError(t, r.history().add(Epoch{Epoch: epoch, Entropy: -116.25, NLL: 1.0 / 3}))
	}
	history := checkHistory(t, r, "after three epochs", 4)
	if want := (Epoch{Epoch: 3, Entropy: -116.25, NLL: 1.0 / 3}); history[3] != want {
		t.Errorf("last epoch is %+v, want %+v", history[3], want)
	}
	appendText(t, r.history().path, `{"epoch":4,"log_li`)
	checkHistory(t, r, "with an unfinished line", 4)
	testkit.Must(r.history().truncate(2))(t)
	checkHistory(t, r, "cut after epoch 2", 3)
	refused(t, "cutting after an epoch that isn't there",
		"ends with epoch 2, the checkpoint with 3")(r.history().truncate(3))
	testkit.Must(r.history().truncate(-1))(t)
	checkHistory(t, r, "cut to nothing", 0)
	appendText(t, r.history().path, "{\"epoch\":1}\n")
	refused(t, "wrong first epoch", "or remove the line if it doesn't belong")(r.History())
}

func checkHistory(t *testing.T, r *Run, when string, want int) []Epoch {
	t.Helper()
	history, err := r.History()
	if err != nil || len(history) != want {
		t.Errorf("%s there are %d epochs, error %v, want %d", when, len(history), err, want)
	}
	return history
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, os.WriteFile(path, append(data, text...), 0o644))
}

func TestCard(t *testing.T) {
	r := openTestRun(t, Config{Network: Network{Width: 24}, Seed: 5})
	refused(t, "no card", "isn't trained to the end")(r.Card())
	testkit.NoError(t, r.history().add(Epoch{Entropy: 80}))
	want := testkit.Must(newCard(r, &dataset.Dataset{Name: "shapes10", Hash: "abc"}, "go", 1.5))(t)
	want.StateSHA256 = "def"
	testkit.NoError(t, writeCard(r, want))
	got, err := r.Card()
	if err != nil || got.Run != r.hash()[:12] || got.StateSHA256 != "def" ||
		got.Config != r.Config() || got.Training.Entropy != 80 {
		t.Errorf("card is %+v, error %v, want %+v", got, err, want)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "He-normal") || got.Commit == "" ||
		got.Evaluation != nil {
		t.Errorf("notes, commit, evaluation are %q, %q, %v", got.Notes, got.Commit, got.Evaluation)
	}
	cells := score.Cells{{Corruption: score.Clean, NLL: 0.3}}
	for severity := 1; severity < score.LevelCount; severity++ {
		cells = append(cells, score.Cell{Corruption: "fog", Severity: severity})
	}
	e := &evaluator{subject: testkit.Must(r.subject())(t),
		public: Evaluation{Seed: 3}.WithDefaults()}
	for range 2 {
		testkit.NoError(t, e.record(nil, cells, 2))
	}
	got, err = r.Card()
	if err != nil || got.Suite != "first8" || got.Samples != 32 ||
		got.Evaluation.Levels.NLL[0] != 0.3 || got.Evaluation.WallSeconds != 4 {
		t.Errorf("after an evaluation in two parts the card is %+v, error %v", got, err)
	}
	rewrite(t, r.path("card.json"), r.hash(), "0123")
	refused(t, "another run's card", "is the card of run 0123")(r.Card())
}

// Train leaves a card that it can't read, and writes another once that one is removed.
func TestTrainKeepsAnUnreadableCard(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	want := trainedCard(t, run).StateSHA256
	path := run.path("card.json")
	rewrite(t, path, "{", `{"note": "the best so far",`)
	changed := testkit.Must(os.ReadFile(path))(t)
	checkError(t, "training over a card with a note", run.Train(t.Context(), nil),
		"(Run.Train) writes it again, without its evaluations")
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, changed) {
		t.Errorf("the card was changed to %s (%v)", kept, err)
	}
	testkit.NoError(t, os.Remove(path))
	equal(t, "weights with the second card", trainedCard(t, run).StateSHA256, want)
}

// So does Train of a run of imported weights, which has no history.
func TestTrainWritesTheCardOfAnImport(t *testing.T) {
	config := briefConfig()
	run := trainedRun(t, t.TempDir(), config)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{}))
	imported := testkit.Must(Import(t.Context(), t.TempDir(), config, path))(t)
	want := trainedCard(t, imported)
	testkit.NoError(t, os.Remove(imported.path("card.json")))
	if got := trainedCard(t, imported); got.StateSHA256 != want.StateSHA256 ||
		got.Engine != want.Engine {
		t.Errorf("the second card has %s of %q, the first %s of %q", got.StateSHA256, got.Engine,
			want.StateSHA256, want.Engine)
	}
}

// checkRates trains a run and compares the rates and beta that its history records.
func checkRates(t *testing.T, run *Run, theta, phi, beta []float64) {
	t.Helper()
	train(t, run)
	history, err := run.History()
	if err != nil || len(history) != len(theta)+1 {
		t.Fatalf("%d lines of history, error %v, want %d", len(history), err, len(theta)+1)
	}
	for i, epoch := range history[1:] { // after the state before training
		for _, q := range []struct {
			name      string
			got, want float64
		}{
			{"learning rate", epoch.LearningRate, theta[i]},
			{"posterior's learning rate", epoch.PosteriorLearningRate, phi[i]},
			{"beta", epoch.Beta, beta[i]},
		} {
			near(t, q.name, q.got, q.want, 1e-12)
		}
	}
}

// The history of every method has the rates that it trained with: of swag its own schedule, of
// csghmc the rate at the first step of each epoch. The usual one falls from half of the epochs on.
func TestHistoryHasTheRatesOfTheMethod(t *testing.T) {
	const rate, late = 0.01, 1 - 0.99*0.25/0.4 // at three quarters
	usual := []float64{rate, rate, rate, rate * late}
	for _, c := range []struct {
		method Method
		want   []float64
	}{
		{Method{Name: baseline.MAP}, usual},
		{Method{Name: baseline.SWAG, Start: 1}, []float64{rate, rate / 10, rate / 10, rate / 10}},
		{Method{Name: baseline.SWAG}, []float64{rate, rate, rate / 10, rate / 10}},
		{Method{Name: baseline.CSGHMC}, []float64{5 * rate, 2.5 * rate, 5 * rate, 2.5 * rate}},
	} {
		t.Run(string(c.method.Name), func(t *testing.T) {
			run := openRun(t, t.TempDir(), methodConfig(c.method))
			phi := run.Config().Training.PosteriorLearningRate
			checkRates(t, run, c.want, []float64{phi, phi, phi, phi}, []float64{0, 0.5, 1, 1})
		})
	}
	node := tinyConfig()
	node.Training.Epochs = 4
	checkRates(t, openRun(t, t.TempDir(), node), usual, []float64{0.1, 0.1, 0.1, 0.1},
		[]float64{0, 0.5, 1, 1})
}

// Post hoc the weights have no rate, and that of the posterior falls.
func TestHistoryHasTheRatesOfAPosthocRun(t *testing.T) {
	_, run := posthocRun(t, func(c *Config) { c.Training.Epochs = 4 })
	phi := []float64{0.02, 0.02, 0.02, 0.02 * (1 - 0.99*0.25/0.4)}
	checkRates(t, run, []float64{0, 0, 0, 0}, phi, []float64{1, 1, 1, 1})
}
