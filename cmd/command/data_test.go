package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// init leads every download of these tests to a port at which nothing listens.
func init() {
	os.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	os.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
}

// Without a network, the error says which file to bring, how to know it, and where to put it.
func TestDataGetWithoutNetwork(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("NBBNN_DATA", directory)
	wantTexts(t, exitFailed, []string{
		"error    fetch: cifar10 can't be fetched", "no connection",
		"\ncure     download manually into " + directory,
		"\n         cifar-10-binary.tar.gz from https://",
		// a file that isn't there
		"170,052,171 bytes", "md5 c32a1d4ab5d03f1284b67883e8d87530", "!verify",
	}, "data", "get", "cifar10")
}

func TestDataListTellsWhatIsThere(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("NBBNN_DATA", directory)
	for _, name := range []string{"train", "test", "meta"} {
		path := filepath.Join(directory, "cifar-100-python", name)
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	for _, entry := range printed[[]dataEntry](t, exitDone, "data", "list") {
		drawn := strings.HasPrefix(entry.Name, "shapes10") || entry.Name == "pinwheel"
		if want := drawn || entry.Name == "cifar100-python"; entry.Available != want {
			t.Errorf("%s: available is %v, want %v", entry.Name, entry.Available, want)
		}
	}
	wantStatus(t, exitFailed, "train has md5 d41d8cd98f00b204e9800998ecf8427e", "data", "verify",
		"cifar100-python")
}

// A ~ at the beginning of the variables is the home directory, which no shell has written in its
// place.
func TestHomeInVariables(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("NBBNN_DATA", "~/sets")
	t.Setenv("NBBNN_RUNS", "~/none")
	wantStatus(t, exitDone, filepath.Join(home, "sets"), "data", "where")
	wantStatus(t, exitUsage, filepath.Join(home, "none")+" doesn't exist", "runs")
}

// All data sets are listed.
func TestDataListIsWhole(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	names := []string{"shapes10 ", "shapes10-bright ", "pinwheel ", "cifar10 ", "cifar10-python ",
		"cifar100-python ", "tinyimagenet-c-extra "}
	wantTexts(t, exitDone, names, "data", "list")
}
