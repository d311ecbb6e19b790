package safetensors

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// kindOf says what a file is that is no safetensors file, and the cure; "" if it isn't known.
func kindOf(data []byte) string {
	begin := strings.ToLower(string(bytes.TrimSpace(data[:min(len(data), 512)])))
	switch {
	case strings.HasPrefix(begin, "version https://git-lfs"):
		return "a pointer of Git LFS, not the file: `git lfs pull` brings it"
	case strings.HasPrefix(begin, "<!doctype html"), strings.HasPrefix(begin, "<html"):
		return "a web page: download the file itself"
	case strings.HasPrefix(begin, "{") && bytes.Contains(data, []byte(`"weight_map"`)):
		return "the index of weights in several files: save them in one with safetensors.torch.save_file"
	case strings.HasPrefix(begin, "{"):
		return "a JSON file: name the .safetensors file"
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return "compressed by gzip: unpack it first"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), strings.HasPrefix(begin, "sys_info"), isPickle(data):
		return "in PyTorch's own format (torch.save), not safetensors: docs/posthoc.md has the lines of Python that save it as .safetensors"
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return "a tar archive: unpack it first"
	}
	return ""
}

// isPickle reports whether data begin as old files of torch.save. A damaged safetensors file may begin
// so, but its length of the header is below 2^32.
func isPickle(data []byte) bool {
	const mark, oldest, newest = 0x80, 2, 5 // protocols
	return len(data) >= 8 && data[0] == mark && data[1] >= oldest && data[1] <= newest && binary.LittleEndian.Uint32(data[4:]) != 0
}
