package npy

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/quantity"
)

// maxEntryBytes bounds what a small archive can make a reader allocate.
const maxEntryBytes = 8 << 30

// IsArchive reports whether a path is that of a .npz file.
func IsArchive(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && filepath.Ext(path) == ".npz"
}

// OpenFile opens a .npy file, which may be in a .npz archive: data.npz/images.npy.
func OpenFile(path string) (io.ReadCloser, error) {
	archive, name := filepath.Dir(path), filepath.Base(path)
	if !IsArchive(archive) {
		return os.Open(path)
	}
	opened, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("npy: %s is damaged: %w: write it again with numpy.savez", archive, err)
	}
	file, err := opened.Open(name)
	if err != nil {
		var names []string
		for _, file := range opened.File {
			names = append(names, file.Name)
		}
		return nil, fmt.Errorf("npy: %s has no %s, but %s: %w", archive, name, quantity.List(names, 5), cmp.Or(opened.Close(), fs.ErrNotExist))
	}
	if info, err := file.Stat(); err != nil || info.Size() > maxEntryBytes {
		_ = opened.Close()
		return nil, fmt.Errorf("npy: %s is larger than %d bytes", path, int64(maxEntryBytes))
	}
	return &entry{file, opened}, nil
}

// entry is an open file of an archive.
type entry struct {
	fs.File
	archive *zip.ReadCloser
}

// Close closes the archive, too.
func (e *entry) Close() error { return cmp.Or(e.File.Close(), e.archive.Close()) }
