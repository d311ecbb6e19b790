package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// onTwoSets are a baseline with the seeds 2 and 3 and a method with a seed more in front of these,
// on their own test images or, with other shifts of the NLL, on another set.
func onTwoSets(t *testing.T, baseline [2]float64, method [3]float64) score.Comparison {
	c := score.Comparison{Suite: "first8", Baseline: "base", Methods: []score.Method{
		{Name: "base", Seeds: []uint64{2, 3}}, {Name: "noise", Seeds: []uint64{1, 2, 3}},
	}}
	for i, shifts := range [][]float64{baseline[:], method[:]} {
		for _, shift := range shifts {
			c.Methods[i].Cells = append(c.Methods[i].Cells, scoredCells(t, shift))
		}
	}
	return c
}

// Of a test set the corrupted images are those of the levels 1 to 5, whose NLL is 0.3 above the
// clean images'. Differences from the own set are within runs, those from the baseline within
// seeds.
func TestSetResults(t *testing.T) {
	compared := []score.Comparison{
		onTwoSets(t, [2]float64{0.5, 0.9}, [3]float64{9, 0.1, 0.2}),
		onTwoSets(t, [2]float64{0.6, 0.8}, [3]float64{9.5, 0.4, 0.3}),
	}
	results := testkit.Must(SetResults([]string{"own", "other"}, compared, "NLL"))(t)
	if len(results) != 8 {
		t.Fatalf("%d results, want 2 methods x 2 sets x clean and corrupted", len(results))
	}
	for i, want := range []struct {
		data, images      string
		mean, own, versus float64
	}{
		{"own", "clean", 3.1, 0, -0.55}, // -0.4 of seed 2 and -0.7 of 3
		{"own", "corrupted", 3.4, 0, -0.55},
		{"other", "clean", 3.4, 0.3, -0.35}, // -0.2 and -0.5
		{"other", "corrupted", 3.7, 0.3, -0.35},
	} {
		got := results[4+i]
		if got.Method != "noise" || got.Data != want.data || got.Images != want.images ||
			got.N != 3 || (got.MinusOwn != nil) != (want.own != 0) || got.MinusBaseline == nil {
			t.Fatalf("result %d is %+v, want %+v", 4+i, got, want)
		}
		testkit.Near(t, want.data+" "+want.images, got.Mean, want.mean, 1e-12)
		testkit.Near(t, "minus base", got.MinusBaseline.Mean, want.versus, 1e-12)
		testkit.Near(t, "seeds of both", float64(got.MinusBaseline.N), 2, 0)
		if got.MinusOwn != nil {
			testkit.Near(t, "minus own", got.MinusOwn.Mean, want.own, 1e-12)
		}
	}
}

// The tables have means with their standard deviations, then differences in place of these; the
// numbers for programs name what is subtracted, and two seeds have a standard deviation.
func TestTablesOfSets(t *testing.T) {
	compared := []score.Comparison{
		onTwoSets(t, [2]float64{0.5, 0.9}, [3]float64{9, 0.1, 0.2}),
		onTwoSets(t, [2]float64{0.6, 0.8}, [3]float64{9.5, 0.4, 0.3}),
	}
	results := testkit.Must(SetResults([]string{"own", "other"}, compared, "NLL"))(t)
	tables := testkit.Must(SetTables(results, "base"))(t)
	for i, want := range [][]string{
		{"NLL", "noise", "3", "3.100 ± 5.110", "3.400 ± 5.110", "3.400 ± 5.283", "3.700 ± 5.283"},
		{"NLL", "noise", "3", "+0.300 [-0.197, +0.797]", "+0.300 [-0.197, +0.797]"},
		{"NLL", "noise", "2", "-0.550", "-0.550", "-0.350", "-0.350"}, // two seeds have no interval
	} {
		if rows := tables[i].Rows; !slices.Equal(rows[len(rows)-1], want) {
			t.Errorf("table %d has %q, want %q", i, rows[len(rows)-1], want)
		}
	}
	folder := t.TempDir()
	testkit.Must(SaveSets(results, tables, folder))(t)
	text := string(testkit.Must(os.ReadFile(filepath.Join(folder, "tests.csv")))(t))
	for _, want := range []string{"noise,NLL,other,clean,own,0.3",
		"noise,NLL,other,clean,baseline,-0.35", ",0.2121320343559", ",2,,,\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("tests.csv lacks %s:\n%s", want, text)
		}
	}
}

// Notes on a set's images, and which seeds hardly learnt, reach the tables, LaTeX and programs.
func TestTablesOfSetsHaveTheNotes(t *testing.T) {
	compared := []score.Comparison{
		onTwoSets(t, [2]float64{0.5, 0.9}, [3]float64{9, 0.1, 0.2}),
		onTwoSets(t, [2]float64{0.6, 0.8}, [3]float64{9.5, 0.4, 0.3}),
	}
	for i := range compared {
		compared[i].Methods[1].Unlearnt = []uint64{1}
	}
	compared[1].Notes = []string{"classes by numbers"}
	results := testkit.Must(SetResults([]string{"own", "other"}, compared, "NLL"))(t)
	tables := testkit.Must(SetTables(results, "base"))(t)
	learnt := "† hardly learnt: the training NLL is near guessing: noise (seed 1)"
	for i, table := range tables {
		if last := table.Rows[len(table.Rows)-1][1]; last != "noise †" ||
			!slices.Equal(table.Foot, []string{learnt, "classes by numbers"}) {
			t.Errorf("table %d has %q and the foot %q", i, last, table.Foot)
		}
	}
	folder := t.TempDir()
	testkit.Must(SaveSets(results, tables, folder))(t)
	for file, want := range map[string]string{
		"tests.tex": `{\footnotesize classes by numbers}`, "tests.md": "\n" + learnt + "\n",
		"tests.csv": ",2,,,classes by numbers\nnoise,NLL,own,clean,,",
	} {
		text := string(testkit.Must(os.ReadFile(filepath.Join(folder, file)))(t))
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", file, want, text)
		}
	}
	data := string(testkit.Must(results[6].MarshalJSON())(t))
	const want = `"hardly_learnt":[1],"notes":["classes by numbers"]}`
	if !strings.HasSuffix(data, want) {
		t.Errorf("as JSON it is %s, want %s", data, want)
	}
}

// A difference of one seed is shown without an interval, and no pair as "-".
func TestCleanTableOfFewPairs(t *testing.T) {
	c := onTwoSets(t, [2]float64{0.5, 0.9}, [3]float64{9, 0.1, 0.2})
	c.Suite, c.Methods[1].Seeds = score.Clean, []uint64{2, 4, 5}
	table := testkit.Must(CleanTable(c, "NLL"))(t)
	if got := []string{table.Rows[0][4], table.Rows[1][4]}; !slices.Equal(got,
		[]string{"-", "+8.500"}) {
		t.Errorf("the differences are %q, want none of the baseline and +8.500", got)
	}
}
