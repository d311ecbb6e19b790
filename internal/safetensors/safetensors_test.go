package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var example = []Tensor{
	{"b/weights", "F32", []int{2, 3}, bytes.Repeat([]byte{1, 2, 3, 4}, 6)},
	{"a", "U8", []int{5}, []byte{9, 8, 7, 6, 5}},
	{"count", "I64", []int{}, []byte{1, 0, 0, 0, 0, 0, 0, 0}},
	{"empty", "F32", []int{0, 7}, []byte{}},
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]string{"epoch": "3"}
	testkit.NoError(t, Write(path, example, want))
	tensors, metadata, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if order := []Tensor{example[1], example[0], example[2], example[3]}; !reflect.DeepEqual(
		tensors, order) {
		t.Errorf("tensors are %v, want %v", tensors, order)
	}
	if !reflect.DeepEqual(metadata, want) {
		t.Errorf("metadata is %v, want %v", metadata, want)
	}
}

func TestFileDoesNotDependOnTheOrder(t *testing.T) {
	reversed := []Tensor{example[3], example[2], example[1], example[0]}
	if a, b := encode(t, example), encode(t, reversed); !bytes.Equal(a, b) {
		t.Errorf("the file depends on the order of the tensors:\n%q\n%q", a, b)
	}
	if a, b := SHA256(example), SHA256(reversed); a != b {
		t.Errorf("the hash depends on the order of the tensors: %s, %s", a, b)
	}
}

// The hash must see every part of a tensor.
func TestSHA256SeesEverything(t *testing.T) {
	seen := map[string]Tensor{}
	for _, tensor := range []Tensor{
		{"a", "F32", []int{2}, make([]byte, 8)},
		{"b", "F32", []int{2}, make([]byte, 8)},
		{"a", "I32", []int{2}, make([]byte, 8)},
		{"a", "F32", []int{2, 1}, make([]byte, 8)},
		{"a", "F32", []int{2}, []byte{0, 0, 0, 0, 0, 0, 0, 1}},
	} {
		hash := SHA256([]Tensor{tensor})
		if other, double := seen[hash]; double {
			t.Errorf("%v and %v have the same hash", tensor, other)
		}
		seen[hash] = tensor
	}
}

// The layout of one file, written out by hand.
func TestWriteMatchesTheFormat(t *testing.T) {
	header := `{"__metadata__":{"k":"v"},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}  `
	want := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"\x07\x08"...)
	path := filepath.Join(t.TempDir(), "x")
	testkit.NoError(t, Write(path, []Tensor{{"x", "U8", []int{2}, []byte{7, 8}}},
		map[string]string{"k": "v"}))
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("file is %q (%v), want %q", got, err, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, tensors := range map[string][]Tensor{
		"short data":    {{"x", "F32", []int{2}, make([]byte, 4)}},
		"unknown type":  {{"x", "F33", nil, make([]byte, 4)}},
		"same name":     {{"x", "U8", nil, []byte{1}}, {"x", "U8", nil, []byte{2}}},
		"reserved name": {{metadataKey, "U8", nil, []byte{1}}},
	} {
		if err := Write(filepath.Join(t.TempDir(), "x"), tensors, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	large := map[string]string{"graph": strings.Repeat("\x01", largestHeader/6)}
	path := filepath.Join(t.TempDir(), "x")
	if err := Write(path, nil, large); !errors.Is(err, ErrHeader) {
		t.Errorf("a header that can't be read: %v, want %v", err, ErrHeader)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file that can't be read is written")
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, header, data, want string }{
		{"no object", `[]`, "", "no JSON object"}, {"null", `null`, "", "header is null"},
		{"unfinished", `{"x":`, "", "no JSON object"},
		{"trailing text", `{} x`, "", "after top-level value"},
		{"twice",
			`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
			"a", `the key "x" is there twice`},
		{"overlap",
			`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, "abc", "share bytes"},
		{"gap", `{"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "ab", "ends at 0"},
		{"left over", `{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "ab",
			"end at 1 of 2"},
		{"beyond the end", `{"x":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}}`, "ab", "of 2"},
		{"backwards", `{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,-1]}}`, "", "[0 -1]"},
		{"wrong shape", `{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,2]}}`, "ab", "say 4"},
		{"huge shape", `{"x":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,2]}}`,
			"ab", "impossible shape"},
		{"negative shape", `{"x":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,2]}}`, "ab",
			"impossible shape"},
		{"unknown field", `{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"y":1}}`, "",
			`unknown key "/y"`},
		{"misspelt field", `{"x":{"DTYPE":"U8","shape":[0],"data_offsets":[0,0]}}`, "",
			`unknown key "/DTYPE"`},
		{"doubled field", `{"x":{"dtype":"F32","dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, "",
			`the key "x.dtype" is there twice`},
		{"missing field", `{"x":{"dtype":"U8","data_offsets":[0,0]}}`, "", "is missing"},
		{"three offsets", `{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0,9]}}`, "",
			"wrong length"},
		{"no entry", `{"x":[1]}`, "", "it is [1]"},
		{"8 bits", `{"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, "a", "x.float()"},
		{"metadata of numbers", `{"__metadata__":{"x":1}}`, "", "__metadata__"},
	} {
		_, _, err := Decode(append(binary.LittleEndian.AppendUint64(nil, uint64(len(c.header))),
			c.header+c.data...))
		testkit.Error(t, c.name, err, c.want)
	}
}

func TestDecodeRefusesEveryCutFile(t *testing.T) {
	data := encode(t, example)
	for length := range data {
		if _, _, err := Decode(data[:length]); err == nil {
			t.Errorf("no error for the first %d of %d bytes", length, len(data))
		}
	}
	lying := append(bytes.Repeat([]byte{255}, 8), data[8:]...)
	if _, _, err := Decode(lying); err == nil {
		t.Error("no error for a header that is longer than the file")
	}
}

func encode(t testing.TB, tensors []Tensor) []byte {
	t.Helper()
	var buffer bytes.Buffer
	testkit.NoError(t, Encode(&buffer, tensors, nil))
	return buffer.Bytes()
}

func TestDecodeRefusesAMillionTensors(t *testing.T) {
	header := []byte("{")
	for i := range 1_000_000 {
		header = fmt.Appendf(header, `"t%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, i)
	}
	header[len(header)-1] = '}'
	_, _, err := Decode(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))),
		header...))
	testkit.Error(t, "a million tensors", err, "more than 100000 tensors")
}

// What isn't safetensors is told by its kind, with the cure for that, and a damaged file isn't.
func TestReadTellsOtherKinds(t *testing.T) {
	tar := append(append([]byte("model.pt"), make([]byte, 249)...), "ustar\x0000"...)
	for want, data := range map[string][]byte{
		"`git lfs pull`": []byte("version https://git-lfs.github.com/spec/v1\noid " +
			"sha256:aaaa\nsize 123456\n"),
		"a web page": []byte("\n<!DOCTYPE html><title>Sign in</title>"),
		"answer in XML": []byte(
			"\ufeff<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"),
		"packed":                []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"),
		"unpack it first":       []byte("PK\x03\x04\x14\x00\x00\x00\x00\x00model.safetensors"),
		"or compressed":         []byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F"),
		"NumPy's arrays":        []byte("PK\x03\x04\x14\x00\x00\x00\x00\x00fc.weight.npy"),
		`with "Entry not found`: []byte("Entry not found"),
		`with "\x89HDF`:         []byte("\x89HDF\r\n\x1a\n\x00\x00"),
		"the index of weights": []byte(
			`{"metadata": {}, "weight_map": {"conv1.weight": "model-1.safetensors"}}`),
		"a JSON file":          []byte(`{"architectures": ["ResNet"]}`),
		"packed or":            append(tar, make([]byte, 300)...),
		"PyTorch's own format": []byte("PK\x03\x04\x00\x00\x08\x08\x00\x00archive/data.pkl"),
		"own format (torch": []byte("\x80\x02\x8a\nl\xfc\x9cF\xf9 " +
			"j\xa8P\x19.\x80\x02M\xe9\x03."),
		"format (torch.save)": []byte("sys_info\x00\x00\x00\x00"),
		"numbers of type \"F8_E4": []byte("\x3a\x00\x00\x00\x00\x00\x00\x00" +
			`{"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}a`),
	} {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		testkit.NoError(t, os.WriteFile(path, data, 0o600))
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "damaged") {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	whole := encode(t, example)
	for _, damaged := range [][]byte{whole[:len(whole)-1], whole[:12],
		append([]byte{60}, whole[1:]...), append([]byte{0x80, 2}, whole[2:12]...)} {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		testkit.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, _, err := Read(path)
		testkit.Error(t, "damaged", err, "is damaged")
	}
}

// A copy of a sound file that isn't read is the same again: it has a cure of its own.
func TestCuresOfSoundFiles(t *testing.T) {
	const x, y = `"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`,
		`"y":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`
	for _, c := range []struct{ header, data, want string }{
		{`{"__metadata__":{"a":"b","epoch":3},` + x + `}`, "ab",
			`the metadata has "epoch": 3, which is no text: save the file again`},
		{`{` + x + `}`, "ab" + strings.Repeat("\x00", 16), "end at 2 of 18 bytes: load the file " +
			"with the program that wrote it, and save it again"},
		{`{` + x + `,` + y + `}`, "ab", `the tensors "x" and "y" share bytes: save clones of them`},
		{`{"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, "a", "x.float()"},
	} {
		path := filepath.Join(t.TempDir(), "x.safetensors")
		header := c.header + strings.Repeat(" ", -len(c.header)&7)
		testkit.NoError(t,
			os.WriteFile(path, append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))),
				header+c.data...), 0o600))
		_, _, err := Read(path)
		testkit.Error(t, c.want, err, c.want)
		if strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "copy") {
			t.Errorf("%v: want no word of damage", err)
		}
	}
}

// What decodes must encode and decode to the same.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, example))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, _, err := Decode(data)
		if err != nil {
			return
		}
		again, _, err := Decode(encode(t, tensors))
		if err != nil || SHA256(again) != SHA256(tensors) {
			t.Errorf("%v becomes %v, error %v", tensors, again, err)
		}
	})
}

// The values are derived by hand from IEEE 754 and of the definition of BF16, the upper half of
// F32.
func TestFloat32(t *testing.T) {
	for _, c := range []struct {
		dtype string
		data  []byte
		want  float32
	}{
		{"F16", []byte{0x00, 0x3c}, 1}, {"F16", []byte{0x55, 0x35}, 0.333251953125},
		{"F16", []byte{0x00, 0xc0}, -2},
		{"F16", []byte{0xff, 0x7b}, 65504}, {"F16", []byte{0x01, 0x00}, 0x1p-24},
		{"F16", []byte{0xff, 0x83}, -1023 * 0x1p-24},
		{"F16", []byte{0x00, 0x7c}, float32(math.Inf(1))},
		{"F16", []byte{0x00, 0x80}, float32(math.Copysign(0, -1))},
		{"BF16", []byte{0x80, 0x3f}, 1}, {"BF16", []byte{0x49, 0xc0}, -3.140625},
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), 0.1},
		{"F32", []byte{0x00, 0x00, 0x80, 0x3f}, 1},
	} {
		got := Tensor{"x", c.dtype, []int{1}, c.data}.Float32()
		value := math.Float32frombits(binary.LittleEndian.Uint32(got.Data))
		if got.DType != "F32" || len(got.Data) != 4 ||
			math.Float32bits(value) != math.Float32bits(c.want) {
			t.Errorf("%s % x is %g of %s, want %g", c.dtype, c.data, value, got.DType, c.want)
		}
	}
	nan := math.Float32frombits(binary.LittleEndian.Uint32(Tensor{"x", "F16", []int{1},
		[]byte{0x01, 0x7e}}.Float32().Data))
	if !math.IsNaN(float64(nan)) {
		t.Errorf("NaN becomes %g", nan)
	}
	if kept := (Tensor{"x", "I64", nil, make([]byte, 8)}).Float32(); kept.DType != "I64" {
		t.Errorf("a whole number becomes %s", kept.DType)
	}
}

// Every byte of a sealed file is checked: a change of one is an error, or changes nothing.
func TestSealedFileRefusesEveryFlip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]string{"weights": "ab", "engine": "go"}
	testkit.NoError(t, WriteSealed(path, "a run", example, want))
	sound, metadata, err := ReadSealed(path, "a run")
	if err != nil || !maps.Equal(metadata, want) {
		t.Fatalf("metadata is %v (%v), want %v", metadata, err, want)
	}
	data := testkit.Must(os.ReadFile(path))(t)
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1 << (at % 8)
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		tensors, metadata, err := ReadSealed(path, "a run")
		if err == nil && !(reflect.DeepEqual(tensors, sound) && metadata["weights"] == "ab" &&
			metadata["engine"] == "go") {
			t.Errorf("a flip of bit %d of byte %d, %q, goes unnoticed", at%8, at, data[at])
		}
	}
}
