package files

import (
	"path/filepath"
	"strings"
)

// At returns the path of a file at a place: in a directory or, if the place ends with a dot after
// other letters, next to other files whose paths begin so, such as cards/map-seed1.cells.csv.
func At(place, name string) string {
	if base := filepath.Base(place); strings.HasSuffix(base, ".") && strings.Trim(base, ".") != "" {
		return place + name
	}
	return filepath.Join(place, name)
}
