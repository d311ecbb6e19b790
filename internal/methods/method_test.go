package methods

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The page on the methods has a row for each, and the file that it names is there.
func TestPageListsAllMethods(t *testing.T) {
	const root = "../.."
	page := testkit.Must(os.ReadFile(filepath.Join(root, "docs", "methods.md")))(t)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|.*$").FindAllStringSubmatch(
		string(page), -1) {
		listed = append(listed, row[1])
		file := regexp.MustCompile("`([a-z_/]+\\.go)`").FindStringSubmatch(row[0])
		if file == nil {
			t.Errorf("%s has no file", row[1])
			continue
		}
		if _, err := os.Stat(filepath.Join(root, file[1])); err != nil {
			t.Errorf("%s: %v", row[1], err)
		}
	}
	if want := Names()[1:]; !slices.Equal(listed, want) {
		t.Errorf("the page lists %v, want %v", listed, want)
	}
}
