package ipynb

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Cells name the figures and tables of the paper in these ways; a list of figures is one of numbers
// from which a cell takes.
var (
	namedFigure  = regexp.MustCompile(`\bpaper\.(?:ByNumber\(|Figure)(\d+)\b`)
	listOfFigure = regexp.MustCompile(`\bfigures\s*=\s*\[\]int\{([\d, ]+)\}`)
	namedTable   = regexp.MustCompile(`\bpaper\.PaperTable\(ctx, (\d)`)
)

// figureCount and tableCount are those of the paper.
const (
	figureCount = 24
	tableCount  = 2
)

// FigureTable returns a table in markdown of the figures and tables of the paper, each with the
// notebooks that make it and the numbers of their code cells, as JupyterLab shows them in brackets. It
// returns an error if no notebook makes one of them.
func FigureTable(notebooks ...Notebook) (string, error) {
	cells := map[string][]string{} // by "Figure 3" or "Table 1"
	for _, n := range notebooks {
		number := 0
		for _, cell := range n.Cells {
			if !cell.Code {
				continue
			}
			number++
			for _, name := range namedIn(strings.Join(cell.Lines, "\n")) {
				cells[name] = append(cells[name], fmt.Sprintf("[%s](../notebooks/%[1]s.md) [%d]", n.Name, number))
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
			return "", fmt.Errorf("notebook: no cell makes %s of the paper: name it with paper.ByNumber or paper.PaperTable", name)
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
