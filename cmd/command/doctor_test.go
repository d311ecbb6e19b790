package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// writeKernel puts the description of a kernel whose program is gone into a folder of Jupyter's.
func writeKernel(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, "kernels/gonb/kernel.json")
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644))
}

// The kernel that Jupyter finds first is looked at, with a cure that names its place, and none is
// no finding.
func TestFindOwnKernel(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("JUPYTER_PATH", elsewhere)
	if got := findOwnKernel(); got != nil {
		t.Errorf("without a kernel: got %+v, want no finding", got)
	}
	for _, folder := range []string{data, elsewhere} {
		writeKernel(t, folder)
		want := "/no/such/gonb is missing, want v0.11.5: remove " +
			folder + "/kernels/gonb, then `make kernel`"
		if got := findOwnKernel(); len(got) != 1 || got[0].Found || got[0].Text != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

// A run that can't be read is found, with what to do; the others are counted.
func TestDiagnoseRuns(t *testing.T) {
	runs := t.TempDir()
	if got := diagnoseRuns(runs); got != nil {
		t.Errorf("without runs: got %+v, want no finding", got)
	}
	for name, config := range map[string]string{"empty": "{}", "half": `{"gamma":`} {
		testkit.NoError(t, os.Mkdir(filepath.Join(runs, name), 0o755))
		testkit.NoError(t, os.WriteFile(filepath.Join(runs, name, "config.json"), []byte(config),
			0o644))
	}
	got := diagnoseRuns(runs)
	if len(got) != 3 || !got[0].Found || got[0].Text != "0 in "+runs {
		t.Fatalf("got %+v, want no readable run and two findings", got)
	}
	for i, want := range []string{"holds a run that is called", "config.json"} {
		if f := got[i+1]; f.Found || !strings.Contains(f.Text, want) {
			t.Errorf("got %+v, want %q in it", f, want)
		}
	}
}

func TestDiagnoseNotebooks(t *testing.T) {
	root := t.TempDir()
	if got := diagnoseNotebooks(root); len(got) != 1 || got[0].Found ||
		!strings.Contains(got[0].Text, "clone") {
		t.Errorf("outside of a clone: got %+v, want one finding about the clone", got)
	}
	for _, path := range []string{runnerPath, pythonPath, kernelPath} {
		path = filepath.Join(root, path)
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644))
	}
	want := map[string]finding{
		"python":     {Found: true, Text: pythonPath},
		"jupyterlab": {Text: "make lab"},
		"versions":   {Text: "requirements.txt"},
		"kernel":     {Text: "/no/such/gonb is missing, want v0.11.5"},
		"gopls":      {Text: "make lab"},
	}
	for _, got := range diagnoseNotebooks(root) {
		if want, ok := want[got.Name]; ok &&
			(got.Found != want.Found || !strings.Contains(got.Text, want.Text)) {
			t.Errorf("%s: got %v, %q; want %v, %q in it", got.Name, got.Found, got.Text, want.Found,
				want.Text)
		}
	}
}
