package nbbnn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
)

// identified returns the evaluation with the identity of its ready-made images: the name of a source, or the name of a folder
// and the beginning of a checksum, so that folders of one name, and one that is made anew, have cells of their own. A name
// that is no folder stays as it is: a card's, which is an identity already, or one whose opening will fail.
func (e Evaluation) identified() (Evaluation, error) {
	if e.Corrupted == "" {
		return e, nil
	}
	e.identity = filepath.Base(e.Corrupted)
	if slices.Contains(dataset.SourceNames(), e.Corrupted) || !exists(e.Corrupted) {
		return e, nil
	}
	sum, err := folderChecksum(e.Corrupted)
	if err != nil {
		return e, unreadable(err)
	}
	e.identity += "-" + sum
	return e, nil
}

// folderChecksum returns eight hexadecimal digits of a SHA-256: of the manifest that `nbbnn corrupt make` writes, which has
// the checksums of all files, or else of the labels and the names and sizes of the files.
func folderChecksum(folder string) (string, error) {
	data, err := os.ReadFile(filepath.Join(folder, corrupt.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = folderSummary(folder)
	}
	if err != nil {
		return "", err
	}
	return digest(data)[:8], nil
}

// folderSummary is the labels of a folder, if they're in a file, and the name and the size of every file.
func folderSummary(folder string) ([]byte, error) {
	summary, err := os.ReadFile(filepath.Join(folder, "labels.npy"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := fs.Stat(files, path)
		if err != nil {
			return err
		}
		summary = fmt.Appendf(summary, "%s %d\n", path, info.Size())
		return nil
	})
	return summary, err
}
