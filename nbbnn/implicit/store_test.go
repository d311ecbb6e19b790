package implicit

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// A file whose values are of another type or number holds nothing.
func TestDamagedFiles(t *testing.T) {
	const image = 3
	files := folder{t.TempDir(), "weights", Settings{Draws: 2, Lambda: []float64{0.1, 1}}}
	whole := func() values { // 5 classes, 2 pixels
		return values{target: make([]float32, 2*5), reached: make([]float32, 2*2*5),
			change: make([]float32, 2*2*6), steps: make([]float32, 2*2)}
	}
	for _, c := range []struct {
		name   string
		change func(*values)
		want   bool
	}{
		{"whole", func(*values) {}, true},
		{"an empty target", func(v *values) { v.target, v.reached = nil, nil }, false},
		{"targets of another number of draws", func(v *values) { v.target = v.target[1:] }, false},
		{"outputs of other classes", func(v *values) { v.reached = v.reached[4:] }, false},
		{"no change", func(v *values) { v.change = nil }, false},
		{"a change of half a pixel", func(v *values) { v.change = v.change[4:] }, false},
		{"fewer steps", func(v *values) { v.steps = v.steps[1:] }, false},
	} {
		v := whole()
		c.change(&v)
		testkit.NoError(t, files.write(image, v))
		if _, found := files.read(image); found != c.want {
			t.Errorf("%s: found is %v, want %v", c.name, found, c.want)
		}
	}
	if _, found := (folder{files.directory, "other", files.settings}).read(image); found {
		t.Error("corruptions of other weights are found")
	}
	tensors := []safetensors.Tensor{
		{Name: "target", DType: "I32", Shape: []int{10}, Data: make([]byte, 40)},
		{Name: "reached", DType: "F32", Shape: []int{20}, Data: make([]byte, 80)},
		{Name: "change", DType: "F32", Shape: []int{24}, Data: make([]byte, 96)},
		{Name: "steps", DType: "F32", Shape: []int{4}, Data: make([]byte, 16)},
	}
	testkit.NoError(t, safetensors.Write(files.path(image), tensors,
		map[string]string{weightsKey: files.weights}))
	if _, found := files.read(image); found {
		t.Error("integers are found")
	}
}

// No byte of a file can change without the values being sought again, nor can the checksum go.
func TestFlippedFilesAreNotRead(t *testing.T) {
	const image = 3
	files := folder{t.TempDir(), "weights", Settings{Draws: 2, Lambda: []float64{0.1, 1}}}
	want := values{target: make([]float32, 2*5), reached: make([]float32, 2*2*5),
		change: make([]float32, 2*2*6), steps: make([]float32, 2*2)}
	want.change[7] = 0.25
	testkit.NoError(t, files.write(image, want))
	sound := testkit.Must(os.ReadFile(files.path(image)))(t)
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 1 << (at % 8)
		testkit.NoError(t, os.WriteFile(files.path(image), damaged, 0o644))
		if got, found := files.read(image); found && !reflect.DeepEqual(got, want) {
			t.Errorf("a flip of byte %d of %d changes the values silently", at, len(sound))
		}
	}
	testkit.NoError(t, os.WriteFile(files.path(image+1), sound, 0o644))
	if _, found := files.read(image + 1); found {
		t.Error("the values of another image are found")
	}
	testkit.NoError(t, os.WriteFile(files.path(image), sound, 0o644))
	stored, metadata, err := safetensors.Read(files.path(image))
	if err != nil || len(metadata) != 2 {
		t.Fatalf("the metadata is %v (%v), want weights and a checksum", metadata, err)
	}
	testkit.NoError(t, safetensors.Write(files.path(image), stored, files.metadata()))
	if got, found := files.read(image); found {
		t.Errorf("without a checksum %+v is found", got)
	}
}
