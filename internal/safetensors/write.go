package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
)

// metadataKey is the key of the table of strings in the header.
const metadataKey = "__metadata__"

// entry describes a tensor in the header: its bytes are Offsets[0] up to Offsets[1] of the data.
type entry struct {
	name    string
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// Write replaces the file at path by one with the given tensors and metadata. The bytes depend only
// on tensors and metadata, not on the order of the tensors.
func Write(path string, tensors []Tensor, metadata map[string]string) error {
	err := files.Write(path, func(w io.Writer) error { return Encode(w, tensors, metadata) })
	if err != nil {
		return fmt.Errorf("safetensors: %s can't be written: %w", path, err)
	}
	return nil
}

// Encode writes what Write puts into a file: large types first, which aligns all data, and each
// type in the order of the names. It writes nothing if a tensor contradicts itself or two have one
// name.
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

// ErrHeader is the error of tensors and metadata that Read couldn't read again.
var ErrHeader = errors.New("names, shapes and metadata are too large")

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
		entries[t.Name] = entry{t.Name, t.DType, append([]int{}, t.Shape...),
			[]int{offset, offset + len(t.Data)}}
		offset += len(t.Data)
	}
	header, err := json.Marshal(entries)
	if len(header) > largestHeader {
		return nil, fmt.Errorf("%w: it has %d bytes, want up to %d", ErrHeader, len(header),
			largestHeader)
	}
	return append(header, bytes.Repeat([]byte(" "), -len(header)&7)...), err
}

// checksumKey is the entry of the metadata of a sealed file that has its checksum.
const checksumKey = "sha256"

// WriteSealed is Write with one more entry in the metadata, sha256: a checksum of the tensors, of
// the metadata and of an owner.
func WriteSealed(path, owner string, tensors []Tensor, metadata map[string]string) error {
	sealed := maps.Clone(metadata)
	sealed[checksumKey] = sealOf(owner, tensors, metadata)
	return Write(path, tensors, sealed)
}

// ReadSealed reads a file of WriteSealed with the same owner, and returns the metadata without the
// checksum.
func ReadSealed(path, owner string) ([]Tensor, map[string]string, error) {
	tensors, metadata, err := Read(path)
	if err == nil {
		err = CheckSeal(path, owner, tensors, metadata)
	}
	if err != nil {
		return nil, nil, err
	}
	return tensors, metadata, nil
}

// CheckSeal compares what Read returned of a file of WriteSealed with the file's checksum, and
// removes the checksum from the metadata.
func CheckSeal(path, owner string, tensors []Tensor, metadata map[string]string) error {
	checksum := metadata[checksumKey]
	delete(metadata, checksumKey)
	if checksum != sealOf(owner, tensors, metadata) {
		return errors.New("safetensors: " + path + " isn't what was written: its checksum " +
			"differs: restore it from where it came from, or name another file")
	}
	return nil
}

func sealOf(owner string, tensors []Tensor, metadata map[string]string) string {
	text := owner + "\n"
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		text += fmt.Sprintf("%s=%s\n", key, metadata[key])
	}
	sum := sha256.Sum256([]byte(text + SHA256(tensors)))
	return hex.EncodeToString(sum[:])
}
