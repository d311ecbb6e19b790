package executor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The page says how large the patch is that docs/upstream offers.
func TestUpstreamPageCountsThePatch(t *testing.T) {
	page, err := os.ReadFile("../../../docs/upstream/README.md")
	if err != nil {
		t.Fatal(err)
	}
	patch, err := os.ReadFile(upstreamPatch(t))
	if err != nil {
		t.Fatal(err)
	}
	size := sizeOfPatch(string(patch))
	want := fmt.Sprintf("adds %d lines, %d of them code, to three files and a test of %d lines, and removes none",
		size.added, size.code, size.tests)
	if size.removed != 0 || size.files != 4 || !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("the patch is %+v; docs/upstream/README.md should say that it %s", size, want)
	}
}

// patchSize is the number of files of a patch and of its lines: added and removed outside of tests,
// those of the added that are neither empty nor a comment, and added to tests.
type patchSize struct{ files, added, code, tests, removed int }

func sizeOfPatch(patch string) (size patchSize) {
	test := false
	for line := range strings.Lines(patch) {
		text := strings.TrimSpace(line[1:])
		switch {
		case strings.HasPrefix(line, "+++ "):
			size.files++
			test = strings.HasSuffix(text, "_test.go")
		case strings.HasPrefix(line, "--- "):
		case line[0] == '-':
			size.removed++
		case line[0] == '+' && test:
			size.tests++
		case line[0] == '+':
			size.added++
			if text != "" && !strings.HasPrefix(text, "//") {
				size.code++
			}
		}
	}
	return size
}

// upstreamPatch returns the path of the patch for the version in use.
func upstreamPatch(t *testing.T) string {
	t.Helper()
	folder := goList(t, theirPackage)[theirPackage].Dir
	_, version, _ := strings.Cut(filepath.Base(filepath.Dir(filepath.Dir(folder))), "@")
	patch, err := filepath.Abs("../../../docs/upstream/compute-" + version + ".patch")
	if err != nil {
		t.Fatal(err)
	}
	return patch
}

// The patch that docs/upstream offers applies to the version in use.
func TestUpstreamPatchApplies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there's no git here, which applies the patch: it was not tried")
	}
	const changed = "internal/gobackend/exec.go"
	theirs := goList(t, theirPackage)[theirPackage].Dir
	text, err := os.ReadFile(filepath.Join(theirs, "exec.go"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(changed)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, changed), text, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("git", "apply", "--check", upstreamPatch(t))
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("the patch doesn't apply: %s", output)
	}
}
