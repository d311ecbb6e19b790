package paper

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// What a figure measures with the weights of a run is kept in the run's directory, in files that
// are named by what it depends on. Each holds a checksum that is bound to the run and to its name.
// It can be computed again from the weights, which have checksums of their own, so a damaged file
// counts as missing.

// keptOwner names a file below a run's directory for its checksum.
func keptOwner(run *nbbnn.Run, path string) string {
	return run.Hash() + " " + filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// writeKept writes a value to a file of a run, creating its folder.
func writeKept(run *nbbnn.Run, path string, value any) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = files.WriteSealed(path, keptOwner(run, path), value)
	}
	if err != nil {
		return fmt.Errorf("paper: %s can't be written: %w: make the directory writable", path, err)
	}
	return nil
}

// readKept reads a file of a run, and reports whether it is there and sound. A file of an earlier
// version has no checksum.
func readKept(run *nbbnn.Run, path string, value any) bool {
	return files.ReadSealed(path, keptOwner(run, path), value) == nil
}
