package npy

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

// ReadRows reads the rows from index from up to, not including, index to of an array of a given
// shape, in which -1 is any length, and no others. The file must have the size that its header
// claims.
func ReadRows[T Number](path string, from, to int, shape ...int) (Array[T], error) {
	file, err := files.Open(path)
	if err != nil {
		return Array[T]{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Array[T]{}, err
	}
	array, err := readRows[T](file, info.Size(), from, to, shape...)
	if err != nil {
		return Array[T]{}, fmt.Errorf("%w (in %s)", err, path)
	}
	return array, nil
}

// readRows is ReadRows of an opened file of a size in bytes.
func readRows[T Number](file io.ReadSeeker, size int64, from, to int, shape ...int) (array Array[T],
	err error) {
	header, err := readHeaderOf[T](file, shape...)
	if err != nil {
		return array, err
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return array, err
	}
	element, inner := int64(binary.Size(T(0))), elements(header.Shape[1:])
	if want := start + int64(header.Count())*element; size != want {
		return array, fmt.Errorf("npy: file has %d bytes, array %v of type %s needs %d: it's "+
			"truncated or has something behind its end",
			size, header.Shape, header.Type, want)
	}
	if from < 0 || to < from || to > header.Shape[0] {
		return array, fmt.Errorf("npy: rows %d to %d are asked for: want part of 0 to %d", from, to,
			header.Shape[0])
	}
	if _, err := file.Seek(start+int64(from*inner)*element, io.SeekStart); err != nil {
		return array, err
	}
	array = Array[T]{append([]int{to - from}, header.Shape[1:]...), make([]T, (to-from)*inner)}
	if err := binary.Read(file, binary.LittleEndian, array.Values); err != nil {
		return array, fmt.Errorf("npy: rows %d to %d: %w: the file has changed", from, to, err)
	}
	return array, nil
}

// maxEntryBytes bounds the memory that a small archive can make a reader allocate.
const maxEntryBytes = 8 << 30

// IsArchive reports whether a path names a .npz file.
func IsArchive(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && filepath.Ext(path) == ".npz"
}

// OpenFile opens a .npy file, which may be in a .npz archive: data.npz/images.npy.
func OpenFile(path string) (io.ReadCloser, error) {
	archive, name := filepath.Dir(path), filepath.Base(path)
	if !IsArchive(archive) {
		return files.Open(path)
	}
	opened, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("npy: %s is damaged: %w: write it again with numpy.savez", archive,
			err)
	}
	file, err := opened.Open(name)
	if err != nil {
		var names []string
		for _, file := range opened.File {
			names = append(names, file.Name)
		}
		return nil, fmt.Errorf("npy: %s has no %s, but %s: %w", archive, name,
			quantity.List(names, 5), cmp.Or(opened.Close(), fs.ErrNotExist))
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
