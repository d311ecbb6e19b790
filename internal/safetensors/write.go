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

// Encode writes what Write puts into a file: large types first, which aligns all data, and each type
// in the order of the names. It writes nothing if a tensor contradicts itself or two have one name.
func Encode(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(sizes[b.DType], sizes[a.DType]), cmp.Compare(a.Name, b.Name))
	})
	header, err := headerOf(sorted, metadata)
	if err != nil {
		return err
	}
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if _, err := w.Write(append(start, header...)); err != nil {
		return err
	}
	for _, t := range sorted {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// headerOf describes tensors in the order of their data, and is filled with spaces up to a multiple
// of eight bytes, so that the data is aligned.
func headerOf(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	entries := map[string]any{}
	if len(metadata) > 0 {
		entries[metadataKey] = metadata
	}
	offset := 0
	for _, t := range tensors {
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
	return append(header, bytes.Repeat([]byte(" "), -len(header)&7)...), err
}
