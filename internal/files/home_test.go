package files

import (
	"path/filepath"
	"testing"
)

func TestHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for path, want := range map[string]string{
		"~/data": filepath.Join(home, "data"), "~": home, "~other/x": "~other/x", "a/~/b": "a/~/b",
		"": "", "/data": "/data",
	} {
		if got := Home(path); got != want {
			t.Errorf("%q is %s, want %s", path, got, want)
		}
	}
}
