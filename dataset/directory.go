package dataset

import (
	"fmt"
	"os"
	"path/filepath"
)

// Directory returns the directory of downloaded data: the given one, else NBBNN_DATA, else nbbnn in
// the user's cache.
func Directory(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if directory := os.Getenv("NBBNN_DATA"); directory != "" {
		return directory, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("dataset: no cache directory (%w): set NBBNN_DATA to the directory of the data sets", err)
	}
	return filepath.Join(cache, "nbbnn"), nil
}
