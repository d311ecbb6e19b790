package files

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/testkit"
)

// hello is what is published about a file that holds "hello".
var hello = Published{
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
		change func(*Published)
		want   string
	}{
		{"as published", func(*Published) {}, ""},
		{"nothing published", func(p *Published) { *p = Published{} }, ""},
		{"size", func(p *Published) { p.Size = 17 }, "set.tar has 5 bytes, the published file 17"},
		{"md5", func(p *Published) {
			p.MD5, p.SHA256 = "00", ""
		}, "set.tar has md5 5d41402abc4b2a76b9719d911017c592, the published file 00"},
		{"sha256", func(p *Published) { p.SHA256 = "11" }, "the published file 11"},
	} {
		published := hello
		test.change(&published)
		err := published.Check(t.Context(), path)
		if errors.Is(err, ErrDiffers) != (test.want != "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
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

// The sums of "" and "abc" are those of FIPS 180-4.
const (
	sumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	sumOfABC     = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

func TestSumFolder(t *testing.T) {
	folder := t.TempDir()
	writeAged(t, filepath.Join(folder, "a"), "abc")
	writeAged(t, filepath.Join(folder, "deep", "b"), "")
	got, err := SumFolder(t.Context(), folder, "")
	if want := map[string]string{"a": sumOfABC, "deep/b": sumOfNothing}; err != nil ||
		!maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// A memory saves reading, but never hides a change of the content, the size or the time.
func TestSumsAreRemembered(t *testing.T) {
	folder, memory := t.TempDir(), filepath.Join(t.TempDir(), "new", "memory.json")
	path := filepath.Join(folder, "a")
	writeAged(t, path, "abd")
	sum := func() string {
		t.Helper()
		sums := testkit.Must(SumFiles(t.Context(), folder, []string{"a"}, memory))(t)
		return sums["a"]
	}
	first := sum()
	aged := testkit.Must(os.Stat(path))(t)
	writeAged(t, path, "abc")
	testkit.NoError(t, os.Chtimes(path, aged.ModTime(), aged.ModTime()))
	if sum() != first {
		t.Error("a file with the remembered size and time was read again")
	}
	testkit.NoError(t, os.Chtimes(path, aged.ModTime(), aged.ModTime().Add(time.Nanosecond)))
	if got := sum(); got != sumOfABC {
		t.Errorf("after a change of time the sum is %s, want %s", got, sumOfABC)
	}
	testkit.NoError(t, os.WriteFile(memory, []byte("{"), 0o644))
	if got := sum(); got != sumOfABC {
		t.Errorf("with a damaged memory the sum is %s, want %s", got, sumOfABC)
	}
}

// A file that has just been written isn't remembered: it may change within the clock's tick.
func TestFreshFilesAreReadAgain(t *testing.T) {
	folder, memory := t.TempDir(), filepath.Join(t.TempDir(), "memory.json")
	path := filepath.Join(folder, "a")
	testkit.NoError(t, os.WriteFile(path, []byte("abd"), 0o644))
	testkit.Must(SumFiles(t.Context(), folder, []string{"a"}, memory))(t)
	if _, err := os.Stat(memory); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a fresh file is remembered (%v)", err)
	}
}

func TestSumsOfUnreadableFiles(t *testing.T) {
	folder := t.TempDir()
	if _, err := SumFiles(t.Context(), folder, []string{"none"}, ""); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	writeAged(t, filepath.Join(folder, "a"), "abc")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := SumFolder(stopped, folder, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

// writeAged writes a file that was changed an hour ago.
func writeAged(t *testing.T, path, content string) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	before := time.Now().Add(-time.Hour)
	testkit.NoError(t, os.Chtimes(path, before, before))
}
