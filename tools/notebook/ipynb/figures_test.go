package ipynb

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestFigureTable(t *testing.T) {
	code := func(text string) Cell { return Cell{Code: true, Lines: strings.Split(text, "\n")} }
	small := Notebook{Name: "small", Cells: []Cell{
		{Lines: []string{"paper.ByNumber(5) in a text"}}, code("x()"),
		code("a := paper.ByNumber(2)\nb, c := paper.ByNumber(2), paper.Figure03.With(1)"),
		code("var (\n\tfigures = []int{1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, " +
			"19, 20, 21, 22, 23, 24}\n)"),
		code("lab.Show(paper.PaperTable(ctx, 1, scale, options))"),
	}}
	if _, err := figureTable(small); err == nil ||
		!strings.Contains(err.Error(), "no cell makes Table 2 of the paper") {
		t.Errorf("without Table 2: %v", err)
	}
	other := Notebook{Name: "other", Cells: []Cell{code("lab.Show(paper.PaperTable(ctx, 2, " +
		"scale, options), paper.ByNumber(3))")}}
	table := testkit.Must(figureTable(small, other))(t)
	for _, want := range []string{
		"| Figure 2 | [small](../notebooks/small.md) [2] |\n| Figure 3 | " +
			"[small](../notebooks/small.md) [2], [other](../notebooks/other.md) [1] |\n",
		"| Figure 24 | [small](../notebooks/small.md) [3] |\n| Table 1 | " +
			"[small](../notebooks/small.md) [4] |\n| Table 2 | [other]",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

var braceless = regexp.MustCompile(`frac\d\d`)

// The page on notebooks has the table, no sentence stands in two notebooks, and formulas are read
// alike by MathJax and by the site.
func TestLessons(t *testing.T) {
	sources := testkit.Must(filepath.Glob("../../../notebooks/*.md"))(t)
	var all []Notebook
	for _, path := range sources {
		source := testkit.Must(os.ReadFile(path))(t)
		parsed := testkit.Must(Parse(strings.TrimSuffix(filepath.Base(path), ".md"),
			string(source)))(t)
		all = append(all, parsed)
		if found := braceless.FindString(string(source)); found != "" {
			t.Errorf("%s: the site reads %s as a fraction of one number: write braces", path, found)
		}
	}
	testkit.NoError(t, repeated(all...))
	table := testkit.Must(figureTable(all...))(t)
	page := testkit.Must(os.ReadFile("../../../docs/notebooks.md"))(t)
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/notebooks.md lacks this table:\n%s", table)
	}
}

// Cells name the figures and tables of the paper in these ways; a list of figures is one of numbers
// from which a cell takes.
var (
	namedFigure  = regexp.MustCompile(`\bpaper\.(?:ByNumber\(|Figure)(\d+)\b`)
	listOfFigure = regexp.MustCompile(`\bfigures\s*=\s*\[\]int\{([\d, ]+)\}`)
	// a committed result, for a figure that no cell makes
	recordOfFigure = regexp.MustCompile(`"figure-0?(\d+)-`)
	namedTable     = regexp.MustCompile(`\bpaper\.PaperTable\(ctx, (\d)`)
)

// figureCount and tableCount are those of the paper.
const (
	figureCount = 24
	tableCount  = 2
)

// figureTable returns a table in markdown of the figures and tables of the paper, each with the
// notebooks that make it and the numbers of their code cells, as JupyterLab shows them in brackets.
// It returns an error if no notebook makes one of them.
func figureTable(notebooks ...Notebook) (string, error) {
	cells, records := map[string][]string{}, map[string][]string{} // by "Figure 3" or "Table 1"
	for _, n := range notebooks {
		number := 0
		for _, cell := range n.Cells {
			if !cell.Code {
				continue
			}
			number++
			code, here := strings.Join(cell.Lines, "\n"), fmt.Sprintf(
				"[%s](../notebooks/%[1]s.md) [%d]", n.Name, number)
			for _, name := range namedIn(code) {
				cells[name] = append(cells[name], here)
			}
			for _, found := range recordOfFigure.FindAllStringSubmatch(code, -1) {
				name := "Figure " + found[1]
				if !slices.Contains(records[name], here) {
					records[name] = append(records[name], here)
				}
			}
		}
	}
	table := []string{"| of the paper | lesson and cell |", "|--|--|"}
	for i := range figureCount + tableCount {
		name := fmt.Sprintf("Figure %d", i+1)
		if i >= figureCount {
			name = fmt.Sprintf("Table %d", i+1-figureCount)
		}
		if cells[name] == nil {
			cells[name] = records[name]
		}
		if cells[name] == nil {
			return "", fmt.Errorf("notebook: no cell makes %s of the paper: name it with "+
				"paper.ByNumber or paper.PaperTable", name)
		}
		table = append(table, "| "+name+" | "+strings.Join(cells[name], ", ")+" |")
	}
	return strings.Join(table, "\n") + "\n", nil
}

// namedIn returns the figures and tables that a cell names, each once.
func namedIn(code string) (names []string) {
	add := func(kind, number string) {
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			names = append(names, fmt.Sprintf("%s %d", kind, n))
		}
	}
	for _, found := range namedFigure.FindAllStringSubmatch(code, -1) {
		add("Figure", found[1])
	}
	for _, found := range listOfFigure.FindAllStringSubmatch(code, -1) {
		for number := range strings.SplitSeq(found[1], ",") {
			add("Figure", number)
		}
	}
	for _, found := range namedTable.FindAllStringSubmatch(code, -1) {
		add("Table", found[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A saved picture of a committed result is the one that is committed.
func TestRecordedPicturesAreTheCommittedOnes(t *testing.T) {
	committed := map[string]bool{}
	testkit.NoError(t, filepath.WalkDir("../../../docs/results", func(path string,
		entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".png" {
			committed[base64.StdEncoding.EncodeToString(testkit.Must(os.ReadFile(path))(t))] = true
		}
		return err
	}))
	shown := 0
	for _, path := range testkit.Must(filepath.Glob("../../../notebooks/*.ipynb"))(t) {
		var saved struct {
			Cells []struct {
				Source  []string
				Outputs []struct{ Data map[string]any }
			}
		}
		testkit.NoError(t, json.Unmarshal(testkit.Must(os.ReadFile(path))(t), &saved))
		for number, cell := range saved.Cells {
			source := strings.Join(cell.Source, "")
			for _, output := range cell.Outputs {
				picture, isPicture := output.Data["image/png"].(string)
				if !isPicture || !strings.Contains(source, "lab.Recorded(") ||
					strings.Contains(source, ".Panel(") || strings.Contains(source, "viz.") {
					continue
				}
				if shown++; !committed[strings.TrimSpace(picture)] {
					t.Errorf("%s: cell %d shows an older picture of a result: run it again",
						filepath.Base(path), number)
				}
			}
		}
	}
	if shown < 10 {
		t.Errorf("%d pictures of results are shown, want 10 or more", shown)
	}
}

// A kind of network has one colour, in the notebook on one dimension and in its page.
func TestColoursOfKinds(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../site/curve/curve.js"))(t)
	kinds := regexp.MustCompile(`(\w+): "(#\w{6})"`).FindAllStringSubmatch(string(page), -1)
	source := testkit.Must(os.ReadFile("../../../notebooks/lesson-one-dimension.md"))(t)
	for _, kind := range kinds {
		want := `(?i)` + kind[1] + `"?: "` + kind[2]
		if !regexp.MustCompile(want).Match(source) {
			t.Errorf("%s isn't %s in the notebook, as it is in the page", kind[1], kind[2])
		}
	}
	if len(kinds) != 5 {
		t.Errorf("the page has %d kinds with a colour, want 5", len(kinds))
	}
}
