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

	"github.com/nbbnn/workbench/internal/quantity"
)

// File is an opened .npy file of which parts are read: the first index counts rows.
type File[T Number] struct {
	Shape []int

	file  source
	start int64 // of the first element
	inner int   // elements of a row
}

// Open reads the header of a file and checks that the file has the size that the header claims;
// elements are read by Rows. The caller closes the file.
func Open[T Number](path string) (*File[T], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	f, err := newFile[T](file, info.Size())
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return f, nil
}

// source is an opened file.
type source interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// newFile is Open of an opened file of a size in bytes.
func newFile[T Number](file source, size int64) (*File[T], error) {
	header, err := readHeaderOf[T](file)
	if err != nil {
		return nil, err
	}
	if err := header.checkOrder(); err != nil {
		return nil, err
	}
	if len(header.Shape) == 0 {
		return nil, fmt.Errorf("npy: a single number has no rows: want an array")
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	if want := start + int64(header.Count())*int64(elementSize[T]()); size != want {
		return nil, fmt.Errorf("npy: file has %d bytes, array %v of type %s needs %d: it's truncated or has something behind its end",
			size, header.Shape, header.Type, want)
	}
	return &File[T]{Shape: header.Shape, file: file, start: start, inner: elements(header.Shape[1:])}, nil
}

// Rows reads the rows from index from up to, not including, index to.
func (f *File[T]) Rows(from, to int) (Array[T], error) {
	if from < 0 || to < from || to > f.Shape[0] {
		return Array[T]{}, fmt.Errorf("npy: rows %d to %d are asked for: want part of 0 to %d", from, to, f.Shape[0])
	}
	size := int64(elementSize[T]())
	section := io.NewSectionReader(f.file, f.start+int64(from*f.inner)*size, int64((to-from)*f.inner)*size)
	array := Array[T]{append([]int{to - from}, f.Shape[1:]...), make([]T, (to-from)*f.inner)}
	if err := binary.Read(section, binary.LittleEndian, array.Values); err != nil {
		return Array[T]{}, fmt.Errorf("npy: rows %d to %d: %w: the file has changed", from, to, err)
	}
	return array, nil
}

// Close closes the file.
func (f *File[T]) Close() error { return f.file.Close() }

// elementSize is the number of bytes of an element.
func elementSize[T Number]() int {
	var zero T
	return binary.Size(zero)
}

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
