package files

import (
	"os"
	"path/filepath"
)

// Above returns the nearest directory, from the given one upwards, that has a path, "" if none.
func Above(directory, path string) string {
	absolute, err := filepath.Abs(directory)
	for ; err == nil; absolute = filepath.Dir(absolute) {
		if _, err := os.Stat(filepath.Join(absolute, path)); err == nil {
			return absolute
		}
		if absolute == filepath.Dir(absolute) {
			break
		}
	}
	return ""
}
