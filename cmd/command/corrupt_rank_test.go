package command

import (
	"archive/zip"
	"cmp"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// handIn writes a file of answers.
func handIn[T float32 | float64](t *testing.T, path string, labels []uint8, p func(image int) T) {
	t.Helper()
	handInArray(t, path, answers(labels, p), "snow.npy")
}

// answers gives the true class of each image a probability and shares out the rest.
func answers[T float32 | float64](labels []uint8, p func(image int) T) npy.Array[T] {
	var values []T
	for i, label := range labels {
		for class := range 10 {
			value := (1 - p(i)) / 9
			if class == int(label) {
				value = p(i)
			}
			values = append(values, value)
		}
	}
	return npy.Array[T]{Shape: []int{len(labels), 10}, Values: values}
}

func handInArray[T npy.Number](t *testing.T, path string, array npy.Array[T], names ...string) {
	t.Helper()
	file := testkit.Must(os.Create(path))(t)
	archive := zip.NewWriter(file)
	for _, name := range append(names, "fog.npy") {
		member := testkit.Must(archive.Create(name))(t)
		testkit.NoError(t, npy.Write(member, array))
	}
	testkit.NoError(t, cmp.Or(archive.Close(), file.Close()))
}

// Two answers that are each better on half of the images share the first place, guesses are behind
// both, and what is no answer is refused.
func TestRankSharesPlaces(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	wantStatus(t, exitDone, "", "corrupt", "make", "--data", "shapes10", "--images", "20",
		"--suite", "fog,snow", "--out", folder)
	labels := testkit.Must(npy.ReadFile[uint8](filepath.Join(folder, "labels.npy")))(t).Values
	in := func(name string) string { return filepath.Join(out, name+".npz") }
	handIn(t, in("ann"), labels, func(i int) float32 { return 0.5 + 0.3*float32(i%2) })
	handIn(t, in("ben"), labels, func(i int) float64 { return 0.8 - 0.3*float64(i%2) })
	handIn(t, in("guess"), labels, func(int) float32 { return 0.1 })
	page := filepath.Join(out, "ranking.html")
	all := printed[[]ranked](t, exitDone, "corrupt", "rank", folder, in("guess"), in("ann"),
		in("ben"), "--out", page)
	places := map[string]int{}
	for _, r := range all {
		places[r.Name] = r.Place
	}
	want := map[string]int{"ann": 1, "ben": 1, "guess": 3}
	for name, place := range want {
		if places[name] != place {
			t.Errorf("%s has place %d, want %d", name, places[name], place)
		}
	}
	testkit.Near(t, "the guesses' NLL", all[2].NLL, math.Log(10), 1e-6)
	testkit.Near(t, "the first NLL", all[0].NLL, -(math.Log(0.5)+math.Log(0.8))/2, 1e-6)
	table := string(testkit.Must(os.ReadFile(page))(t))
	if shown := strings.Count(table, ">1</td>"); shown != 2 {
		t.Errorf("%d of two first places are in the table:\n%s", shown, table)
	}
	handIn(t, in("few"), labels[:5], func(int) float32 { return 0.1 })
	handIn(t, in("sure"), labels, func(int) float32 { return 1.5 })
	handInArray(t, in("half"), npy.Array[npy.Half]{Shape: []int{len(labels), 10},
		Values: make([]npy.Half, 10*len(labels))}, "snow.npy")
	handInArray(t, in("whole"), npy.Array[int64]{Shape: []int{len(labels), 10},
		Values: make([]int64, 10*len(labels))}, "snow.npy")
	handInArray(t, in("wide"), npy.Array[float32]{Shape: []int{len(labels), 20},
		Values: make([]float32, 20*len(labels))}, "snow.npy")
	handInArray(t, in("bare"), answers(labels, func(int) float32 { return 0.1 }))
	handIn(t, in("copy"), labels, func(i int) float64 { return 0.5001 + 0.3*float64(i%2) })
	wantStatus(t, exitUsage, "out/ann.npy isn't an .npz file", "corrupt", "rank", folder,
		"out/ann.npy")
	reasons := map[string]string{
		"wide": "has 20 columns: want 10", "bare": "has no array snow: hand in one",
		"few": "has 5 rows: want 100", "sure": "want probabilities", "nobody": "doesn't exist",
		"half": "type float16: hand in float32", "whole": "type int64: hand in float32",
	}
	files := []string{in("ann")}
	for name, text := range reasons {
		wantStatus(t, exitUsage, text, "corrupt", "rank", folder, in(name))
		files = append(files, in(name))
	}
	files, reasons["copy"] = append(files, in("copy")), "same answers as ann"
	wantStatus(t, exitDone, "", append([]string{"corrupt", "rank", "--out", page, folder},
		files...)...)
	written := html.UnescapeString(string(testkit.Must(os.ReadFile(page))(t)))
	for name, text := range reasons {
		if !strings.Contains(written, ">"+name+"<") || !strings.Contains(written, text) {
			t.Errorf("the page doesn't say that %s is left out because it %s", name, text)
		}
	}
	wantStatus(t, exitFailed, "choose another one with --out", "corrupt", "rank", folder, in("ann"),
		"--out", filepath.Join(in("ann"), "page.html"))
	wantStatus(t, exitUsage, "rename one", "corrupt", "rank", folder, in("ann"), in("ann"))
	labelFile := filepath.Join(folder, "labels.npy")
	shifted := append([]uint8{(labels[0] + 1) % 10}, labels[1:]...)
	testkit.NoError(t, npy.WriteFile(labelFile, npy.Array[uint8]{Shape: []int{len(labels)},
		Values: shifted}))
	wantStatus(t, exitUsage, "were changed", "corrupt", "rank", folder, in("ann"))
	wantStatus(t, exitUsage, "corrupt make --out", "corrupt", "rank", out, in("ann"))
}
