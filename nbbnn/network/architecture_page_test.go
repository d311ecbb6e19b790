package network

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page on the architecture lists at most ten files for a training step, and all of them exist.
func TestOneStepPassesTenFiles(t *testing.T) {
	const most = 10
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "## One training step\n")
	if !found {
		t.Fatal("docs/architecture.md has no section on one training step")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| [0-9]+ \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	if len(rows) == 0 || len(rows) > most {
		t.Errorf("the section lists %d files, want 1 to %d", len(rows), most)
	}
	for _, row := range rows {
		if _, err := os.Stat(filepath.Join(root, row[1])); err != nil {
			t.Errorf("the section lists a file that doesn't exist: %v", err)
		}
	}
}
