package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

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
		return errors.New("safetensors: " + path + " isn't what was written: its checksum differs: put a copy of it in its place, or name another file")
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
