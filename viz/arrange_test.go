package viz

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/testkit"
)

// In a row the last lines of titles stand side by side, whatever is above them.
func TestTitlesOfARowStandSideBySide(t *testing.T) {
	row := testkit.Must(Row(levelFigure(t, "M16").Titled("clean").Titled("CIFAR-10"),
		levelFigure(t, "M16").Titled("severe")))(t)
	if clean, severe := textHeight(t, row, "clean"), textHeight(t, row, "severe"); clean != severe {
		t.Errorf("the titles stand at %s and %s, want one height", clean, severe)
	}
}

// textHeight returns the height of the only text of a figure that says this.
func textHeight(t *testing.T, figure *Figure, text string) string {
	t.Helper()
	svg := testkit.Must(figure.Encode("svg"))(t)
	found := regexp.MustCompile(`<text x="[^"]*" y="([^"]*)"[^>]*>`+text+"<").FindAllSubmatch(svg,
		-1)
	if len(found) != 1 {
		t.Fatalf("the figure says %q %d times, want once", text, len(found))
	}
	return string(found[0][1])
}

// levelFigure is a chart of curves with the given names.
func levelFigure(t *testing.T, names ...string) *Figure {
	t.Helper()
	var curves []LevelCurve
	for _, name := range names {
		curves = append(curves, LevelCurve{Name: name, Mean: []float64{1, 2}})
	}
	figure := testkit.Must(LevelCurves("NLL", curves))(t)
	return figure
}

// A row of figures keeps its title, its note and its place under the legend that it shares.
func TestSharedLegendOfARowWithATitleAndANote(t *testing.T) {
	row := testkit.Must(Row(levelFigure(t, "M16"), levelFigure(t, "M16")))(t).Titled(
		"CIFAR-10").noted("a note")
	grid := testkit.Must(SharedGrid([]*Figure{row.centred(row.width + 50)}))(t)
	for _, text := range []string{"CIFAR-10", "a note", "M16"} {
		textHeight(t, grid, text)
	}
	if grid.width != row.width+50 {
		t.Errorf("the grid is %g points wide, want that of the row and 50", grid.width)
	}
}

// A grid has one legend for all rows, and its panels are counted row by row. One row is as high as
// a figure with a legend of its own.
func TestSharedGridHasOneLegend(t *testing.T) {
	row := func() []*Figure {
		return []*Figure{levelFigure(t, "M16", "M32"), levelFigure(t, "M16", "M32")}
	}
	grid := testkit.Must(SharedGrid(row(), row(), row()))(t)
	data := testkit.Must(grid.Encode("svg"))(t)
	if got := strings.Count(string(data), ">M16<"); got != 1 {
		t.Errorf("the grid names M16 %d times, want once", got)
	}
	if got := len(grid.Plots()); got != 6 {
		t.Errorf("the grid has %d plots, want 6", got)
	}
	_, high := levelFigure(t, "M16", "M32").Size()
	if _, got := testkit.Must(SharedGrid(row()))(t).Size(); got != high {
		t.Errorf("the row is %g points high, want %g as one figure", got, high)
	}
	figure, err := SharedGrid()
	checkError(t, "empty grid", figure, err, "a column of 0 figures")
	figure, err = SharedGrid(row(), nil)
	checkError(t, "empty row", figure, err, "a row of 0 figures")
}

// Rows with different numbers of figures have one width, and no figure gets less than it needs.
func TestStretchedRowsHaveOneWidth(t *testing.T) {
	plain, wide := levelFigure(t, "M16", "M32"), levelFigure(t, "M16", "M32")
	wide.width += 100
	stretched := testkit.Must(Stretched([]*Figure{wide, plain, plain}, []*Figure{plain, wide},
		[]*Figure{plain}))(t)
	width := wide.width + 2*plain.width + 2*rowGap
	if stretched.width != width || len(stretched.Plots()) != 6 {
		t.Errorf("%d plots are %v wide, want 6 and %v", len(stretched.Plots()), stretched.width,
			width)
	}
	half := (width - rowGap) / 2
	for _, test := range []struct {
		row, want []vg.Length
	}{
		{[]vg.Length{wide.width, plain.width, plain.width}, []vg.Length{wide.width, plain.width,
			plain.width}},
		{[]vg.Length{plain.width, wide.width}, []vg.Length{half, half}},
		{[]vg.Length{plain.width}, []vg.Length{width}},
	} {
		var figures []*Figure
		for _, width := range test.row {
			figures = append(figures, newFigure(layout{width: width}))
		}
		for i, figure := range widened(figures, width) {
			if d := figure.width - test.want[i]; d > slack || d < -slack {
				t.Errorf("figure %d of the row %v is %v wide, want %v", i+1, test.row, figure.width,
					test.want[i])
			}
		}
	}
	figure, err := Stretched()
	checkError(t, "no rows", figure, err, "a column of 0 figures")
	figure, err = Stretched([]*Figure{plain}, nil)
	checkError(t, "empty row", figure, err, "a row of 0 figures")
}

// Nothing of a title that is too long for its figure is cut: the edges stay white.
func TestLongTitleIsWhole(t *testing.T) {
	data := testkit.Must(levelFigure(t, "M16").Titled(strings.Repeat("severities 4 and 5, ",
		8)).Encode("png"))(t)
	checkWhiteEdges(t, data)
}

// However strong the changes are, their pictures are equally wide, so that their images stand below
// each other in a column.
func TestImplicitCorruptionsAreEquallyWide(t *testing.T) {
	var widths []vg.Length
	for _, strength := range []float64{0.015, 0.04} {
		mask := slices.Repeat([]float64{strength, -strength, strength}, 4)
		figure := testkit.Must(ImplicitCorruptions(Implicit{Height: 2, Width: 2,
			Image: make([]float64, 12), Masks: [][]float64{mask}, Lambda: []float64{0.1}}))(t)
		widths = append(widths, figure.width)
	}
	if widths[0] != widths[1] {
		t.Errorf("widths are %v, want equal ones", widths)
	}
}

// A name that is too long is set smaller, then cut; what follows it is kept.
func TestLongNamesKeepTheirNote(t *testing.T) {
	long := entry{name: strings.Repeat("a long name ", 8), note: ", ECE 0.123",
		style: diagonalStyle}
	names := newLegend([]entry{long, {name: "short", style: diagonalStyle}}, 200)
	for _, line := range names.lines {
		for _, e := range line {
			if e.width() > 200 || e.size < legendLeast {
				t.Errorf("entry %q is %g points wide at size %g, want at most 200 and at least %g",
					e.name, e.width(), e.size, legendLeast)
			}
		}
	}
	if first := names.lines[0][0]; !strings.HasSuffix(first.name, "...") ||
		first.note != long.note {
		t.Errorf("entry is %q with the note %q, want it cut before %q", first.name, first.note,
			long.note)
	}
}

// Three names that have room in one line above the whole chart aren't set in two above its axes.
func TestLegendOfThreeStandsInOneLine(t *testing.T) {
	c := chart{x: span{0, 1}, y: span{0, 1000}, yLabel: "NLL (nats)"}
	axes := c.axes()
	inside := axes.DataCanvas(
		c.place(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: chartWidth, Y: chartHeight}}},
			0, nil))
	marked := testkit.Must(sharedEntries([]entry{{name: "M16"}, {name: "undecided", rank: 1},
		{name: "M32"}, {name: "M16"}}))(t)
	if len(marked) != 3 || marked[2].name != "undecided" {
		t.Errorf("the entries are %v, want the mark after both names", marked)
	}
	entries := []entry{{name: "templates, M16"}, {name: "templates, M32"}, {name: ""}}
	width := inside.Max.X - inside.Min.X
	for len(newLegend(entries, width).lines) == 1 { // until the axes are too narrow for it
		entries[2].name += "M"
	}
	c.entries = entries
	names, left := c.legend(axes, nil, chartWidth)
	if len(names.lines) != 1 || left != margin {
		t.Errorf("%d lines from %v on, want 1 from %v on", len(names.lines), left, margin)
	}
}

// A heading stands above the figure, which keeps its size below it, and a long one is broken
// between words: the edges stay white.
func TestHeaded(t *testing.T) {
	figure := levelFigure(t, "M16")
	width, high := figure.Size()
	headed := figure.Headed("Wider noise lowers the NLL", "M32 - M16 at level 5: -0.31 nats",
		"three seeds")
	want := high + (margin + headingLine + 2*subtitleLine + headingBottom).Points()
	if w, h := headed.Size(); w != width || h != want {
		t.Errorf("the figure is %g x %g points, want %g x %g", w, h, width, want)
	}
	svg := testkit.Must(headed.Encode("svg"))(t)
	for _, text := range []string{">Wider noise lowers the NLL<", ">three seeds<", ">M16<"} {
		if !strings.Contains(string(svg), text) {
			t.Errorf("the figure lacks %q", text)
		}
	}
	data := testkit.Must(figure.Headed(strings.Repeat("wide noise and ", 9),
		strings.Repeat("M32 and M16 ", 12)).Encode("png"))(t)
	checkWhiteEdges(t, data)
}

// checkWhiteEdges checks that nothing touches the left and the right edge of a picture.
func checkWhiteEdges(t *testing.T, data []byte) {
	t.Helper()
	picture := testkit.Must(png.Decode(bytes.NewReader(data)))(t)
	bounds := picture.Bounds()
	for y := range bounds.Dy() {
		for _, x := range []int{0, bounds.Dx() - 1} {
			if r, g, b, _ := picture.At(x, y).RGBA(); min(r, g, b) < 0xffff {
				t.Fatalf("pixel %d, %d at the edge is not white", x, y)
			}
		}
	}
}

func TestLinesBreakBetweenWords(t *testing.T) {
	for text, want := range map[string][]string{
		"one temperature a run, fitted to held-out clean images": {"one temperature a run, fitted",
			"to held-out clean images"},
		"word": {"word"},
	} {
		if got := wrapped(text, tickSize, 2.2*vg.Inch); !slices.Equal(got, want) {
			t.Errorf("the lines of %q are %q, want %q", text, got, want)
		}
	}
}

// Names at the ends of curves stand below each other between the ends of the axis.
func TestNamesOfCurvesWithOneEndStandApart(t *testing.T) {
	all := make([]Line, endMost)
	for i := range all {
		all[i] = Line{Name: fmt.Sprint("curve ", i), X: []float64{0, 1},
			Y: []float64{float64(i), 9}}
	}
	figure := testkit.Must(Lines("x", "y", all))(t)
	svg := string(testkit.Must(figure.Encode("svg"))(t))
	var heights []float64
	names := regexp.MustCompile(`y="([^"]+)"[^>]*>curve \d<`)
	for _, found := range names.FindAllStringSubmatch(svg, -1) {
		heights = append(heights, math.Abs(testkit.Must(strconv.ParseFloat(found[1], 64))(t)))
	}
	slices.Sort(heights)
	for i, height := range heights[1:] {
		if gap := height - heights[i]; gap < 13 {
			t.Errorf("names %d and %d are %.1f points apart", i, i+1, gap)
		}
	}
	_, high := figure.Size()
	if len(heights) != endMost || heights[endMost-1] > high {
		t.Errorf("the heights of %d names are %.1f, of a picture of %.1f", endMost, heights, high)
	}
}
