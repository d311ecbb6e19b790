package ipynb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestFigureTable(t *testing.T) {
	code := func(text string) Cell { return Cell{Code: true, Lines: strings.Split(text, "\n")} }
	small := Notebook{Name: "small", Cells: []Cell{
		{Lines: []string{"paper.ByNumber(5) in a text"}}, code("x()"), code("a := paper.ByNumber(2)\nb, c := paper.ByNumber(2), paper.Figure03.With(1)"),
		code("var (\n\tfigures = []int{1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}\n)"),
		code("lab.Show(paper.PaperTable(ctx, 1, scale, options))"),
	}}
	if _, err := FigureTable(small); err == nil || !strings.Contains(err.Error(), "no cell makes Table 2 of the paper") {
		t.Errorf("without Table 2: %v", err)
	}
	other := Notebook{Name: "other", Cells: []Cell{code("lab.Show(paper.PaperTable(ctx, 2, scale, options), paper.ByNumber(3))")}}
	table := testkit.Must(FigureTable(small, other))(t)
	for _, want := range []string{
		"| Figure 2 | [small](../notebooks/small.md) [2] |\n| Figure 3 | [small](../notebooks/small.md) [2], [other](../notebooks/other.md) [1] |\n",
		"| Figure 24 | [small](../notebooks/small.md) [3] |\n| Table 1 | [small](../notebooks/small.md) [4] |\n| Table 2 | [other]",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

// The page on notebooks has the table, and no sentence stands in two notebooks.
func TestLessons(t *testing.T) {
	sources := testkit.Must(filepath.Glob("../../../notebooks/*.md"))(t)
	var all []Notebook
	for _, path := range sources {
		source := testkit.Must(os.ReadFile(path))(t)
		parsed := testkit.Must(Parse(strings.TrimSuffix(filepath.Base(path), ".md"), string(source)))(t)
		all = append(all, parsed)
	}
	testkit.NoError(t, Repeated(all...))
	table := testkit.Must(FigureTable(all...))(t)
	page := testkit.Must(os.ReadFile("../../../docs/notebooks.md"))(t)
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/notebooks.md lacks this table:\n%s", table)
	}
}
