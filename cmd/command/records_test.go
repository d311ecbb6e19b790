package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// verdictsIn returns the claims of a result with their outcomes.
func verdictsIn(t *testing.T, folder string) (outcomes []string) {
	t.Helper()
	var result struct {
		Verdicts []struct{ Claim, Outcome string }
	}
	data := testkit.Must(os.ReadFile(filepath.Join(folder, "demo.json")))(t)
	if err := json.Unmarshal(data, &result); err != nil || len(result.Verdicts) == 0 {
		t.Fatalf("%d verdicts, error %v", len(result.Verdicts), err)
	}
	for _, v := range result.Verdicts {
		outcomes = append(outcomes, v.Claim+": "+v.Outcome)
	}
	return outcomes
}

// A figure is drawn of records where they lie, with the verdicts of the committed result. Nothing
// is trained, also without --no-train, and nothing is written next to them.
func TestFigureOfRecords(t *testing.T) {
	committed, out := filepath.Join("..", "..", "docs", "results", "demo"), t.TempDir()
	figure := func(arguments ...string) (stdout, stderr string, status int) {
		return execute(t, append([]string{"figure", "demo", "--scale", "quick", "--runs",
			filepath.Join(committed, "cards")}, arguments...)...)
	}
	_, stderr, status := figure("--no-train", "--cards", "--out", out)
	if status != exitDone || !strings.Contains(stderr, "records without weights: MAP seed 1, ") ||
		strings.Contains(stderr, "ECE") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if got, want := verdictsIn(t, out), verdictsIn(t, committed); !slices.Equal(got, want) {
		t.Errorf("the verdicts are %q, want %q", got, want)
	}
	for _, path := range testkit.Must(filepath.Glob(filepath.Join(committed, "cards", "*")))(t) {
		if textOf(t, filepath.Join(out, "cards", filepath.Base(path))) != textOf(t, path) {
			t.Errorf("the copy of %s differs", path)
		}
	}
	for _, c := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"--out", out}, exitDone, "claim "},
		{[]string{"--plan"}, exitDone, "done, a record without weights"},
		{[]string{"--no-train", "--images", "99"}, exitFailed, "MAP seed 1: its record lacks " +
			"first8: 8 corruptions"},
		{[]string{"--images", "99", "--out", out}, exitFailed,
			"train it in another directory of runs"},
		{[]string{"--images", "99", "--parallel", "2", "--out", out}, exitFailed,
			"error    paper: MAP seed 1: its record lacks "},
	} {
		stdout, stderr, status := figure(c.arguments...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) ||
			strings.Contains(stderr, "train  ") {
			t.Errorf("%q: status %d, want %q:\n%s%s", c.arguments, status, c.want, stdout, stderr)
		}
	}
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	return string(testkit.Must(os.ReadFile(path))(t))
}

// Commands take the records of a comparison, by their paths or by the folder as --runs, as the runs
// and the ensemble that were recorded.
func TestCommandsTakeRecords(t *testing.T) {
	runs, out := t.TempDir(), filepath.Join(t.TempDir(), "map[1]")
	directories, ensemble := threeRuns(t, runs)
	names := []string{filepath.Base(directories[0]), filepath.Base(directories[1])}
	want, _, _ := execute(t, "compare", names[0], names[1], ensemble, "--runs", runs)
	wantStatus(t, exitDone, "wrote", "compare", directories[0], directories[1], ensemble, "--out",
		out, "--cards")
	folder := filepath.Join(out, "cards")
	cards := testkit.Must(filepath.Glob(filepath.Join(out[:len(out)-len("map[1]")], "*", "cards",
		"*.record")))(t)
	for _, arguments := range [][]string{cards, {"--runs", folder}} {
		if got, stderr, status := execute(t,
			append([]string{"compare"}, arguments...)...); status != exitDone || got != want {
			t.Errorf("%q: status %d, %s\n%s\nwant\n%s", arguments, status, stderr, got, want)
		}
	}
	for _, c := range []struct {
		words  []string
		status int
		want   string
	}{
		{[]string{"runs"}, exitDone, "evaluated on first8, without weights"},
		{[]string{"runs", "name", names[0], "mine"}, exitUsage, "is a record"},
		{[]string{"runs", "rm", names[0], "--yes"}, exitUsage, "is a record"},
		{[]string{"report", names[0], "--out", filepath.Join(out, "report")}, exitDone,
			"card.json"},
		{[]string{"doctor"}, exitDone, "2 in " + folder},
		{[]string{"compare", "--tidy"}, exitDone, "gamma"},
		{[]string{"compare", "--suite", "all19"}, exitFailed, "left out: 2 runs without --suite " +
			"all19 --samples 32: records have no weights to test ("},
		{[]string{"evaluate", names[0], "--samples", "2", "--images", "4"}, exitDone, "all there"},
		{[]string{"evaluate", "--ensemble", names[0], names[1], "--samples", "2", "--images", "4"},
			exitDone, "all there"},
		{[]string{"evaluate", names[0], "--samples", "2", "--images", "3"}, exitFailed,
			"has recorded results and no weights"},
		{append(tinyRun(folder), "--epochs", "1", "--name", "mine"), exitFailed,
			"has recorded results and no weights"},
	} {
		before := testkit.Must(os.ReadDir(folder))(t)
		stdout, stderr, status := execute(t, append(c.words, "--runs", folder)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%q: status %d, want %q:\n%s%s", c.words, status, c.want, stdout, stderr)
		}
		if after := testkit.Must(os.ReadDir(folder))(t); len(after) != len(before) {
			t.Errorf("%q: the folder holds %v, before it held %v", c.words, after, before)
		}
	}
	other := filepath.Join(folder, "other.json")
	testkit.NoError(t, os.WriteFile(other, []byte("{}"), 0o644))
	wantStatus(t, exitUsage, "isn't the record of a run", "compare", other)
	if stdout, stderr, status := execute(t, append([]string{"compare", other},
		cards...)...); status != exitDone || stdout != want || !strings.Contains(stderr,
		"left out: "+other) {
		t.Errorf("with another file: status %d, %s%s", status, stdout, stderr)
	}
	damaged := onlyMatch(t, filepath.Join(folder[:len(folder)-len("map[1]/cards")], "*", "cards",
		"node-bnn-seed2.*"))
	testkit.NoError(t, os.WriteFile(damaged, []byte(textOf(t, damaged)+"\n"), 0o644))
	for args, status := range map[string]int{"compare " + names[1]: exitFailed, "compare": exitDone,
		"compare --tidy": exitDone} {
		wantTexts(t, status, []string{damaged + " was changed after it was written",
			"!cellstore: "},
			append(strings.Fields(args), "--runs", folder)...)
	}
}

// All committed records can be read.
func TestCommittedRecords(t *testing.T) {
	results := filepath.Join("..", "..", "docs", "results")
	folders := testkit.Must(filepath.Glob(filepath.Join(results, "*", "cards")))(t)
	if len(folders) < 10 {
		t.Fatalf("%d folders of records", len(folders))
	}
	for _, folder := range folders {
		for _, directory := range testkit.Must(records.List(folder))(t) {
			run := testkit.Must(nbbnn.OpenDirectory(directory))(t)
			history := testkit.Must(run.History())(t)
			card := testkit.Must(run.Card())(t)
			if card.Training != nil && len(history) <= card.Training.Epoch {
				t.Errorf("%s has %d epochs of %d", directory, len(history)-1, card.Training.Epoch)
			}
			for _, on := range card.Evaluations() {
				if _, err := run.Cells(on.Evaluation); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// The committed tables of docs/posthoc.md are those of its committed records.
func TestPosthocTablesFollowFromTheirRecords(t *testing.T) {
	folder, out := filepath.Join("..", "..", "docs", "results", "posthoc"), t.TempDir()
	cards := testkit.Must(filepath.Glob(filepath.Join(folder, "cards", "*.record")))(t)
	wantStatus(t, exitDone, "", append([]string{
		"compare", "--suite", "all19", "--images", "1000", "--samples", "16", "--out", out,
		"--label", "0f6b=post hoc",
	}, cards...)...)
	if got, want := textOf(t, filepath.Join(out, "tables.md")),
		textOf(t, filepath.Join(folder, "tables.md")); got != want {
		t.Errorf("the records give\n%s\nwant\n%s", got, want)
	}
}
