//go:build unix

package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Every path that a user gives may be a pipe, for which the program would wait: it's refused, in
// time.
func TestPipesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	pipe := func(path ...string) string {
		name := filepath.Join(path...)
		testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skipf("no pipes here: %v", err)
		}
		return name
	}
	weights, json, picture := pipe("w.safetensors"), pipe("c.json"), pipe("p.png")
	pipe("arrays", "images.npy")
	pipe("labelled", "labels.npy")
	pipe("set", "manifest.json")
	pipe("frost", "frost1.png")
	pipe("run", "config.json")
	const manifest = "--manifest"
	of := []string{"--network", "allcnnc", "--width", "2", "--data", "shapes10"}
	words := func(first ...string) []string { return append(first, of...) }
	for _, arguments := range [][]string{
		words("weights", "import", weights), {"weights", "import", weights, "--config", json},
		{"train", "--config", json}, {"train", "--plan", "--config", json},
		words("posthoc", "--from", weights), {"posthoc", "--from", json},
		{"sweep", "plan", "--configs", json, manifest, "m.json"}, {"sweep", "plan", "--gamma", "1",
			manifest, json}, {"sweep", "run", manifest, json},
		{"sweep", "point", manifest, json, "--index", "0"}, {"sweep", "status", manifest, json},
		{"sweep", "submit", manifest, json, "--to", "slurm"},
		{"compare", manifest, json}, {"compare", json}, {"report", json}, {"evaluate", json},
		{"evaluate", "run"}, {"weights", "export", json},
		{"weights", "export", "run", weights},
		{"corrupt", "show", picture}, {"corrupt", "make", "--data", "shapes10", "--out", "o",
			"--textures", "frost", "--images", "1", "--corruptions", "frost"},
		{"data", "add", "mine", picture}, {"data", "add", "mine", "arrays"},
		{"data", "add", "mine", "labelled"},
		{"runs", "--runs", json}, {"runs", "name", json, "x"}, {"runs", "rm", json, "--yes"},
	} {
		type result struct {
			text   string
			status int
		}
		ended := make(chan result, 1)
		go func() {
			stdout, stderr, status := execute(t, arguments...)
			ended <- result{stdout + stderr, status}
		}()
		select {
		case r := <-ended:
			if r.status == exitDone && arguments[0] != "runs" {
				t.Errorf("%q: status %d\n%s", arguments, r.status, r.text)
			}
		case <-time.After(patience):
			t.Fatalf("%q waits", arguments)
		}
	}
	if _, err := os.Stat("w.safetensors"); err != nil {
		t.Error("the pipe is gone")
	}
	wantLine(t, exitUsage, "w.safetensors: it's a pipe, which would be waited for",
		words("weights", "import", weights)...)
}

// A new flag that names a file is to be tried with a pipe, too.
func TestFlagsThatNameFiles(t *testing.T) {
	tried := []string{"config", "configs", "corrupted", "from", "manifest", "out", "runs", "save",
		"test", "textures", "directory", "claim",
		"network", "data", "channels"} // the last are no paths
	root := newRoot(streams{})
	visit := func(flags *pflag.FlagSet) {
		flags.VisitAll(func(flag *pflag.Flag) {
			isPath := strings.Contains(flag.Usage, "file ") ||
				strings.Contains(flag.Usage, "folder ") ||
				strings.Contains(flag.Usage, "directory ")
			if isPath && flag.Value.Type() == "string" && !slices.Contains(tried, flag.Name) {
				t.Errorf("--%s names a file or a folder: %s", flag.Name, flag.Usage)
			}
		})
	}
	for _, command := range root.Commands() {
		visit(command.Flags())
		visit(command.PersistentFlags())
		for _, inner := range command.Commands() {
			visit(inner.Flags())
		}
	}
}
