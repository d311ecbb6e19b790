package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// hello is what is published about a file that holds "hello".
var hello = files.Published{
	Size:   5,
	MD5:    "5d41402abc4b2a76b9719d911017c592",
	SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
}

func write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set.tar")
	testkit.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	return path
}

func TestCheck(t *testing.T) {
	path := write(t)
	for _, test := range []struct {
		name   string
		change func(*files.Published)
		want   string
	}{
		{"as published", func(*files.Published) {}, ""},
		{"nothing published", func(p *files.Published) { *p = files.Published{} }, ""},
		{"size", func(p *files.Published) { p.Size = 17 }, "set.tar has 5 bytes, the published file 17"},
		{"md5", func(p *files.Published) { p.MD5 = "00" }, "set.tar has md5 5d41402abc4b2a76b9719d911017c592, the published file 00"},
		{"sha256", func(p *files.Published) { p.SHA256 = "11" }, "the published file 11"},
	} {
		published := hello
		test.change(&published)
		err := published.Check(t.Context(), path)
		if errors.Is(err, files.ErrDiffers) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestCheckStops(t *testing.T) {
	path := write(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := hello.Check(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := hello.Check(t.Context(), path+".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that wraps %v", err, os.ErrNotExist)
	}
}
