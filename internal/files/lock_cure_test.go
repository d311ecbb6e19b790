package files

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestCureFitsTheError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.ENOENT, "create the folder"},
		{syscall.ENOTDIR, "create the folder"},
		{syscall.EROFS, "read-only"},
		{syscall.ENOSPC, "make room"},
		{syscall.EMFILE, "too many files are open"},
		{syscall.EACCES, "make the folder writable"},
		{syscall.EPERM, "make the folder writable"},
		{syscall.EIO, "choose another folder"},
	} {
		got := cure(fmt.Errorf("run: %w", &fs.PathError{Op: "lock", Path: "lock", Err: c.err}))
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
