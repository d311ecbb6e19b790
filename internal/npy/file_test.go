package npy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	testkit.NoError(t,
		WriteFile(path, Array[int64]{Shape: []int{3, 2}, Values: []int64{1, -2, 3, -4, 5,
			1 << 60}}))
	for _, test := range []struct {
		from, to int
		want     []int64
	}{{0, 3, []int64{1, -2, 3, -4, 5, 1 << 60}}, {2, 3, []int64{5, 1 << 60}},
		{0, 1, []int64{1, -2}}, {1, 1, nil}, {3, 3, nil}} {
		rows, err := ReadRows[int64](path, test.from, test.to, 3, -1)
		if err != nil || !slices.Equal(rows.Values, test.want) ||
			!slices.Equal(rows.Shape, []int{test.to - test.from, 2}) {
			t.Errorf("rows %d to %d are %v %v (%v), want %v", test.from, test.to, rows.Shape,
				rows.Values, err, test.want)
		}
	}
	for _, outside := range [][2]int{{-1, 1}, {2, 1}, {0, 4}, {4, 4}} {
		_, err := ReadRows[int64](path, outside[0], outside[1], 3, 2)
		testkit.Error(t, fmt.Sprint("rows ", outside), err, "want part of 0 to 3", path)
	}
	for _, shape := range [][]int{{3}, {3, 1}, {2, -1}, {-1, 2, 1}} {
		_, err := ReadRows[int64](path, 0, 1, shape...)
		testkit.Error(t, fmt.Sprint("shape ", shape), err, "npy: array [3 2]: want [")
	}
}

func TestReadRowsRefusesHostileFiles(t *testing.T) {
	for _, test := range hostile {
		_, err := ReadRows[uint8](onDisk(t, test.file), 0, 1, -1)
		testkit.Error(t, test.name, err, test.want)
	}
	for name, data := range map[string][]byte{
		"a byte too many": file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", 1,
			2),
		"Fortran order": file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2), }", 1,
			2),
		"no rows at all": file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 1),
	} {
		if _, err := ReadRows[uint8](onDisk(t, data), 0, 1, -1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// One severity of a file in the layout of CIFAR-10-C is read without the others.
func ExampleReadRows() {
	folder, err := os.MkdirTemp("", "npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "fog.npy")
	if err := WriteFile(path, Array[uint8]{Shape: []int{5, 2}, Values: []uint8{10, 11, 20, 21, 30,
		31, 40, 41, 50, 51}}); err != nil {
		fmt.Println(err)
		return
	}
	rows, err := ReadRows[uint8](path, 2, 3, 5, 2)
	fmt.Println(rows.Values, err)
	// Output:
	// [30 31] <nil>
}

func FuzzReadRows(f *testing.F) {
	for _, test := range hostile {
		f.Add(test.file)
	}
	f.Add(file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3), }\n", 1, 2, 3))
	f.Fuzz(func(t *testing.T, data []byte) { // without files, which take longer than reading
		rows, err := readRows[uint8](bytes.NewReader(data), int64(len(data)), 0, 1, 1, -1)
		if err == nil && !bytes.HasSuffix(data, rows.Values) {
			t.Errorf("%d elements from %d bytes", len(rows.Values), len(data))
		}
	})
}
