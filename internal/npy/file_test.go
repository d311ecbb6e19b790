package npy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// onDisk writes a file's bytes.
func onDisk(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "array.npy")
	testkit.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "array.npy")
	testkit.NoError(t, WriteFile(path, Array[int64]{Shape: []int{3, 2}, Values: []int64{1, -2, 3, -4, 5, 1 << 60}}))
	file := testkit.Must(Open[int64](path))(t)
	defer file.Close()
	for _, test := range []struct {
		from, to int
		want     []int64
	}{{0, 3, []int64{1, -2, 3, -4, 5, 1 << 60}}, {2, 3, []int64{5, 1 << 60}}, {0, 1, []int64{1, -2}}, {1, 1, nil}, {3, 3, nil}} {
		rows, err := file.Rows(test.from, test.to)
		if err != nil || !slices.Equal(rows.Values, test.want) || !slices.Equal(rows.Shape, []int{test.to - test.from, 2}) {
			t.Errorf("rows %d to %d are %v %v (%v), want %v", test.from, test.to, rows.Shape, rows.Values, err, test.want)
		}
	}
	for _, outside := range [][2]int{{-1, 1}, {2, 1}, {0, 4}, {4, 4}} {
		if _, err := file.Rows(outside[0], outside[1]); err == nil || !strings.Contains(err.Error(), "want part of 0 to 3") {
			t.Errorf("rows %v: error %v, want one that says what there is", outside, err)
		}
	}
}

func TestOpenRefusesHostileFiles(t *testing.T) {
	for _, test := range hostile {
		opened, err := Open[uint8](onDisk(t, test.file))
		if err == nil {
			opened.Close()
		}
		testkit.Error(t, test.name, err, test.want)
	}
	for name, data := range map[string][]byte{
		"a byte too many": file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", 1, 2),
		"Fortran order":   file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2), }", 1, 2),
		"no rows at all":  file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 1),
	} {
		if _, err := Open[uint8](onDisk(t, data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRowsOfAFileThatShrinks(t *testing.T) {
	path := onDisk(t, file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", 1, 2, 3, 4))
	opened := testkit.Must(Open[uint8](path))(t)
	defer opened.Close()
	testkit.NoError(t, os.Truncate(path, 10))
	if _, err := opened.Rows(2, 4); err == nil || !strings.Contains(err.Error(), "the file has changed") {
		t.Errorf("error %v, want one that says the file has changed", err)
	}
}

// One severity of a file in the layout of CIFAR-10-C is read without the others.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "fog.npy")
	if err := WriteFile(path, Array[uint8]{Shape: []int{5, 2}, Values: []uint8{10, 11, 20, 21, 30, 31, 40, 41, 50, 51}}); err != nil {
		fmt.Println(err)
		return
	}
	file, err := Open[uint8](path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	rows, err := file.Rows(2, 3)
	fmt.Println(rows.Values, err)
	// Output:
	// [30 31] <nil>
}

func FuzzOpen(f *testing.F) {
	for _, test := range hostile {
		f.Add(test.file)
	}
	f.Add(file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", 1, 2, 3, 4, 5, 6))
	f.Fuzz(func(t *testing.T, data []byte) { // without files, which take longer than reading
		opened, err := newFile[uint8](memory{bytes.NewReader(data)}, int64(len(data)))
		if err != nil {
			return
		}
		defer opened.Close()
		rows, err := opened.Rows(0, opened.Shape[0])
		if err != nil || len(rows.Values) > len(data) || !bytes.HasSuffix(data, rows.Values) {
			t.Errorf("%d elements from %d bytes: %v", len(rows.Values), len(data), err)
		}
	})
}

// memory is a file without a disk.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }
