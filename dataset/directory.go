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

// TextureFolder returns the folder of textures for the corruption frost. The name "frost" stands
// for the reference's textures in the directory of data sets; any other text is the path of a
// folder, and "" stays "", which means drawn textures.
func TextureFolder(nameOrFolder string) (string, error) {
	if nameOrFolder != "frost" {
		return nameOrFolder, nil
	}
	return Folder(nameOrFolder, "")
}
