package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// tinyConfig trains in a second or two.
func tinyConfig() Config {
	return Config{
		Network:   Network{Width: 4},
		Data:      Data{Name: "shapes10", Train: 52, Test: 20},
		Posterior: Posterior{Components: 2, InitStd: 0.3},
		Objective: Objective{Gamma: 1},
		Training: Training{Epochs: 3, Batch: 8, Samples: 2, LearningRate: 0.01,
			PosteriorLearningRate: 0.1},
		Seed: 5,
	}
}

// briefConfig is tinyConfig with one epoch.
func briefConfig() Config {
	config := tinyConfig()
	config.Training.Epochs = 1
	return config
}

func openRun(t testing.TB, directory string, config Config) *Run {
	t.Helper()
	return testkit.Must(Open(directory, config))(t)
}

var trainedRuns testkit.Folders

// train trains a run, or copies one that an earlier test has trained with the same configuration.
func train(t testing.TB, run *Run) {
	t.Helper()
	if exists(run.path("train.jsonl")) {
		trainedCard(t, run)
		return
	}
	engine := os.Getenv("GOMLX_BACKEND") + " " + os.Getenv("NBBNN_KERNELS")
	trainedRuns.Copy(t, filepath.Base(run.directory)+" "+engine, run.directory, func() {
		trainedCard(t, run)
	})
}

// trainedRun returns a trained run in a directory.
func trainedRun(t testing.TB, directory string, config Config) *Run {
	t.Helper()
	run := openRun(t, directory, config)
	train(t, run)
	return run
}

// undisturbed returns the card of a training that nothing disturbs.
func undisturbed(t testing.TB, config Config) Card {
	t.Helper()
	return trainedCard(t, trainedRun(t, t.TempDir(), config))
}

func trainedCard(t testing.TB, run *Run) Card {
	t.Helper()
	testkit.NoError(t, run.Train(t.Context(), nil))
	return testkit.Must(run.Card())(t)
}

// A posterior or a prior that float32 can't hold is an error that names the cure, before a step.
func TestTrainRefusesImpossibleStandardDeviations(t *testing.T) {
	for name, change := range map[string]func(*Posterior){
		"a huge start":  func(p *Posterior) { p.InitStd = 1e38 },
		"a tiny start":  func(p *Posterior) { p.InitStd = 1e-45 },
		"a tiny prior":  func(p *Posterior) { p.PriorStd = 1e-40 },
		"a small start": func(p *Posterior) { p.InitStd = 1e-30 },
	} {
		config := tinyConfig()
		change(&config.Posterior)
		run := openRun(t, t.TempDir(), config)
		checkError(t, name, run.Train(t.Context(), nil), run.path("train.jsonl")+": ")
		checkError(t, name, run.Train(t.Context(), nil), "choose standard deviations and gamma "+
			"closer to 1")
		if history, err := run.History(); err != nil || len(history) != 0 ||
			exists(run.checkpointPath()) {
			t.Errorf("%s: %d epochs were recorded (%v)", name, len(history), err)
		}
	}
}

func TestTrainRecordsEveryEpoch(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	card := trainedCard(t, run)
	history := testkit.Must(run.History())(t)
	if len(history) != 4 || history[0].Epoch != 0 || history[3].Epoch != 3 {
		t.Fatalf("history of %d lines, want epochs 0 to 3", len(history))
	}
	for _, epoch := range history[1:] {
		near(t, "KL", epoch.KL, epoch.CrossEntropy-epoch.Entropy, 1e-9)
		near(t, "log-likelihood", epoch.LogLikelihood, -48*epoch.NLL, 1e-9) // 6 whole batches of 8
	}
	trainer := startedTrainer(t, run)
	trainer.state.Step, trainer.state.Wrong = 6, 24 // of 8 images with 2 samples in each step
	near(t, "error", testkit.Must(trainer.ended())(t).Error, 0.25, 0)
	if history[1].Beta != 0 || history[3].Beta != 1 {
		t.Errorf("beta is %g in the first epoch and %g in the last, want 0 and 1", history[1].Beta,
			history[3].Beta)
	}
	if len(card.StateSHA256) != 64 || !strings.HasPrefix(card.ConfigHash, card.Run) {
		t.Errorf("card has weights %q and run %q of %q", card.StateSHA256, card.Run,
			card.ConfigHash)
	}
}

// Nothing but the posterior is stochastic: another seed gives other weights, another directory the
// same.
func TestWeightsDependOnTheConfigurationAlone(t *testing.T) {
	config := briefConfig()
	first := trainedCard(t, openRun(t, t.TempDir(), config)).StateSHA256
	equal(t, "weights of the same configuration",
		trainedCard(t, openRun(t, t.TempDir(), config)).StateSHA256, first)
	config.Seed++
	if other := trainedCard(t, openRun(t, t.TempDir(), config)).StateSHA256; other == first {
		t.Error("another seed gives the same weights")
	}
}

// The Python programs of docs/using.md that read train.jsonl name keys that its lines have.
func TestDocumentedReadersNameKeys(t *testing.T) {
	document := testkit.Must(os.ReadFile("../docs/using.md"))(t)
	run := trainedRun(t, t.TempDir(), tinyConfig())
	history := testkit.Must(os.ReadFile(run.history().path))(t)
	lines := bytes.Split(bytes.TrimSpace(history), []byte("\n"))
	var have map[string]any
	testkit.NoError(t, json.Unmarshal(lines[len(lines)-1], &have))
	programs, keys := 0, regexp.MustCompile(`(?:for key in \(|, |\[|index=|values=)"([a-z_]+)"`)
	for _, program := range regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(
		string(document), -1) {
		if !strings.Contains(program[1], "train.jsonl") {
			continue
		}
		programs++
		found := keys.FindAllStringSubmatch(strings.ReplaceAll(program[1], `["run"]`, ""), -1)
		if len(found) < 3 {
			t.Errorf("the program names the keys %v only", found)
		}
		for _, key := range found {
			if _, known := have[key[1]]; !known {
				t.Errorf("the program reads %q, which no line of train.jsonl has", key[1])
			}
		}
	}
	if programs != 2 {
		t.Errorf("%d programs read train.jsonl, want one for TensorBoard and one for pandas",
			programs)
	}
}
