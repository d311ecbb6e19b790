package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name frost means the same textures to every command: those of `nbbnn data get frost`.
func TestTexturesByName(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	if err := os.Mkdir("frost", 0o755); err != nil { // not what the name means
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "made")
	for _, args := range [][]string{
		{"corrupt", "make", "--data", "shapes10", "--images", "2", "--out", out},
		{"corrupt", "show", "--data", "shapes10", "--out", out + ".png"},
	} {
		if _, stderr, status := execute(t, append(args, "--textures", "frost")...); status == exitDone || !strings.Contains(stderr, "`nbbnn data get frost`") {
			t.Errorf("%v: status %d, %q, want an error that says how to get the textures", args, status, stderr)
		}
	}
}
