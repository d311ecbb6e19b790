package archive

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestSync(t *testing.T) {
	folder := t.TempDir()
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, "deep", "er"), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "deep", "er", "a.bin"), []byte("alpha"), 0o644))
	for name, sync := range map[string]func(string) error{"syncTree": syncTree, "syncEach": syncEach} {
		if err := sync(folder); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := sync(filepath.Join(folder, "missing")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s of a missing folder: error %v, want %v", name, err, os.ErrNotExist)
		}
	}
}
