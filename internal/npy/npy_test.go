package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// file makes a .npy file of the given version.
func file(version byte, header string, data ...byte) []byte {
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), data...)
}

func TestReadAcceptsWhatNumPyWrites(t *testing.T) {
	tests := []struct {
		name   string
		file   []byte
		shape  []int
		values []uint8
	}{
		{"two dimensions", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }  "+
			" \n", 1, 2, 3, 4, 5, 6), []int{2, 3}, []uint8{1, 2, 3, 4, 5, 6}},
		{"version 2", file(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", 1, 2),
			[]int{2}, []uint8{1, 2}},
		{"version 3, other order of keys",
			file(3, `{"shape": (1,), "descr": "|u1", "fortran_order": False}`, 7), []int{1},
			[]uint8{7}},
		{"scalar", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", 9), []int{},
			[]uint8{9}},
		{"empty", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }\n"),
			[]int{0, 3}, []uint8{}},
		{"one dimension in Fortran order", file(1, "{'descr': '|u1', 'fortran_order': True, "+
			"'shape': (2,), }\n", 1, 2), []int{2}, []uint8{1, 2}},
		{"Fortran order", file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", 1,
			4, 2, 5, 3, 6), []int{2, 3}, []uint8{1, 2, 3, 4, 5, 6}},
		{"three dimensions in Fortran order", file(1, "{'descr': '|u1', 'fortran_order': True, "+
			"'shape': (2, 1, 2), }\n", 1, 3, 2, 4), []int{2, 1, 2}, []uint8{1, 2, 3, 4}},
		{"Python 2", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 1L), }\n", 1,
			2), []int{2, 1}, []uint8{1, 2}},
		{"Python 2, one dimension", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': "+
			"(3L,), }\n", 1, 2, 3), []int{3}, []uint8{1, 2, 3}},
		{"no space behind the last comma", file(1, "{'descr': '|u1', 'fortran_order': False, "+
			"'shape': (3,),}\n", 1, 2, 3), []int{3}, []uint8{1, 2, 3}},
		{"a space in the tuple", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, "+
			")}\n", 1, 2, 3), []int{3}, []uint8{1, 2, 3}},
		{"bytes with an order", file(1, "{'descr': '<u1', 'fortran_order': False, 'shape': (1,), "+
			"}\n", 1), []int{1}, []uint8{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			array := testkit.Must(Read[uint8](bytes.NewReader(test.file)))(t)
			if !slices.Equal(array.Shape, test.shape) || !slices.Equal(array.Values, test.values) {
				t.Errorf("got %v %v, want %v %v", array.Shape, array.Values, test.shape,
					test.values)
			}
		})
	}
}

// hostile are headers that no reader should trust, and what the error says.
var hostile = []struct {
	name string
	file []byte
	want string
}{
	{"nothing", nil, "shorter than its first 8 bytes"},
	{"another format", []byte("PK\x03\x04aaaaaaaa"), "not a .npy file"},
	{"version 4", file(4, "{}"), "format version 4"},
	{"huge header", append([]byte("\x93NUMPY\x02\x00"), 255, 255, 255, 255), "at most 65536"},
	{"header cut off", file(1, "{'descr': '|u1'}")[:20], "ends early"},
	{"negative length", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (-1, 3), }"),
		"length -1 is negative"},
	{"length beyond all bounds", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': "+
		"(99999999999999999999,), }"), "want one nearer to 0"},
	{"product overflows", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': "+
		"(999999999999, 999999999999), }"), "too large"},
	{"product overflows to a small number", file(1, "{'descr': '|u1', 'fortran_order': False, "+
		"'shape': (2147483648, 2147483648, 4, 4), }"), "too large"},
	{"product overflows beside a zero", file(1, "{'descr': '|u1', 'fortran_order': False, "+
		"'shape': (0, 999999999999, 999999999999), }"), "too large"},
	{"more than the file holds", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': "+
		"(999999999,), }", 1, 2), "truncated"},
	{"last element cut off", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 1,
		2), "truncated"},
	{"Python objects", file(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 1),
		`element type "|O"`},
	{"structured type", file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': "+
		"(1,), }"), `want a text in "quotes"`},
	{"big-endian", file(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (1,), }", 1, 2),
		`element type ">u2"`},
	{"missing key", file(1, "{'descr': '|u1', 'shape': (1,), }", 1), "want the keys"},
	{"key twice", file(1, "{'descr': '|u1', 'descr': '|u1', 'shape': (1,), }", 1),
		`the key "descr" is there twice`},
	{"unknown key", file(1, "{'code': 'print()', 'shape': (1,), }", 1), `unknown key "/code"`},
	{"text behind", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), } + 1", 1),
		"after top-level value"},
	{"no end", file(1, "{'descr': '|u1"), "it ends in the middle"},
}

func TestReadRefusesHostileFiles(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			array, err := Read[uint8](bytes.NewReader(test.file))
			if err == nil {
				t.Fatalf("got array %v, want an error with %q", array.Shape, test.want)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %q, want one with %q", err, test.want)
			}
		})
	}
}

func TestWriteFileThenReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "array.npy")
	want := Array[float64]{Shape: []int{2, 1, 2}, Values: []float64{1, -.5, 1e300, 0}}
	testkit.NoError(t, WriteFile(path, want))
	got := testkit.Must(ReadFile[float64](path))(t)
	if !slices.Equal(got.Shape, want.Shape) || !slices.Equal(got.Values, want.Values) {
		t.Errorf("got %v %v, want %v %v", got.Shape, got.Values, want.Shape, want.Values)
	}
	if second := got.At(1, 0); !slices.Equal(second.Values, want.Values[2:]) {
		t.Errorf("At(1, 0): got %v, want %v", second.Values, want.Values[2:])
	}
}

func TestAtOfEmptyArrays(t *testing.T) {
	noColumns := Array[uint8]{Shape: []int{2, 0, 3}}
	if part := noColumns.At(1); !slices.Equal(part.Shape, []int{0, 3}) || len(part.Values) != 0 {
		t.Errorf("At(1) of shape %v: got %v %v, want an empty array of shape [0 3]",
			noColumns.Shape, part.Shape, part.Values)
	}
	defer func() {
		if problem := fmt.Sprint(recover()); !strings.Contains(problem, "out of range") {
			t.Errorf("At(0) of an array without rows panics with %q, want an index out of range",
				problem)
		}
	}()
	Array[uint8]{Shape: []int{0, 3}}.At(0)
}

func TestWriteHeaderHasTheReferenceLength(t *testing.T) {
	var out bytes.Buffer
	testkit.NoError(t, WriteHeader(&out, Header{Type: "|u1", Shape: []int{50000, 32, 32, 3}}))
	if out.Len() != 128 {
		t.Errorf("got a header of %d bytes, want 128 as in CIFAR-10-C", out.Len())
	}
}

func FuzzReadHeader(f *testing.F) {
	for _, test := range hostile {
		f.Add(test.file)
	}
	f.Add(file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", 1, 2, 3, 4, 5,
		6))
	f.Fuzz(func(t *testing.T, data []byte) {
		header, err := ReadHeader(bytes.NewReader(data))
		if err != nil {
			return
		}
		if count := header.Count(); count < 0 {
			t.Errorf("shape %v has %d elements", header.Shape, count)
		}
		if array, err := Read[uint8](bytes.NewReader(data)); err == nil &&
			len(array.Values) > len(data) {
			t.Errorf("%d elements from %d bytes", len(array.Values), len(data))
		}
	})
}
