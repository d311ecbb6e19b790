package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// No result replaces a file of another kind, the picture that it's made of, or files of a run.
func TestResultsReplaceNothingElse(t *testing.T) {
	photo := filepath.Join(t.TempDir(), "photo.png")
	testkit.NoError(t, os.WriteFile(photo, []byte("mine"), 0o644))
	run := t.TempDir()
	for _, name := range []string{"config.json", "train.jsonl"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(run, name), []byte("{}"), 0o644))
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"exists and isn't a .csv file", []string{"compare", "--tidy", "--out", photo}},
		{"exists and isn't a .html file", []string{"corrupt", "rank", run, "a.npz", "--out",
			photo}},
		{"--out is the image", []string{"corrupt", "show", photo, "--out", photo}},
		{"is a run, whose files", []string{"compare", "--out", run}},
		{"is a run, whose files", []string{"corrupt", "rank", run, "a.npz", "--out",
			filepath.Join(run, "a.html")}},
	} {
		wantStatus(t, exitUsage, c.want, c.args...)
	}
	if kept := testkit.Must(os.ReadFile(photo))(t); string(kept) != "mine" {
		t.Errorf("the photo is %q now", kept)
	}
}

// wantKept fails the test unless a command refuses a folder that has another's file of the name of
// any of its results.
func wantKept(t *testing.T, results string, args ...string) {
	t.Helper()
	for _, entry := range testkit.Must(os.ReadDir(results))(t) {
		path := filepath.Join(t.TempDir(), entry.Name())
		testkit.NoError(t, os.WriteFile(path, []byte("mine"), 0o644))
		wantStatus(t, exitUsage, path+" isn't of this command", append(args, "--out",
			filepath.Dir(path))...)
		if textOf(t, path) != "mine" {
			t.Errorf("%s was replaced", path)
		}
	}
	wantStatus(t, exitDone, "", append(args, "--out", results)...)
}
