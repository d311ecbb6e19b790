package cellstore

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// truth is registered for all tests.
var truth = score.Metric{Name: "Truth", Of: score.MeanOverImages(
	func(p []float64, label int) float64 { return p[label] })}

func init() {
	if err := score.Register(truth); err != nil {
		panic(err)
	}
}

// A cell without a registered metric is computed again, and a program without the metric keeps its
// value.
func TestRegisteredMetricIsKept(t *testing.T) {
	directory, key := t.TempDir(), Key{Suite: "first8", Samples: 2}
	cell := randomCells(t)[0]
	before := cell
	before.Custom = nil
	testkit.NoError(t, openTestCells(t, directory).Add(key, before))
	store := openTestCells(t, directory)
	if _, found := store.Find(key, clean, false); found {
		t.Error("a cell without the registered metric is found")
	}
	if _, found := store.Find(key, clean, true); !found {
		t.Error("the cell of a record isn't found")
	}
	testkit.NoError(t, store.Add(key, cell))
	testkit.NoError(t, openTestCells(t, directory).Add(key, before))
	again, found := openTestCells(t, directory).Find(key, clean, false)
	if !found || truth.Value(again) != truth.Value(cell) || truth.Value(cell) == 0 {
		t.Errorf("the value is %v (%v), want %v", truth.Value(again), found, truth.Value(cell))
	}
}

// randomCell is the cell of three random images with two samples.
func randomCell(random *rand.Rand, corruption string, severity int) score.Cell {
	p := score.Prediction{Images: 3, Samples: 2, Classes: 3}
	for range p.Images * p.Samples {
		for _, l := range testkit.LogSoftmax([]float64{random.NormFloat64(),
			random.NormFloat64(), 0}) {
			p.LogProbabilities = append(p.LogProbabilities, float32(l))
		}
	}
	cell, err := p.Cell(score.Condition{Corruption: corruption, Severity: severity},
		[]uint8{0, 1, 2})
	if err != nil {
		panic(err)
	}
	return cell
}

// randomCells are the cells of two corruptions.
func randomCells(t *testing.T) score.Cells {
	random := rand.New(rand.NewPCG(7, 8))
	cells := score.Cells{randomCell(random, score.Clean, 0)}
	for _, corruption := range []string{"fog", "snow"} {
		for severity := 1; severity < score.LevelCount; severity++ {
			cells = append(cells, randomCell(random, corruption, severity))
		}
	}
	return cells
}

var clean = score.Condition{Corruption: score.Clean}

// testOwner is the run that the cells of tests belong to.
const testOwner = "c0 ee"

func openTestCells(t *testing.T, directory string) *Store {
	t.Helper()
	return testkit.Must(Open(directory, testOwner))(t)
}

func TestCellsRoundTrip(t *testing.T) {
	directory := t.TempDir()
	store := openTestCells(t, directory)
	first := Key{Suite: "first8", Samples: 2, Seed: 1<<64 - 1}
	second := Key{Suite: "first8", Samples: 2, Subset: 3}
	for i, cell := range randomCells(t) {
		testkit.NoError(t, store.Add(first, cell))
		if i%2 == 0 {
			cell.NLL++
			testkit.NoError(t, store.Add(second, cell))
		}
	}
	again := openTestCells(t, directory)
	for i, want := range randomCells(t) {
		if got, found := again.Find(first, want.Condition(), false); !found ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("cell %d is %+v (%v), want %+v", i, got, found, want)
		}
		got, found := again.Find(second, want.Condition(), false)
		if want.NLL++; found != (i%2 == 0) || found && !reflect.DeepEqual(got, want) {
			t.Errorf("cell %d of the second evaluation is %+v (%v), want %+v", i, got, found, want)
		}
	}
	if _, found := again.Find(Key{Suite: "all19", Samples: 2}, clean, false); found {
		t.Error("a cell of another suite is found")
	}
}

// The largest test counts images first, then samples, and ignores other labels.
func TestLargest(t *testing.T) {
	store := openTestCells(t, t.TempDir())
	if _, found := store.Largest("clean", clean, 0); found {
		t.Error("an empty store has a largest cell")
	}
	cell := randomCells(t)[0]
	for i, key := range []Key{{Suite: "clean", Samples: 2}, {Suite: "clean", Samples: 4},
		{Suite: "first8", Samples: 8}} {
		cell.Samples, cell.NLL = key.Samples, float64(i)
		testkit.NoError(t, store.Add(key, cell))
	}
	p := score.Prediction{Images: 1, Samples: 1, Classes: 2,
		LogProbabilities: []float32{float32(math.Log(0.5)), float32(math.Log(0.5))}}
	few := testkit.Must(p.Cell(clean, []uint8{0}))(t)
	few.Samples, few.NLL = 16, 3
	testkit.NoError(t, store.Add(Key{Suite: "clean", Samples: 16, Subset: 1}, few))
	if got, found := store.Largest("clean", clean, 0); !found || got.NLL != 1 {
		t.Errorf("the largest cell is %+v (%v), want that of all images and 4 samples", got, found)
	}
	if got, _ := store.Largest("clean", clean, few.Images); got.NLL != 3 {
		t.Errorf("the cell of %d images is %+v", few.Images, got)
	}
}

// A cell whose bins are lost stays in cells.csv when another is added.
func TestCellsWithoutBinsAreKept(t *testing.T) {
	directory := t.TempDir()
	keptTables(t, directory, testOwner)
	path := filepath.Join(directory, cellFile)
	before := lines(t, path)
	testkit.NoError(t, os.Remove(filepath.Join(directory, binFile)))
	key, cell := Key{Suite: "new", Samples: 2}, setCells(t)[0]
	testkit.NoError(t, openTestCells(t, directory).Add(key, cell))
	if after := lines(t, path); len(after) != len(before)+1 ||
		!slices.Equal(after[:len(before)-1], before[:len(before)-1]) {
		t.Errorf("the rows are\n%swant those before and a new one:\n%s", strings.Join(after, ""),
			strings.Join(before, ""))
	}
	store := openTestCells(t, directory)
	if _, found := store.Find(key, cell.Condition(), false); !found {
		t.Error("the new cell isn't found")
	}
	if _, found := store.Find(Key{Suite: "fog,snow", Samples: 2}, cell.Condition(), false); found {
		t.Error("a cell without bins is found")
	}
}

// checkError checks that an error is one line of this package with a certain text.
func checkError(t testing.TB, what string, err error, want string) {
	t.Helper()
	testkit.ErrorOf(t, what, err, want, "cellstore")
}

// rewrite changes the text of a file.
func rewrite(t *testing.T, path string, change func(text string) string) {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, os.WriteFile(path, []byte(change(string(data))), 0o644))
}

// reseal changes the text of a table, which then has its checksum again.
func reseal(t *testing.T, directory string, table table, change func(text string) string) {
	t.Helper()
	rewrite(t, filepath.Join(directory, table.name), func(text string) string {
		text = change(text[:strings.LastIndexByte(text, ',')+1])
		return text + table.checksum(testOwner, text) + "\n"
	})
}

// Values that no version of the program has written are refused, though the checksum is theirs.
func TestDamagedCells(t *testing.T) {
	for _, c := range []struct {
		name             string
		table            table
		old, replacement string
	}{
		{"another header", cellTable, "suite,", "sweet,"},
		{"no number", cellTable, "first8,2,", "first8,two,"},
		{"missing column", cellTable, "first8,2,", "first8,"},
		{"no images", cellTable, "clean,0,3,", "clean,0,0,"},
		{"bin out of range", binTable, "clean,0,", "clean,0,9"},
		{"another header of the bins", binTable, "suite,", ""},
		{"unknown column", cellTable, "aps_size", "aps_sizes"},
		{"missing optional column", cellTable, ",aps_size,", ","},
		{"a group too few", cellTable,
			",aps_threshold,aps_coverage,aps_size,", ","},
		{"no optional number", cellTable, ",0.95,", ",much,"},
		{"half a group", cellTable, ",0.95,", ",,"},
	} {
		directory := t.TempDir()
		testkit.NoError(t, openTestCells(t, directory).Add(Key{Suite: "first8", Samples: 2},
			setCells(t)[0]))
		reseal(t, directory, c.table, func(text string) string {
			return strings.Replace(text, c.old, c.replacement, 1)
		})
		_, err := Open(directory, testOwner)
		checkError(t, c.name, err, c.table.name+" is damaged")
	}
}

// A cell is only found with the samples of its evaluation, so others are refused.
func TestCellOfOtherSamplesIsRefused(t *testing.T) {
	cell := randomCells(t)[0]
	err := openTestCells(t, t.TempDir()).Add(Key{Suite: "first8", Samples: cell.Samples + 1}, cell)
	testkit.Error(t, "other samples", err, "can't be kept")
}

// The columns of sets without randomisation, which files had before, are passed over.
func TestColumnsOfPlainSetsArePassedOver(t *testing.T) {
	directory, key, want := t.TempDir(), Key{Suite: "first8", Samples: 2}, setCells(t)[0]
	testkit.NoError(t, openTestCells(t, directory).Add(key, want))
	reseal(t, directory, cellTable, func(text string) string {
		return strings.Replace(text, ",sha256",
			",aps_plain_threshold,aps_plain_coverage,aps_plain_size,sha256", 1) + "0.5,0.9,2,"
	})
	if got, found := openTestCells(t, directory).Find(key, want.Condition(), false); !found ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("the cell is %+v (%v), want %+v", got, found, want)
	}
	values := 0
	testkit.NoError(t, EachValue(directory, testOwner, func(_ []string, _, metric, _ string) error {
		values++
		if strings.HasPrefix(metric, "aps_plain") {
			t.Errorf("%s is visited", metric)
		}
		return nil
	}))
	if values < 10 {
		t.Errorf("%d values are visited, want those of the other columns", values)
	}
}
