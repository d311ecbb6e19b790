package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The nearest folder counts, the directory itself among them.
func TestAbove(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "a", "b")
	testkit.NoError(t, os.MkdirAll(filepath.Join(inner, "c"), 0o755))
	for _, folder := range []string{root, inner} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, "mark"), nil, 0o644))
	}
	for directory, want := range map[string]string{
		filepath.Join(inner, "c"): inner, inner: inner, filepath.Dir(inner): root, root: root,
	} {
		if got := Above(directory, "mark"); got != want {
			t.Errorf("above %s it's in %q, want %s", directory, got, want)
		}
	}
	if got := Above(inner, "no such mark"); got != "" {
		t.Errorf("what is nowhere is in %q", got)
	}
}
