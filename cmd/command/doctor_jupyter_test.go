package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeProgram puts a shell script that prints a line into a directory.
func writeProgram(t *testing.T, directory, name, line string) {
	t.Helper()
	script := "#!/bin/sh\necho '" + line + "'\n"
	if err := os.WriteFile(filepath.Join(directory, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// writeKernel puts the description of a kernel whose program is gone into a folder of Jupyter's.
func writeKernel(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, "kernels/gonb/kernel.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The kernel that Jupyter finds first is looked at, with a cure that fits its place, and none is no
// finding.
func TestFindOwnKernel(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("JUPYTER_PATH", elsewhere)
	t.Setenv("PATH", t.TempDir()) // without a JupyterLab
	if got := findOwnJupyter(); got != nil {
		t.Errorf("without a kernel: got %+v, want no finding", got)
	}
	for _, c := range []struct{ folder, cure string }{
		{data, "`make kernel` replaces it"},
		{elsewhere, "remove " + elsewhere + "/kernels/gonb, which Jupyter finds first, then `make kernel`"},
	} {
		writeKernel(t, c.folder)
		want := "/no/such/gonb is missing, want v0.11.4: " + c.cure
		if got := findOwnJupyter(); len(got) != 1 || got[0].Found || got[0].Text != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

func TestFindOwnLab(t *testing.T) {
	programs := t.TempDir()
	t.Setenv("PATH", programs+":/bin:/usr/bin")
	for _, c := range []struct {
		version string
		found   bool
		want    string
	}{
		{"3.5.3", false, "JupyterLab 3.5.3 is older than 3.6"},
		{"3.6.8", true, "JupyterLab 3.6.8"},
		{"4.6.6", true, "JupyterLab 4.6.6"},
		{"10.0.0", true, "JupyterLab 10.0.0"},
	} {
		writeProgram(t, programs, "jupyter-lab", c.version)
		if got := findOwnLab(t.Context()); len(got) != 1 || got[0].Found != c.found || !strings.Contains(got[0].Text, c.want) {
			t.Errorf("version %s: got %+v, want found %v, %q", c.version, got, c.found, c.want)
		}
	}
}

// A JupyterLab that says nothing, or doesn't answer in time, is no finding.
func TestFindSilentLab(t *testing.T) {
	programs := t.TempDir()
	t.Setenv("PATH", programs+":/bin:/usr/bin")
	writeProgram(t, programs, "jupyter-lab", "")
	if got := findOwnLab(t.Context()); got != nil {
		t.Errorf("without a version: got %+v, want no finding", got)
	}
	writeProgram(t, programs, "jupyter-lab", "4.6.6'; exec sleep '600")
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if got := findOwnLab(late); got != nil {
		t.Errorf("without an end: got %+v, want no finding", got)
	}
}

func TestFindPython(t *testing.T) {
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	if got := findPython(); got.Found || !strings.Contains(got.Text, "install Python 3.11") {
		t.Errorf("without a Python: got %+v, want how to install it", got)
	}
	for _, c := range []struct {
		version string
		found   bool
		want    string
	}{
		{"Python 3.10.13", false, "is Python 3.10.13, want 3.11 or newer: `make lab PYTHON=...`"},
		{"Python 3.9.1rc2", false, "want 3.11"},
		{"Python 3.13.0", true, "Python 3.13.0"},
		{"Python 2.7.18", false, "install Python 3.11"},
	} {
		writeProgram(t, programs, "python3", c.version)
		if got := findPython(); got.Found != c.found || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s: got %+v, want found %v, %q", c.version, got, c.found, c.want)
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
		if err := os.Mkdir(filepath.Join(runs, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(runs, name, "config.json"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
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
