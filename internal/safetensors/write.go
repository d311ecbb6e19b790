package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
)

// metadataKey is the key of the table of strings in the header.
const metadataKey = "__metadata__"

// entry describes a tensor in the header: its bytes are those from Offsets[0] up to Offsets[1] of
// the data.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// Write replaces the file at path by one with the given tensors and metadata. The same tensors and
// metadata give the same bytes, in whatever order the tensors come.
func Write(path string, tensors []Tensor, metadata map[string]string) error {
	err := files.Write(path, func(w io.Writer) error { return Encode(w, tensors, metadata) })
	if err != nil {
		return fmt.Errorf("safetensors: %s can't be written: %w", path, err)
	}
	return nil
}

// Encode writes what Write puts into a file. It writes nothing if a tensor contradicts itself or
// two have one name.
func Encode(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	f, err := newFile(tensors, metadata)
	if err != nil {
		return err
	}
	return f.write(w)
}

// file is a file that is ready to be written.
type file struct {
	header  []byte
	tensors []Tensor // in the order of their data
}

// newFile lays the tensors out: large types first, which aligns all data, and each type in the
// order of the names.
func newFile(tensors []Tensor, metadata map[string]string) (*file, error) {
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(sizes[b.DType], sizes[a.DType]), cmp.Compare(a.Name, b.Name))
	})
	entries := map[string]any{}
	if len(metadata) > 0 {
		entries[metadataKey] = metadata
	}
	offset := 0
	for _, t := range sorted {
		if err := t.check(); err != nil {
			return nil, err
		}
		if _, double := entries[t.Name]; double || t.Name == metadataKey {
			return nil, fmt.Errorf("tensor name %q can't be used, or not twice", t.Name)
		}
		entries[t.Name] = entry{t.DType, append([]int{}, t.Shape...), []int{offset, offset + len(t.Data)}}
		offset += len(t.Data)
	}
	header, err := json.Marshal(entries)
	return &file{pad(header), sorted}, err
}

// pad adds spaces up to a multiple of eight bytes, so that the data is aligned.
func pad(header []byte) []byte {
	return append(header, bytes.Repeat([]byte(" "), -len(header)&7)...)
}

func (f *file) write(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, uint64(len(f.header))); err != nil {
		return err
	}
	if _, err := w.Write(f.header); err != nil {
		return err
	}
	for _, t := range f.tensors {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}
