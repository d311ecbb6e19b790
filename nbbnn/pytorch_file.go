package nbbnn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// checkNotPyTorch refuses a file that torch.save wrote. It must be known to be no safetensors file.
func checkNotPyTorch(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return nil // readers have said so
	}
	defer file.Close()
	var first [8]byte
	if _, err := file.Read(first[:]); err != nil || !isPyTorch(first) {
		return nil
	}
	return fmt.Errorf("nbbnn: %s is in PyTorch's own format (torch.save), not safetensors: docs/posthoc.md has the lines of Python that save it as .safetensors", path)
}

// isPyTorch reports whether a file begins with these bytes that torch.save wrote: a zip, or in old
// versions a pickle, in the oldest a tar that begins with sys_info.
func isPyTorch(first [8]byte) bool {
	const pickle, oldest, newest = 0x80, 2, 5 // protocols
	if bytes.HasPrefix(first[:], []byte("PK\x03\x04")) || string(first[:]) == "sys_info" {
		return true
	}
	// A damaged safetensors file may begin so, but its length of the header is below 2^32.
	return first[0] == pickle && first[1] >= oldest && first[1] <= newest && binary.LittleEndian.Uint32(first[4:]) != 0
}
