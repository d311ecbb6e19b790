package command

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// writeProgram puts a shell script that prints a line into a directory.
func writeProgram(t *testing.T, directory, name, line string) {
	t.Helper()
	script := "#!/bin/sh\necho '" + line + "'\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(script), 0o755))
}

// writeKernel puts the description of a kernel whose program is gone into a folder of Jupyter's.
func writeKernel(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, "kernels/gonb/kernel.json")
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644))
}

// The kernel that Jupyter finds first is looked at, with a cure that names its place, and none is no
// finding.
func TestFindOwnKernel(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("JUPYTER_PATH", elsewhere)
	if got := findOwnKernel(); got != nil {
		t.Errorf("without a kernel: got %+v, want no finding", got)
	}
	for _, folder := range []string{data, elsewhere} {
		writeKernel(t, folder)
		want := "/no/such/gonb is missing, want v0.11.5: remove " + folder + "/kernels/gonb, then `make kernel`"
		if got := findOwnKernel(); len(got) != 1 || got[0].Found || got[0].Text != want {
			t.Errorf("got %+v, want %q", got, want)
		}
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
		testkit.NoError(t, os.Mkdir(filepath.Join(runs, name), 0o755))
		testkit.NoError(t, os.WriteFile(filepath.Join(runs, name, "config.json"), []byte(config), 0o644))
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

func TestFindPort(t *testing.T) {
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	if got := findPort(port); got.Found || !strings.Contains(got.Text, fmt.Sprintf("make lab PORT=%d", port+1)) {
		t.Errorf("taken: got %+v, want another port in it", got)
	}
	// Port 0 is any that is free: one that another program could take in the meantime would make
	// this fail at times.
	if got := findPort(0); !got.Found {
		t.Errorf("free: got %+v, want it found", got)
	}
}

func TestDiagnoseNotebooks(t *testing.T) {
	root := t.TempDir()
	if got := diagnoseNotebooks(root); len(got) != 1 || got[0].Found || !strings.Contains(got[0].Text, "clone") {
		t.Errorf("outside of a clone: got %+v, want one finding about the clone", got)
	}
	for _, path := range []string{runnerPath, pythonPath, kernelPath} {
		path = filepath.Join(root, path)
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644))
	}
	want := map[string]struct {
		found bool
		text  string
	}{
		"python":     {true, pythonPath},
		"jupyterlab": {false, "make lab"},
		"versions":   {false, "requirements.txt"},
		"kernel":     {false, "/no/such/gonb is missing, want v0.11.5"},
		"gopls":      {false, "make lab"},
	}
	for _, got := range diagnoseNotebooks(root) {
		if want, ok := want[got.Name]; ok && (got.Found != want.found || !strings.Contains(got.Text, want.text)) {
			t.Errorf("%s: got %v, %q; want %v, %q in it", got.Name, got.Found, got.Text, want.found, want.text)
		}
	}
}
