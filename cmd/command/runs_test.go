package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// openAged makes a run that isn't begun, whose files are some hours old.
func openAged(t *testing.T, runs string, config nbbnn.Config, hours int) *nbbnn.Run {
	t.Helper()
	run := testkit.Must(nbbnn.Open(runs, config))(t)
	makeDirectory(t, run)
	age(t, run, hours)
	return run
}

// makeDirectory leaves what a training leaves that was stopped before its first epoch: a directory
// with config.json.
func makeDirectory(t *testing.T, run *nbbnn.Run) {
	t.Helper()
	config := testkit.Must(json.Marshal(run.Config()))(t)
	testkit.NoError(t, os.MkdirAll(run.Directory(), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(run.Directory(), "config.json"), config, 0o644))
}

func age(t *testing.T, run *nbbnn.Run, hours int) {
	t.Helper()
	files := testkit.Must(filepath.Glob(filepath.Join(run.Directory(), "*.*")))(t)
	for _, file := range files {
		at := time.Now().Add(-time.Duration(hours) * time.Hour)
		testkit.NoError(t, os.Chtimes(file, at, at))
	}
}

// writeHistory gives a run a history of some lines, the first of the state before training.
func writeHistory(t *testing.T, run *nbbnn.Run, count int) {
	t.Helper()
	var lines strings.Builder
	sum := ""
	for number := range count {
		record := testkit.Must(json.Marshal(nbbnn.Epoch{Epoch: number}))(t)
		sum = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n",
			run.Config().Hash(), sum, record)))[:16]
		fmt.Fprintf(&lines, "%s,\"sha256\":%q}\n", record[:len(record)-1], sum)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(run.Directory(), "train.jsonl"),
		[]byte(lines.String()), 0o644))
}

// Four runs, oldest last: not begun, at its first epoch, trained, and evaluated.
func TestRunsListsStates(t *testing.T) {
	runs := t.TempDir()
	config := tinyConfig(16, 2)
	openAged(t, runs, config, 1)
	config.Seed = 1
	begun := openAged(t, runs, config, 2)
	writeHistory(t, begun, 2)
	age(t, begun, 2)
	var most score.Cell // of the tests of one run, the one with the most samples
	for hours, gamma := range map[int]float64{3: 8, 4: 0.5} {
		config.Seed, config.Objective.Gamma = 2, gamma
		config.Training.Batch = hours
		run := openAged(t, runs, config, hours)
		testkit.NoError(t, run.Train(t.Context(), nil))
		if hours == 4 {
			testkit.Must(run.Evaluate(t.Context(), nbbnn.Evaluation{Samples: 1, Images: 8}, nil))(t)
			most = testkit.Must(run.Evaluate(t.Context(), nbbnn.Evaluation{Part: nbbnn.CleanPart,
				Samples: 9, Images: 8}, nil))(t)[0]
		}
		age(t, run, hours)
	}
	list := printed[[]listed](t, exitDone, "runs", "--runs", runs)
	if len(list) != 4 {
		t.Fatalf("%d runs, want 4", len(list))
	}
	for i, want := range []string{"not begun", "stopped, at epoch 1 of 2", "trained",
		"evaluated on first8"} {
		if got := list[i]; got.State != want || (got.TestError != nil) != (i == 3) {
			t.Errorf("run %d is %q with test error %v, want %q and an error only of the last", i,
				got.State, got.TestError, want)
		}
	}
	testkit.Near(t, "test error, of 9 samples", *list[3].TestError, most.Error, 0)
	if got := strings.Join(list[3].Differs, ";"); got != "batch 4" {
		t.Errorf("what differs is %q, want the batch", got)
	}
	stdout, _, _ := execute(t, "runs", "--runs", runs)
	rows := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(rows) != 5 || !strings.Contains(rows[4], "evaluated on first8  ") ||
		!strings.Contains(rows[4], "%") || !strings.Contains(rows[3], "batch 3") {
		t.Errorf("the table is\n%s\nwant a header and a line of each run", stdout)
	}
	for _, state := range []string{"not begun", "stopped", "trained", "evaluated"} {
		found := printed[[]listed](t, exitDone, "runs", "--runs", runs, "--where", "state="+state)
		if len(found) != 1 || !strings.HasPrefix(found[0].State, state) {
			t.Errorf("%d runs are %s, want 1: %+v", len(found), state, found)
		}
	}
	for condition, text := range map[string]string{
		"state=training": "a state is one of not begun, being trained, stopped",
		"error<":         "--where error< has no value: give one, as in 'error>0'"} {
		wantLine(t, exitUsage, text, "runs", "--runs", runs, "--where", condition)
	}
	for condition, field := range map[string]string{"gamma=two": "objective.gamma",
		"gamma<NaN":  "objective.gamma",
		"seed>x":     "seed",
		"error<half": "error"} {
		wantLine(t, exitUsage, "--where "+condition+": "+field+" is a number", "runs", "--runs",
			runs, "--where", condition)
	}
}

func TestRunsSaysThatThereAreNoneOrThatOneIsDamaged(t *testing.T) {
	runs := t.TempDir()
	if stdout, _, status := execute(t, "runs", "--runs", runs); status != exitDone ||
		!strings.HasPrefix(stdout, "no runs in ") {
		t.Errorf("status %d and %q, want a line that there are none", status, stdout)
	}
	testkit.NoError(t, os.Mkdir(filepath.Join(runs, "damaged"), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(runs, "damaged", "config.json"), []byte("{"),
		0o644))
	stdout, stderr, status := execute(t, "runs", "--runs", runs, "--json")
	if status != exitDone || strings.TrimSpace(stdout) != "[]" ||
		!strings.Contains(stderr, "damaged") {
		t.Errorf("status %d, %q and %q, want an empty list and the name of the damaged run", status,
			stdout, stderr)
	}
}

// Errors on different numbers of images say on how many, and runs that aren't begun don't decide
// what differs.
func TestRunsComparesWhatCanBeCompared(t *testing.T) {
	runs := t.TempDir()
	config := tinyConfig(16, 1)
	for seed, images := range []int{0, 4} {
		config.Seed = uint64(seed)
		run := testkit.Must(nbbnn.Open(runs, config))(t)
		testkit.NoError(t, run.Train(t.Context(), nil))
		testkit.Must(run.Evaluate(t.Context(), nbbnn.Evaluation{Samples: 1, Images: images}, nil))(
			t)
	}
	config.Training.Epochs = 9
	openAged(t, runs, config, 1)
	wantTexts(t, exitDone, []string{"% of 8", "% of 4", "!epochs", "note     left out of what " +
		"differs: 1 of 3 runs, not begun"}, "runs", "--runs", runs)
	wantTexts(t, exitDone, []string{`"test_images": 4`, `"test_images": 8`}, "runs", "--runs", runs,
		"--json")
}

// A row shows three differences, those that the fewest runs have, and more only if it would read as
// that of a run of another configuration.
func TestRunsShowTheRarestDifferences(t *testing.T) {
	var list []listed
	for _, change := range []func(*nbbnn.Training){
		func(*nbbnn.Training) {}, func(c *nbbnn.Training) {
			c.Batch = 9
		}, func(c *nbbnn.Training) { c.Epochs, c.Samples = 2, 3 },
	} {
		config := nbbnn.Config{Data: nbbnn.Data{Name: "shapes10"}, Training: nbbnn.Training{
			Epochs: 1, Batch: 8, Samples: 1}}
		change(&config.Training)
		list = append(list, listed{begun: true, Config: config.WithDefaults()})
	}
	markDifferences(&app{}, list)
	for i, want := range []string{"", "batch 9", "epochs 2, samples 3"} {
		if got := list[i].shownDifferences(list); got != want {
			t.Errorf("run %d differs in %q, want %q", i, got, want)
		}
	}
	list = nil
	for i, rate := range []float64{0.05, 0.05, 0.011} { // of MAP, which has no rate of a posterior
		config := nbbnn.Config{Data: nbbnn.Data{Name: "shapes10"},
			Method: nbbnn.Method{Name: baseline.MAP}}
		config.Training.LearningRate, config.Training.NoAugmentation = rate, i < 2
		list = append(list, listed{begun: true, Config: config.WithDefaults()})
	}
	markDifferences(&app{}, list)
	// without a text for augmentation, most must have one
	for i, want := range []string{"no augmentation", "no augmentation", "learning rate 0.011"} {
		if got := list[i].shownDifferences(list); got != want {
			t.Errorf("MAP %d differs in %q, want %q", i, got, want)
		}
	}
	list = nil
	for _, parts := range []string{"a b c d", "a b c e", "a b c d", "x b c d"} {
		list = append(list, listed{Differs: strings.Fields(parts)})
	}
	for i, want := range []string{"a, b, c, d", "a, b, c, e", "a, b, c, d", "x, b, c"} {
		if got := list[i].shownDifferences(list); got != want {
			t.Errorf("run %d differs in %q, want %q", i, got, want)
		}
	}
}

func TestRunsAreSorted(t *testing.T) {
	low, high := 0.1, 0.5
	for order, want := range map[string]string{"error": "b a c", "gamma": "c a b", "run": "a b c"} {
		list := []listed{{Run: "c"}, {Run: "a", TestError: &high}, {Run: "b", TestError: &low}}
		list[1].Config.Objective.Gamma, list[2].Config.Objective.Gamma = 1, 4
		compare := testkit.Must(runOrder(order))(t)
		slices.SortFunc(list, func(a, b listed) int {
			return cmp.Or(compare(a, b), cmp.Compare(a.Run, b.Run))
		})
		if got := list[0].Run + " " + list[1].Run + " " + list[2].Run; got != want {
			t.Errorf("--sort %s: %s, want %s", order, got, want)
		}
	}
	byName := testkit.Must(runOrder("run"))(t)
	if byName(listed{Run: "9e0000000001"}, listed{Run: "100000000000"}) <= 0 {
		t.Error("--sort run orders names of digits as numbers")
	}
	wantStatus(t, exitUsage, `did you mean "error"?`, "runs", "--sort", "eror")
}

// Conditions compare numbers as numbers, and errors of rounding, which lists don't show, don't
// count. A method is named as the list shows it, or as --method takes it.
func TestConditions(t *testing.T) {
	for value, title := range map[string]string{"map": "MAP", "MAP": "MAP", "nodebnn": "node-BNN",
		"mcdropout": "MC dropout"} {
		if c := (condition{"method", "=", value}); !c.holds(title) || c.holds("SWAG") {
			t.Errorf("method=%s doesn't choose %s alone", value, title)
		}
	}
	const rounded = "0.04000000000000001"
	for condition, values := range map[condition][]string{
		{"gamma", "=", "0.04"}: {rounded},
		{"gamma", "!=", "9"}:   {"", rounded, "10", "11"},
		{"gamma", "<", "10"}:   {rounded, "9"},
		{"gamma", "<=", "10"}:  {rounded, "9", "10"},
		{"gamma", ">", "9"}:    {"10", "11"},
		{"gamma", ">=", "10"}:  {"10", "11"},
	} {
		for _, value := range []string{"", rounded, "9", "10", "11"} {
			if got, want := condition.holds(value), slices.Contains(values, value); got != want {
				t.Errorf("%v of %q: %t, want %t", condition, value, got, want)
			}
		}
	}
}
