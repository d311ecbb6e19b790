package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// thousands writes a number with commas between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
