package paper

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// A folder of an unknown task, a second record of a run, records of other images, of another test
// and changed ones are refused.
func TestBoardRefusesRecords(t *testing.T) {
	find := func(pattern string) string {
		t.Helper()
		return testkit.Must(filepath.Glob(filepath.Join(resultsFolder, pattern)))(t)[0]
	}
	reference, cifar := find("demo/cards/map-seed1.*"), find("figure-10-quick/cards/map-*seed1.*")
	for _, c := range []struct{ from, to, old, new, want string }{
		{reference, "frogs/", "", "", "put records into the folder cifar10 or shapes10"},
		{reference, "shapes10/again.a13654e1d1e7.record", "", "", "are records of one run"},
		{reference, "shapes10/again.a13654e1d1e8.record", "", "", "is the record of run"},
		{reference, "shapes10/card.json", "", "", "isn't the record of a run"},
		{cifar, "shapes10/", "", "", "it was trained with data cifar10, train 6000, "},
		{reference, "shapes10/", "0.0", "0.1", "was changed after it was written"},
		{cifar, "cifar10/", "", "", ""}, // alone it is an entry
		{reference, "cifar10/", "", "", "this task has data cifar10, train 6000, "},
	} {
		folder := filepath.Join(t.TempDir(), tasksFolder)
		for _, file := range [][2]string{{reference, "shapes10/" + filepath.Base(reference)},
			{cifar, "cifar10/" + filepath.Base(cifar)}, {c.from, c.to}} {
			if strings.HasSuffix(file[1], "/") {
				file[1] += filepath.Base(file[0])
			}
			text := string(readFile(t, file[0]))
			if file[0] == c.from && c.old != "" {
				text = strings.Replace(text, c.old, c.new, 1)
			}
			path := filepath.Join(folder, file[1])
			testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		_, err := readTasks(filepath.Dir(folder))
		if c.want == "" {
			testkit.NoError(t, err)
		} else {
			testkit.Error(t, c.to, err, c.want)
			if strings.Count(err.Error(), folder) > 1+strings.Count(c.want, "records of one") {
				t.Errorf("it names the path twice: %v", err)
			}
		}
	}
}

// Trainings with other settings are refused.
func TestBoardRefusesTrainings(t *testing.T) {
	run := openRecord(t, "demo/cards/map-seed1")
	rules := tasks()[1]
	if _, err := rules.check(run); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*nbbnn.Card){
		"has label noise 0: ":      func(c *nbbnn.Card) { c.Config.Data.LabelNoise = 0.1 },
		"it has seed 6":            func(c *nbbnn.Card) { c.Seed = 6 },
		"it has seed 0":            func(c *nbbnn.Card) { c.Seed = 0 },
		"weights of another":       func(c *nbbnn.Card) { c.Config.Posthoc.Run = "a13654e1d1e7" },
		"aren't in a commit":       func(c *nbbnn.Card) { c.CommitModified = true },
		"xla:cuda on ":             func(c *nbbnn.Card) { c.Engine = "xla:cuda" },
		"go (NEON kernels) on ":    func(c *nbbnn.Card) { c.Engine = "go (NEON kernels)" },
		"on at most 2 cores":       func(c *nbbnn.Card) { c.Hardware = "EPYC, 16 cores, linux/amd64" },
		"its training took 601 s:": func(c *nbbnn.Card) { c.WallSeconds = 601 },
	} {
		card := testkit.Must(run.Card())(t)
		change(&card)
		testkit.Error(t, want, rules.checkTraining(card), want)
	}
	rules.Evaluation.Samples = 2
	_, err := rules.check(openRecord(t, "demo/cards/noise-gamma-0-seed2"))
	testkit.Error(t, "other passes", err, "--images 200 --samples 2 --first 200")
}

// Seconds of another test than the task's don't count.
func TestBoardCountsTheTasksTest(t *testing.T) {
	path := testkit.Must(filepath.Glob(filepath.Join(resultsFolder,
		"demo/cards/map-seed1.*")))(t)[0]
	run := openRecord(t, "demo/cards/map-seed1")
	card := testkit.Must(run.Card())(t)
	want, stray := card.Evaluation.WallSeconds, *card.Evaluation
	stray.First, stray.WallSeconds = 100, 50
	card.Earlier, card.Checksum = []nbbnn.CardEvaluation{stray}, ""
	card.Checksum = fmt.Sprintf("%x", sha256.Sum256(testkit.Must(json.Marshal(card))(t)))
	parts := []files.Part{{Name: "card.json", Text: testkit.Must(json.Marshal(card))(t)}}
	for _, name := range []string{"train.jsonl", "cells.csv"} {
		text := testkit.Must(files.ReadFile(filepath.Join(path, name)))(t)
		parts = append(parts, files.Part{Name: name, Text: text})
	}
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	testkit.NoError(t, files.WriteRecord(path, parts))
	changed := testkit.Must(nbbnn.OpenDirectory(path))(t)
	if got := testkit.Must(changed.Card())(t); len(got.Evaluations()) != 2 {
		t.Fatalf("%d evaluations, want 2", len(got.Evaluations()))
	}
	got := testkit.Must(tasks()[1].check(changed))(t)
	testkit.Near(t, "seconds", costOf([]nbbnn.Card{got}).Testing, want, 0)
}

// The page says that the demo's records are there again, bit for bit.
func TestBoardRepeatsTheDemo(t *testing.T) {
	demo := committedResult(t, "demo/demo.json")
	for _, run := range demo.Runs {
		again := filepath.Join(resultsFolder, tasksFolder, "shapes10", run.Run)
		card := testkit.Must(testkit.Must(nbbnn.OpenDirectory(again))(t).Card())(t)
		if card.StateSHA256 != run.State || card.Commit == "unknown" {
			t.Errorf("%s seed %d: commit %s, weights %s, want %s", run.Method, run.Seed,
				card.Commit, card.StateSHA256, run.State)
		}
	}
	if len(demo.Runs) != 15 {
		t.Errorf("the demo has %d runs", len(demo.Runs))
	}
}

// A row tells all settings in which it differs, and the command that verifies its records alone.
func TestBoardRowsTellWhatTheyAre(t *testing.T) {
	first, second, third := nbbnn.Config{}, nbbnn.Config{}, nbbnn.Config{}
	first.Objective.Gamma, second.Objective.Gamma = 16, 32
	third.Network.Width, third.Training.Epochs, third.Training.Batch = 4, 5, 6
	third.Posterior.InitStd = 0.5
	parts := settings(score.Comparison{Methods: []score.Method{{Settings: first},
		{Settings: second}, {Settings: third}}})
	first = nbbnn.Config{Posterior: nbbnn.Posterior{Mode: nbbnn.Deterministic, InitStd: 0.3}}
	first = first.WithDefaults()
	second = first
	second.Posterior.InitStd, second.Training.Epochs = 0.4, 7
	ordinary := settings(score.Comparison{Methods: []score.Method{{Settings: first},
		{Settings: second}}})
	if got := strings.Join(ordinary[1], ", "); got != "epochs 7" {
		t.Errorf("a network without latents is %q", got)
	}
	if got, want := strings.Join(parts[1], ", "),
		"width 0, init std 0, gamma 32, epochs 0, batch 0"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	folder := filepath.Join(t.TempDir(), "shapes10")
	testkit.NoError(t, os.Mkdir(folder, 0o755))
	for _, name := range []string{"a-seed1.11", "a-seed2.12", "b-seed1.21", "b-seed2.22",
		"b-seed1.31"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name+".record"), nil, 0o644))
	}
	for want, runs := range map[string][]string{
		"nbbnn verify shapes10/a-seed*":                                      {"11", "12"},
		"nbbnn verify shapes10/b-seed1.21.record shapes10/b-seed2.22.record": {"21", "22"},
		"nbbnn verify shapes10/b-seed1.31.record":                            {"31"},
	} {
		if got := repeat(folder, runs); got != want {
			t.Errorf("it's %q, want %q", got, want)
		}
	}
}
