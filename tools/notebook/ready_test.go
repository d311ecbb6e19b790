//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// notebooks/ready, called through a link to a link of a folder with a blank, prepares a cell's
// module without realpath, which macOS before 13 lacks.
func TestReadyThroughALinkWithoutRealpath(t *testing.T) {
	path, place := t.TempDir(), t.TempDir()
	for _, name := range []string{"sh", "dirname", "readlink", "cp", "go"} {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("notebooks/ready was not tested: %v", err)
		}
		if err := os.Symlink(found, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	notebooks, err := filepath.Abs("../../notebooks")
	if err != nil {
		t.Fatal(err)
	}
	work, cell := filepath.Join(place, "my work"), filepath.Join(place, "cell")
	if err := errors.Join(
		os.Mkdir(work, 0o700), os.Mkdir(cell, 0o700), os.WriteFile(filepath.Join(cell, "go.mod"),
			[]byte("module cell\n"), 0o600),
		os.Symlink(filepath.Join(notebooks, "ready"), filepath.Join(place, "first")),
		os.Symlink("../first", filepath.Join(work, "ready")),
	); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", filepath.Join(work, "ready"))
	command.Env = append(os.Environ(), "PATH="+path, "GONB_TMP_DIR="+cell, "GOWORK=off",
		"GOFLAGS=-mod=mod")
	if said, err := command.CombinedOutput(); err != nil ||
		string(said) != "github.com/nbbnn/workbench is ready\n" {
		t.Errorf("ready says %q, error %v, want that the workbench is ready", said, err)
	}
}
