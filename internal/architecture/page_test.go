package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page on the architecture lists the files that one training step and Figure 3 pass: few, and
// all of them exist.
func TestPageListsFilesThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	step := filesNamed(t, string(page), "## One training step", 10)
	figure := filesNamed(t, string(page), "## Figure 3", 60)
	for _, file := range step {
		if !slices.Contains(figure, file) && file != "vgg16.go" && file != "residual.go" {
			t.Errorf("Figure 3 passes %s in each training step, but the page doesn't list it there", file)
		}
	}
}

// filesNamed returns the Go files named in the tables of a section, at most so many.
func filesNamed(t *testing.T, page, heading string, most int) []string {
	t.Helper()
	_, section, found := strings.Cut(page, heading)
	if !found {
		t.Fatalf("docs/architecture.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var files []string
	for _, match := range regexp.MustCompile("`([a-z0-9_/]+/[a-z0-9_]+\\.go)`").FindAllStringSubmatch(section, -1) {
		files = append(files, match[1])
		if _, err := os.Stat(filepath.Join(root, match[1])); err != nil {
			t.Errorf("%s names %s: %v", heading, match[1], err)
		}
	}
	slices.Sort(files)
	if unique := len(slices.Compact(slices.Clone(files))); unique != len(files) || unique == 0 || unique > most {
		t.Errorf("%s names %d files, %d of them different: want 1 to %d, each once", heading, len(files), unique, most)
	}
	return files
}
