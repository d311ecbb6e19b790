package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// A run is found by the name that it was given, and the list shows the name. It is no
// part of the configuration.
func TestRunsHaveNames(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"runs name " + names[0] + " first", exitDone, ""},
		{"runs name " + names[1] + " first", exitUsage, `is called "first" already`},
		{"runs name " + names[1] + " a/b", exitUsage, `"a/b" can't be a name`},
		{"train --data shapes10 --name a/b", exitUsage, `error    nbbnn: "a/b" can't be a name`},
		{"runs name " + names[1] + " abc", exitUsage,
			"could be the beginning of a run's directory"},
		{"runs name " + names[1], exitUsage, "it takes RUN NAME"},
		{"runs --where seed=1 --sort training.batch", exitDone, "first"},
		{"runs --where name=first --where error<=1", exitDone, names[0]},
		{"runs --where name!=first", exitDone, names[1]},
		{"runs --where gamma>0", exitDone, "no run in " + runs + " fulfils gamma>0"},
		{"runs --where label_noise=0 --where name=first", exitDone, names[0]},
		{"runs --where gama>0", exitUsage, `no run has a field "gama" (did you mean "gamma"?)`},
		{"runs --where gamma", exitUsage, "is no condition"},
		{"runs --where gamma=>2", exitUsage, "one of = != < <= > >="},
		{"runs name first third", exitDone, "note     the run was called first, and is called " +
			"third now"},
		{"runs name third first", exitDone, "third"},
		{"evaluate first --clean --images 4 --samples 2", exitDone, filepath.Join(runs, names[0],
			"cells.csv")},
		{"compare first", exitDone, "1 of first: " + names[0]},
		{"__complete evaluate fir", exitDone, "first"},
	} {
		wantStatus(t, c.status, c.want, append([]string{"--runs", runs},
			strings.Fields(c.args)...)...)
	}
	stdout, _, _ := execute(t, "runs", "--runs", runs, "--where", "name=first")
	if strings.Contains(stdout, names[1]) {
		t.Errorf("a run without the name is listed:\n%s", stdout)
	}
	before, _, _ := execute(t, append(tinyRun(runs), "--seed", "1", "--epochs", "1", "--json")...)
	if !strings.Contains(before, names[0]) {
		t.Errorf("the named run has another hash:\n%s", before)
	}
}

// A run whose card or name is damaged is left out of the list with a note, not shown as another.
func TestRunsSayWhatIsDamaged(t *testing.T) {
	for file, old := range map[string]string{"card.json": `"seed": 1`, labelFile: `"first"`} {
		runs := t.TempDir()
		name := trainedTwice(t, runs)[0]
		wantStatus(t, exitDone, "", "runs", "name", name, "first", "--runs", runs)
		path := filepath.Join(runs, name, file)
		data := testkit.Must(os.ReadFile(path))(t)
		damaged := bytes.Replace(data, []byte(old),
			bytes.ToUpper([]byte(strings.Replace(old, "1", "7", 1))), 1)
		testkit.NoError(t, files.WriteBytes(path, damaged))
		stdout, stderr, status := execute(t, "runs", "--runs", runs)
		if status != exitDone || strings.Contains(stdout, name) || !strings.Contains(stderr, path) {
			t.Errorf("%s: status %d, %s%swant a note of %s", file, status, stdout, stderr, path)
		}
		if file == labelFile {
			wantStatus(t, exitUsage, path+" can't be read", "compare", "first", "--runs", runs)
		}
	}
}

// Nothing is removed of a run at work, without an answer, or after "no".
func TestRunsRemove(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	wantStatus(t, exitDone, "", "evaluate", "--ensemble", names[0], names[1], "--samples", "2",
		"--images", "4", "--corruptions", "fog", "--runs", runs)
	ensembles := testkit.Must(filepath.Glob(filepath.Join(runs, "ensemble-*")))(t)
	remove := func(answer string, args ...string) (string, int) {
		var out, err bytes.Buffer
		s := streams{out: &out, err: &err}
		if answer != "" {
			s.in = strings.NewReader(answer)
		}
		status := run(t.Context(), append([]string{"runs", "rm", "--runs", runs}, args...), s)
		return out.String() + err.String(), status
	}
	unlock := testkit.Must(files.Lock(filepath.Join(runs, names[0], "lock")))(t)
	for _, c := range []struct {
		answer, args, want string
		status             int
	}{
		{"", ensembles[0] + " " + names[0] + " --yes", "is being trained or evaluated by",
			exitFailed},
		{"", ensembles[0] + " " + names[1], "there is no terminal to ask on: pass --yes to " +
			"remove 2 runs", exitUsage},
		{"n\n", ensembles[0] + " " + names[1], "nothing is removed", exitFailed},
		{"\n", filepath.Base(ensembles[0]), "nothing is removed", exitFailed},
	} {
		text, status := remove(c.answer, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("rm %s: status %d, %s, want %d and %q", c.args, status, text, c.status, c.want)
		}
	}
	err := removeRun(filepath.Join(runs, names[0])) // as if the process began after the question
	if err == nil || !strings.Contains(err.Error(), "evaluated by process") {
		t.Errorf("a run at work is removed: error %v", err)
	}
	unlock()
	gone := filepath.Join(runs, ".removed-"+names[1]) // as a killed command leaves it
	testkit.NoError(t, os.CopyFS(gone, os.DirFS(filepath.Join(runs, names[1]))))
	if stdout, stderr, _ := execute(t, "runs", "--runs", runs); strings.Contains(stdout+stderr,
		".removed") {
		t.Errorf("half-removed runs are listed: %s%s", stdout, stderr)
	}
	if left, _ := os.ReadDir(runs); len(left) != 4 {
		t.Fatalf("%d directories are left of 4", len(left))
	}
	if text, status := remove("y\n", ensembles[0], names[1]); status != exitDone {
		t.Errorf("status %d, %s", status, text)
	}
	if left, _ := os.ReadDir(runs); len(left) != 1 || left[0].Name() != names[0] {
		t.Errorf("left are %v, want %s alone", left, names[0])
	}
	elsewhere, link := filepath.Join(t.TempDir(), names[0]), filepath.Join(runs, names[0])
	testkit.NoError(t, errors.Join(os.Rename(link, elsewhere), os.Symlink(elsewhere, link)))
	before, _ := os.ReadDir(elsewhere)
	text, status := remove("", link+string(filepath.Separator), "--yes")
	if after, _ := os.ReadDir(elsewhere); status != exitDone || len(after) != len(before) ||
		isThere(link) {
		t.Errorf("status %d, %s, and %d files are left of %d", status, text, len(after),
			len(before))
	}
}

// Runs with one name and the seeds behind it are one method of that name, unless another one has
// it, too.
func TestSeedsShareAName(t *testing.T) {
	places, both := map[string]string{}, score.Comparison{}
	for i, names := range [][]string{{"noisy-1", "noisy-2"}, {"noisy-3", "noisy-4"}, {"quiet"},
		{"wide-7", "wide-8"}, {"a-9", "b-10"}, {"c-10", "c-9"}} {
		m := score.Method{Name: fmt.Sprint("gamma ", i)}
		for k, name := range names {
			directory := filepath.Join(t.TempDir(), "run")
			testkit.NoError(t, (&app{runs: t.TempDir()}).relabel(directory, name))
			places[directory] = directory
			m.Runs, m.Seeds = append(m.Runs, directory), append(m.Seeds, uint64(2*i+k+1))
			m.Cells = append(m.Cells, score.Cells{{Corruption: score.Clean}})
		}
		both.Methods = append(both.Methods, m)
	}
	named := testkit.Must(compareOrder{}.nameMethods(both, places))(t)
	if got := strings.Join(named.Names(), ", "); got != "gamma 0, gamma 1, quiet, wide, gamma 4, "+
		"gamma 5" {
		t.Errorf("the methods are called %s", got)
	}
}
