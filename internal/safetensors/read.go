package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// largestHeader is the most bytes that a header may have, the format's own limit.
const largestHeader = 100_000_000

// mostTensors bounds the time that a hostile header takes.
const mostTensors = 100_000

// Read returns the tensors of a file in the order of their names, and its metadata. The tensors
// share one piece of memory.
func Read(path string) (tensors []Tensor, metadata map[string]string, err error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w: give the path of a file that can be read",
			err)
	}
	tensors, metadata, err = Decode(data)
	var unread cureError
	switch kind := kindOf(data); {
	case err != nil && kind != "":
		return nil, nil, fmt.Errorf("safetensors: %s is %s", path, kind)
	case errors.As(err, &unread):
		return nil, nil, fmt.Errorf("safetensors: %s: %w", path, err)
	case err != nil:
		return nil, nil, fmt.Errorf("safetensors: %s is damaged: %w: download or save it again, "+
			"or name another file", path, err)
	}
	return tensors, metadata, nil
}

// ReadMetadata returns the metadata of a file without reading its tensors.
func ReadMetadata(path string) (map[string]string, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var length uint64
	if err := binary.Read(file, binary.LittleEndian, &length); err != nil ||
		length > largestHeader {
		return nil, fmt.Errorf("safetensors: %s is damaged: it has no header: save it again", path)
	}
	header, err := io.ReadAll(io.LimitReader(file, int64(length)))
	if err != nil {
		return nil, err
	}
	_, metadata, err := parseHeader(header)
	return metadata, err
}

// Decode reads a whole file that is in memory. The tensors share its memory.
func Decode(data []byte) (tensors []Tensor, metadata map[string]string, err error) {
	header, data, err := splitHeader(data)
	if err != nil {
		return nil, nil, err
	}
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, nil, err
	}
	if err := checkLayout(entries, len(data)); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		t := Tensor{e.name, e.DType, e.Shape, data[e.Offsets[0]:e.Offsets[1]:e.Offsets[1]]}
		if err := t.check(); err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	slices.SortFunc(tensors, ByName)
	return tensors, metadata, nil
}

func splitHeader(file []byte) (header, data []byte, err error) {
	if len(file) < 8 {
		return nil, nil, fmt.Errorf("truncated: %d bytes are no file", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	if rest := file[8:]; length <= uint64(min(len(rest), largestHeader)) {
		return rest[:length], rest[length:], nil
	}
	return nil, nil, fmt.Errorf("truncated: a header of %d bytes doesn't fit in a file of %d",
		length, len(file))
}

// parseHeader reads the entries in the order of their names, and the metadata.
func parseHeader(header []byte) (entries []entry, metadata map[string]string, err error) {
	if bytes.Count(header, []byte(`"dtype"`)) > mostTensors {
		return nil, nil, fmt.Errorf("more than %d tensors, which no network has", mostTensors)
	}
	var all map[string]json.RawMessage
	if err := files.ParseJSON(header, &all); err != nil {
		return nil, nil, fmt.Errorf("the header is no JSON object of tensors: %w", err)
	}
	if all == nil {
		return nil, nil, errors.New("the header is null")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e := entry{name: name}
		if name == metadataKey {
			metadata, err = parseMetadata(all[name])
		} else {
			err = e.read(all[name])
			entries = append(entries, e)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("header of %.80q: %w", name, err)
		}
	}
	return entries, metadata, nil
}

// parseMetadata reads the metadata, which must be texts.
func parseMetadata(text []byte) (metadata map[string]string, err error) {
	if err = files.ParseJSON(text, &metadata); err == nil {
		return metadata, nil
	}
	var values map[string]json.RawMessage
	if files.ParseJSON(text, &values) != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if value := values[key]; value[0] != '"' {
			return nil, cureError(fmt.Sprintf("the metadata has %.40q: %.40s, which is no text: "+
				"save the file again with metadata of texts, for example save_file(tensors, "+
				"path, metadata={'epoch': '3'})", key, value))
		}
	}
	return nil, err
}

// read reads an entry, which must have all fields.
func (e *entry) read(text []byte) error {
	if err := files.ParseJSON(text, e); err != nil {
		return err
	}
	if e.DType == "" || e.Shape == nil || len(e.Offsets) != 2 {
		return errors.New("dtype, shape or data_offsets is missing or has the wrong length")
	}
	return nil
}

// checkLayout checks that the tensors fill the data without gaps and overlaps. It sorts them by
// their place.
func checkLayout(entries []entry, length int) error {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]),
			cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	end := 0
	var before *entry
	for i, e := range entries {
		if e.Offsets[0] == end && e.Offsets[1] > length {
			return fmt.Errorf("truncated: tensor %q ends at byte %d of %d", e.name, e.Offsets[1],
				length)
		}
		if before != nil && e.Offsets[0] < end && e.Offsets[1] > e.Offsets[0] {
			return cureError(fmt.Sprintf("the tensors %.80q and %.80q share bytes: save clones "+
				"of them (x.clone())", before.name, e.name))
		}
		if e.Offsets[0] != end || e.Offsets[1] < end {
			return fmt.Errorf("tensor %q has the bytes %v, the one before ends at %d of %d", e.name,
				e.Offsets, end, length)
		}
		end, before = e.Offsets[1], &entries[i]
	}
	if end != length {
		return cureError(fmt.Sprintf("the tensors end at %d of %d bytes: load the file with the "+
			"program that wrote it, and save it again without what follows", end, length))
	}
	return nil
}

// kindOf names the format of a file that isn't safetensors, and the cure; "" if unknown.
func kindOf(data []byte) string {
	begin := strings.ToLower(string(bytes.TrimSpace(data[:min(len(data), 512)])))
	if len(data) > 8 && (binary.LittleEndian.Uint64(data) <= uint64(len(data)) || data[8] == '{' &&
		data[0] != '{') {
		return "" // a damaged one
	}
	is := func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }
	isZip := is("PK\x03\x04")
	switch {
	case strings.HasPrefix(begin, "version https://git-lfs"):
		return "a pointer of Git LFS, not the file: `git lfs pull` fetches it"
	case strings.HasPrefix(strings.TrimPrefix(begin, "\ufeff"), "<"):
		return "a web page, or an answer in XML: download the file itself"
	case strings.HasPrefix(begin, "{") && bytes.Contains(data, []byte(`"weight_map"`)):
		return "the index of weights in several files: save them in one with " +
			"safetensors.torch.save_file"
	case strings.HasPrefix(begin, "{"):
		return "a JSON file: name the .safetensors file"
	case isZip && bytes.Contains(data, []byte("data.pkl")), slices.ContainsFunc(torch, is):
		return "in PyTorch's own format (torch.save), not safetensors: docs/posthoc.md has the " +
			"lines of Python that save it as .safetensors"
	case isZip && bytes.Contains(data, []byte(".npy")):
		return "a file of NumPy's arrays: save them with safetensors.numpy.save_file"
	case isZip, slices.ContainsFunc(packed, is), len(data) > 262 &&
		string(data[257:262]) == "ustar":
		return "packed or compressed: unpack it first"
	case len(data) > 8:
		return fmt.Sprintf("no safetensors file, as it begins with %.20q: name a file "+
			".safetensors, or .onnx with its network", data)
	}
	return ""
}

// How old files of torch.save begin, and files of gzip, bzip2, xz, zstd, 7-Zip and RAR.
var (
	torch  = []string{"sys_info", "\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}
	packed = []string{"\x1f\x8b", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "Rar!"}
)
