package architecture

import (
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onLinuxOnly are folders and files whose scripts run in an image, on a GPU machine or on a
// cluster.
var onLinuxOnly = []string{
	"docker/check.sh", "docker/debian.sh", "docker/plugin.sh", "docker/start.sh", "tools/image/",
	"tools/gpu/",
	"tools/cluster/slurm.sh", "tools/cluster/hyperqueue.sh",
}

// gnuOnly are programs, options and paths that a Mac with macOS 12 doesn't have.
var gnuOnly = regexp.MustCompile(
	`\b(?:(sha256sum|md5sum|realpath|nproc|setsid|tac|numfmt|getent)\b|timeout -|readlink -[fe]|` +
		`sed -[Eiz]*i\s|sed -r|grep -\w*P|xargs -\w*[rd]\b|stat -\w*c|date -d|du -\w*b|cp --|sort -\w*V|head -n -|find .* -printf)|/proc/`)

// A Mac has what the scripts that run there call. A line may look for a program of GNU's before it
// calls it.
func TestScriptsCallWhatAMacHas(t *testing.T) {
	scripts := macScripts(t)
	for _, name := range []string{"Makefile", "notebooks/ready", "tools/cluster/test.sh",
		"tools/release/reproduce.sh"} {
		if scripts[name] == "" {
			t.Errorf("%s isn't among the scripts: are they found?", name)
		}
	}
	for name, text := range scripts {
		for i, line := range strings.Split(text, "\n") {
			if word := callsGNU(line); word != "" {
				t.Errorf("%s:%d: %q isn't on a Mac: do without it, or look for it first in the "+
					"same line", name, i+1, word)
			}
		}
	}
}

func TestCallsGNU(t *testing.T) {
	for line, want := range map[string]string{
		"here=$(realpath \"$0\")": "realpath", "du -cb": "du -cb", "cat /proc/cpuinfo": "/proc/",
		"sed -i s/a/b/ f": "sed -i ",
		"# realpath":      "", "x=1 # of nproc": "", "sed -n 1p": "",
		"if command -v sha256sum; then sha256sum; fi": "",
		"timeout=20": "", "timeout --kill-after=1 2 x": "timeout -",
	} {
		if got := callsGNU(line); got != want {
			t.Errorf("%q calls %q, want %q", line, got, want)
		}
	}
}

// callsGNU returns what a line of a script calls that a Mac lacks, "" if there is nothing.
func callsGNU(line string) string {
	line, _, _ = strings.Cut(" "+line, " #") // a comment
	found := gnuOnly.FindStringSubmatch(line)
	if found == nil || found[1] != "" && strings.Contains(line, "command -v "+found[1]) {
		return ""
	}
	return found[0]
}

// macScripts returns the texts of the Makefile and of the scripts that run on a Mac, by their
// paths.
func macScripts(t *testing.T) map[string]string {
	t.Helper()
	scripts := map[string]string{}
	eachFile(t, func(name, file string) error {
		script := filepath.Ext(name) == ".sh" || name == "Makefile" || name == "notebooks/ready"
		if !script || slices.ContainsFunc(onLinuxOnly, func(place string) bool {
			return strings.HasPrefix(name, place)
		}) {
			return nil
		}
		text, err := os.ReadFile(file)
		scripts[name] = string(text)
		return err
	})
	return scripts
}

// The kernels' tests with guard pages, of which docs/install.md tells, are among those of a Mac.
func TestGuardPagesOnAMac(t *testing.T) {
	mac := build.Default
	mac.GOOS, mac.GOARCH, mac.CgoEnabled = "darwin", "arm64", false
	kernel, err := mac.ImportDir(filepath.Join(root, "internal/purego/kernel"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"guard_test.go", "fused_test.go"} {
		if !slices.Contains(kernel.TestGoFiles, file) {
			t.Errorf("%s isn't compiled on a Mac, but docs/install.md says that its tests run "+
				"there", file)
		}
	}
}
