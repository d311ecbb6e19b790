package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/architecture.md names every package that programs may import, and only folders that exist.
func TestPageNamesPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range regexp.MustCompile("(?:`|\\[\")([a-z0-9]+(?:/[a-z0-9]+)*)(?:`|: )").FindAllStringSubmatch(string(text), -1) {
		named = append(named, match[1])
		if info, err := os.Stat(filepath.Join(root, match[1])); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md names %s, which is no folder", match[1])
		}
	}
	for folder := range sources(t) {
		room, _, _ := strings.Cut(folder, "/")
		if !slices.Contains([]string{"internal", "tools", "docker", "docs"}, room) && !slices.Contains(named, folder) {
			t.Errorf("docs/architecture.md doesn't name %s", folder)
		}
	}
}
