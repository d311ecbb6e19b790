package safetensors

import (
	"bytes"
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
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return "a tar archive: unpack it first"
	}
	return ""
}
