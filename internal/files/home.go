package files

import (
	"os"
	"path/filepath"
	"strings"
)

// Home returns a path with the user's home directory for a ~ at its beginning, which a shell
// doesn't replace within quotes.
func Home(path string) string {
	rest, found := strings.CutPrefix(path, "~")
	home, err := os.UserHomeDir()
	if !found || err != nil || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return filepath.Join(home, rest)
}
