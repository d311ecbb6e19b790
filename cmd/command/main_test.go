package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/paper"
)

// A figure at one of whose runs another process works is to be made again, which isn't a failure.
func TestFigureOfALockedRunIsToBeTriedAgain(t *testing.T) {
	runs := t.TempDir()
	figure, scale, err := figureFlags{scale: string(paper.Smoke), seeds: 1}.parse("3")
	if err != nil {
		t.Fatal(err)
	}
	opened, err := figure.Open(scale, paper.Options{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	makeDirectory(t, opened[0].Run)
	unlock, err := files.Lock(filepath.Join(opened[0].Directory(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	stdout, stderr, status := execute(t, "figure", "3", "--seeds", "1", "--runs", runs, "--out", t.TempDir())
	if want := "stopped  nbbnn: run " + opened[0].Directory(); status != exitStopped || !strings.Contains(stderr, want) || stdout != "" {
		t.Errorf("status %d, %q and %q on standard output, want %d and %q", status, stderr, stdout, exitStopped, want)
	}
}

// asCommand is the environment variable with which a test starts its own program as nbbnn.
const asCommand = "NBBNN_TEST_AS_COMMAND"

// TestMain keeps the speeds that plans measure out of the user's cache.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	if folder, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(folder, "go-build")) // for a test that builds a program
	}
	cache, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}
