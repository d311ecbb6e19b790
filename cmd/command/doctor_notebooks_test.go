package command

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"argv":["/no/such/gonb"]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]struct {
		found bool
		text  string
	}{
		"python":     {true, pythonPath},
		"jupyterlab": {false, "make lab"},
		"versions":   {false, "requirements.txt"},
		"kernel":     {false, "/no/such/gonb is missing, want v0.11.4"},
		"gopls":      {false, "make lab"},
	}
	for _, got := range diagnoseNotebooks(root) {
		if want, ok := want[got.Name]; ok && (got.Found != want.found || !strings.Contains(got.Text, want.text)) {
			t.Errorf("%s: got %v, %q; want %v, %q in it", got.Name, got.Found, got.Text, want.found, want.text)
		}
	}
}
