//go:build unix

package files

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A file is read whole; what isn't one is refused and not waited for, also behind a link.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	file, pipe, link, socket := filepath.Join(folder, "file"), filepath.Join(folder, "pipe"),
		filepath.Join(folder, "link"), filepath.Join(folder, "s")
	testkit.NoError(t, os.WriteFile(file, make([]byte, 100_000), 0o600))
	if data := testkit.Must(ReadFile(file))(t); len(data) != 100_000 {
		t.Errorf("%d bytes are read", len(data))
	}
	testkit.NoError(t, syscall.Mkfifo(pipe, 0o600))
	testkit.NoError(t, os.Symlink("pipe", link))
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer listener.Close()
	for path, want := range map[string]string{
		pipe: "it's a pipe", link: "it's a pipe", socket: "it's a socket",
		"/dev/null": "it's a device", folder: "is a directory",
		filepath.Join(folder, "none"): "no such file",
	} {
		_, err := ReadFile(path)
		testkit.Error(t, path, err, path+": ", want)
	}
}
