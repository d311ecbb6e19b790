package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/testkit"
)

// writer is a call of a command that writes results.
type writer struct {
	args     []string // without --out
	file     string   // that --out names in a folder; "" if it names the folder
	replaces bool     // its own results
}

// outOf returns the arguments that let results go to a folder.
func (w writer) outOf(folder string) []string {
	if w.file == "FOLDER" {
		return append(slices.Clone(w.args), folder)
	}
	return append(slices.Clone(w.args), "--out", filepath.Join(folder, w.file))
}

// begin puts the result into a folder from which the gallery makes pages.
func (w writer) begin(t *testing.T, folder string) {
	t.Helper()
	if w.file != "FOLDER" {
		return
	}
	testkit.NoError(t, os.CopyFS(filepath.Join(folder, "demo"), os.DirFS(filepath.Join("..", "..",
		"docs", "results", "demo"))))
	testkit.NoError(t, os.Remove(filepath.Join(folder, "demo", "README.md")))
}

// No result of any command with --out replaces a person's file, or one of a run.
func TestResultsReplaceNothingElse(t *testing.T) {
	run := t.TempDir()
	for _, name := range []string{"config.json", "train.jsonl"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(run, name), []byte("{}"), 0o644))
	}
	writers := allWriters(t)
	for _, command := range commandsUnder(newRoot(streams{})) {
		name := strings.TrimPrefix(command.CommandPath(), "nbbnn ")
		if _, known := writers[name]; !known && command.LocalFlags().Lookup("out") != nil {
			t.Errorf("%s has --out, but isn't tested", name)
		}
	}
	for name, w := range writers {
		t.Run(name, func(t *testing.T) {
			results := t.TempDir()
			w.begin(t, results)
			if name != "figure gallery" {
				wantPlace(t, w, run)
			}
			wantStatus(t, exitDone, "", w.outOf(results)...)
			wantKept(t, results, w)
		})
	}
}

// wantPlace fails the test unless a command refuses to write among runs, and, by the ending, into a
// folder in place of a file or the other way round.
func wantPlace(t *testing.T, w writer, run string) {
	t.Helper()
	runs := w.args[len(w.args)-1]
	wantStatus(t, exitUsage, "is in the folder of runs", w.outOf(runs)...)
	wantStatus(t, exitUsage, "is in the folder of runs", w.outOf(filepath.Join(runs, "new"))...)
	other := filepath.Join(t.TempDir(), "new")
	if w.file == "" {
		wantStatus(t, exitUsage, "is a run, whose files", w.outOf(run)...)
		wantStatus(t, exitUsage, "--out is a folder, and "+other+".png ends as a file",
			w.outOf(other+".png")...)
		return
	}
	w.file = ""
	wantStatus(t, exitUsage, "end", w.outOf(other)...)
}

// The picture of a person isn't replaced by what is drawn of it.
func TestPicturesOfPeopleStay(t *testing.T) {
	photo := filepath.Join(t.TempDir(), "photo.png")
	answers := filepath.Join("..", "..", "docs", "images", "answers.png")
	picture := testkit.Must(os.ReadFile(answers))(t)
	testkit.NoError(t, os.WriteFile(photo, picture, 0o644))
	link := filepath.Join(t.TempDir(), "link.png")
	testkit.NoError(t, os.Link(photo, link))
	for _, other := range []string{photo, link} {
		wantStatus(t, exitUsage, "is the image", "corrupt", "show", other, "--out", photo)
	}
	wantStatus(t, exitUsage, "ends in .csv", "compare", "--tidy", "--out", photo)
	thesis := filepath.Join(t.TempDir(), "thesis.pdf")
	testkit.NoError(t, os.WriteFile(thesis, []byte("%PDF-1.7\n"), 0o644))
	wantStatus(t, exitUsage, "may be your own", "corrupt", "show", photo, "--out", thesis)
	for _, ending := range []string{".svg", ".pdf"} {
		own := filepath.Join(t.TempDir(), "sheet"+ending)
		for range 2 {
			wantStatus(t, exitDone, "", "corrupt", "show", photo, "--suite", "fog", "--out", own)
		}
	}
}

// allWriters returns a call of each command that writes results, by the command.
func allWriters(t *testing.T) map[string]writer {
	runs, set := t.TempDir(), filepath.Join(t.TempDir(), "set")
	name := trainedTwice(t, runs)[0]
	wantStatus(t, exitDone, "", "corrupt", "make", "--data", "shapes10", "--images", "5", "--suite",
		"fog,snow", "--out", set)
	answers := filepath.Join(t.TempDir(), "ann.npz")
	handIn(t, answers, make([]uint8, 25), func(int) float32 { return 0.5 })
	picture := filepath.Join("..", "..", "docs", "images", "answers.png")
	words := func(text string) []string { return append(strings.Fields(text), "--runs", runs) }
	return map[string]writer{
		"compare":        {words("compare --baseline node-BNN"), "", true},
		"compare --tidy": {words("compare --tidy"), "a[1].csv", true},
		"report":         {words("report " + name), "", true},
		"predict":        {words("predict " + name + " " + picture), "", true},
		"figure": {words("figure 3 --width 2 --epochs 1 --train 32 --seeds 1 --images 2 " +
			"--samples 1"), "", true},
		"figure gallery": {words("figure gallery"), "FOLDER", true},
		"corrupt make":   {words("corrupt make --data shapes10 --images 5 --suite fog"), "", true},
		"corrupt show":   {words("corrupt show --suite fog"), "sheet.png", true},
		"corrupt rank":   {words("corrupt rank " + set + " " + answers), "ranking.html", true},
		"weights export": {words("weights export " + name), "a.safetensors", true},
	}
}

func commandsUnder(root *cobra.Command) (all []*cobra.Command) {
	for _, command := range root.Commands() {
		all = append(append(all, command), commandsUnder(command)...)
	}
	return all
}

// wantKept fails the test unless a command refuses, in one sentence that names it, a person's file
// of the name of any of its results, which it replaces itself.
func wantKept(t *testing.T, results string, w writer) {
	t.Helper()
	testkit.NoError(t, filepath.WalkDir(results, func(path string, entry fs.DirEntry,
		err error) error {
		folder := t.TempDir()
		w.begin(t, folder)
		mine := filepath.Join(folder, strings.TrimPrefix(path, results))
		if err != nil || entry.IsDir() || isThere(mine) { // that is there before
			return err
		}
		testkit.NoError(t, os.MkdirAll(filepath.Dir(mine), 0o755))
		testkit.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
		stdout, stderr, status := execute(t, w.outOf(folder)...)
		if status == exitDone || stdout != "" || !strings.Contains(stderr, folder) ||
			!strings.Contains(stderr, filepath.Base(mine)) ||
			!strings.Contains(stderr, "another") && !strings.Contains(stderr, "move it") ||
			textOf(t, mine) != "mine" {
			t.Errorf("%s, which is %q now: status %d, %s%s", mine, textOf(t, mine), status, stdout,
				stderr)
		}
		return nil
	}))
	status := exitUsage
	if w.replaces {
		status = exitDone
	}
	wantStatus(t, status, "", w.outOf(results)...)
}

// A report in a folder of the run's name hides no run.
func TestReportsFolderIsNoRun(t *testing.T) {
	runs := t.TempDir()
	name := trainedTwice(t, runs)[0]
	t.Chdir(t.TempDir())
	for range 2 {
		wantStatus(t, exitDone, "", "report", name, "--out", name, "--runs", runs)
	}
}

// If the current folder is that of runs, results may stand beside them.
func TestResultsBesideRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	wantStatus(t, exitDone, "wrote    sheet.png", "corrupt", "show", "--runs", ".",
		"--corruptions", "fog", "--out", "sheet.png")
	wantStatus(t, exitUsage, "sheet.png is in the folder of runs, runs: choose another place",
		"corrupt", "show", "--corruptions", "fog", "--out", "runs/sheet.png")
}
