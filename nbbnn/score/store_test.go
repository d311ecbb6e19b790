package score

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// randomCell is the cell of three random images with two samples.
func randomCell(random *rand.Rand, corruption string, severity int) Cell {
	var images [][]float64
	for range 3 {
		var image []float64
		for range 2 {
			image = append(image,
				testkit.LogSoftmax([]float64{random.NormFloat64(), random.NormFloat64(), 0})...)
		}
		images = append(images, image)
	}
	cell := cellOf(images, []int{0, 1, 2}, 2)
	cell.Corruption, cell.Severity = corruption, severity
	return cell
}

// randomCells are the cells of two corruptions.
func randomCells(t *testing.T) Cells {
	random := rand.New(rand.NewPCG(7, 8))
	cells := Cells{randomCell(random, Clean, 0)}
	for _, corruption := range []string{"fog", "snow"} {
		for severity := 1; severity < LevelCount; severity++ {
			cells = append(cells, randomCell(random, corruption, severity))
		}
	}
	return cells
}

// testOwner is the run that the cells of tests belong to.
const testOwner = "c0 ee"

func openTestCells(t *testing.T, directory string) *Store {
	t.Helper()
	return testkit.Must(OpenStore(directory, testOwner))(t)
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
	if _, found := again.Find(Key{Suite: "all19", Samples: 2}, Condition{Clean, 0}, false); found {
		t.Error("a cell of another suite is found")
	}
}

// The largest test counts images first, then samples, and ignores other labels.
func TestLargest(t *testing.T) {
	store := openTestCells(t, t.TempDir())
	if _, found := store.Largest("clean", Condition{Clean, 0}, 0); found {
		t.Error("an empty store has a largest cell")
	}
	cell := randomCells(t)[0]
	for i, key := range []Key{{Suite: "clean", Samples: 2}, {Suite: "clean", Samples: 4},
		{Suite: "first8", Samples: 8}} {
		cell.Samples, cell.NLL = key.Samples, float64(i)
		testkit.NoError(t, store.Add(key, cell))
	}
	few := cellOf([][]float64{testkit.LogSoftmax([]float64{1, 0, 0})}, []int{0}, 1)
	few.Corruption, few.Samples, few.NLL = Clean, 16, 3
	testkit.NoError(t, store.Add(Key{Suite: "clean", Samples: 16, Subset: 1}, few))
	if got, found := store.Largest("clean", Condition{Clean, 0}, 0); !found || got.NLL != 1 {
		t.Errorf("the largest cell is %+v (%v), want that of all images and 4 samples", got, found)
	}
	if got, _ := store.Largest("clean", Condition{Clean, 0}, few.Images); got.NLL != 3 {
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
		_, err := OpenStore(directory, testOwner)
		checkError(t, c.name, err, c.table.name+" is damaged")
	}
}

func TestLevels(t *testing.T) {
	cells := randomCells(t)
	levels := testkit.Must(cells.Levels())(t)
	testkit.Near(t, "NLL at level 0", levels.NLL[0], cells[0].NLL, 1e-12)
	testkit.Near(t, "ECE at level 0", levels.ECE[0], cells[0].ECE, 1e-12)
	for level := 1; level < LevelCount; level++ {
		fog, snow := cells[level], cells[level+5]
		testkit.Near(t, "NLL", levels.NLL[level], (fog.NLL+snow.NLL)/2, 1e-12)
		testkit.Near(t, "error", levels.Error[level], (fog.Error+snow.Error)/2, 1e-12)
		testkit.Near(t, "mean ECE", levels.MeanECE[level], (fog.ECE+snow.ECE)/2, 1e-12)
		testkit.Near(t, "pooled ECE", levels.ECE[level], fog.Bins.Pool(snow.Bins).ECE(6), 1e-12)
		if levels.ECE[level] > levels.MeanECE[level]+1e-12 {
			t.Errorf("pooled ECE %g above the mean %g at level %d", levels.ECE[level],
				levels.MeanECE[level], level)
		}
	}
}

// Bins whose errors cancel when pooled: the pooled ECE is zero, the mean isn't.
func TestPooledECEIsNotTheMean(t *testing.T) {
	var sure, unsure Bins
	for i := range 10 {
		sure.Add(0.7, i < 9)
		unsure.Add(0.7, i < 5)
	}
	testkit.Near(t, "ECE of the first", sure.ECE(10), 0.2, 1e-12)
	testkit.Near(t, "ECE of the second", unsure.ECE(10), 0.2, 1e-12)
	testkit.Near(t, "ECE of both", sure.Pool(unsure).ECE(20), 0, 1e-12)
}

func TestLevelsRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(Cells) Cells
		want   string
	}{
		{"nothing", func(Cells) Cells { return nil }, "level 0 has 0 cells"},
		{"no clean cell", func(c Cells) Cells { return c[1:] }, "level 0 has 0 cells instead of 1"},
		{"a missing cell", func(c Cells) Cells {
			return c[:len(c)-1]
		}, "level 5 has 1 cells instead of 2"},
		{"a missing level", func(c Cells) Cells { return c[:1] }, "level 1 has 0 cells"},
		{"another corruption", func(c Cells) Cells {
			c[2].Corruption = "frost"
			return c
		}, "level 2 has frost in place 1 instead of fog"},
		{"another count", func(c Cells) Cells { c[3].Images = 9; return c }, "fog 3 has 9 images"},
	} {
		_, err := c.change(randomCells(t)).Levels()
		checkError(t, c.name, err, c.want)
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
		return strings.Replace(text, ",aps_size,",
			",aps_size,aps_plain_threshold,aps_plain_coverage,aps_plain_size,", 1) + "0.5,0.9,2,"
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
