package viz

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestCellMapsThatCannotBeDrawn(t *testing.T) {
	good := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"}, Mean: [][]float64{{1, 2}}}
	for _, test := range []struct {
		name   string
		change func(*CellMap)
		want   string
	}{
		{"no rows", func(m *CellMap) { m.Rows = nil }, "without cells"},
		{"metric", func(m *CellMap) { m.Metric = "NNL" }, `did you mean "NLL"?`},
		{"row missing", func(m *CellMap) { m.Mean = nil }, "1 rows and 0 rows of means"},
		{"column missing", func(m *CellMap) { m.Mean = [][]float64{{1}} }, "2 columns and 1 means in row 0"},
		{"deviations", func(m *CellMap) { m.Std = [][]float64{{1}} }, "2 columns and 1 standard deviations"},
		{"infinity", func(m *CellMap) { m.Mean = [][]float64{{1, math.Inf(1)}} }, "value +Inf in row 0, column 1"},
		{"percent", func(m *CellMap) { m.Metric, m.Mean = "Error", [][]float64{{0.1, 42}} }, "Error 42 at place 1: give fractions"},
		{"negative", func(m *CellMap) { m.Mean = [][]float64{{0.1, -0.2}} }, "NLL -0.2 at place 1: give 0 or more"},
		{"seeds", func(m *CellMap) { m.Seeds = -1 }, "has -1 seeds"},
		{"deviations of no seed", func(m *CellMap) { m.Std = [][]float64{{0, 0}} }, "standard deviations over 0 seeds"},
		{"deviation missing", func(m *CellMap) { m.Seeds, m.Std = 2, [][]float64{{0, math.NaN()}} }, "standard deviation NaN in row 0, column 1"},
		{"nothing", func(m *CellMap) { m.Mean = [][]float64{{math.NaN(), math.NaN()}} }, "has no value"},
	} {
		bad := good
		test.change(&bad)
		figure, err := HeatMap(bad)
		checkError(t, test.name, figure, err, test.want)
		_, err = CellTable(good, bad)
		checkError(t, test.name, nil, err, test.want)
	}
	other := good
	other.Rows = []string{"snow"}
	figure, err := DifferenceMap(good, other)
	checkError(t, "other rows", figure, err, `row 0 of the maps is "fog" and "snow"`)
	other = good
	other.Columns = []string{"1", "3"}
	figure, err = DifferenceMap(good, other)
	checkError(t, "other columns", figure, err, `column 1 of the maps is "2" and "3"`)
	other = good
	other.Name, other.Metric = "M32", "ECE"
	figure, err = SharedHeatMaps(good, other)
	checkError(t, "other metric", figure, err, `"M16" is of NLL and "M32" of ECE`)
	figure, err = HeatMap(CellMap{})
	checkError(t, "zero", figure, err, "without cells")
	figure, err = SharedHeatMaps()
	checkError(t, "none", figure, err, "0 figures")
}

// A difference claims neither the tests nor the seeds of one map alone.
func TestDifferenceOfOtherTests(t *testing.T) {
	a := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1"}, Mean: [][]float64{{1}}, Seeds: 5, Test: "16 samples"}
	b := a
	b.Name, b.Seeds, b.Test = "M32", 3, "4 samples"
	difference := testkit.Must(a.minus(b))(t)
	if got, want := (heatMap{cells: difference}).caption(), "16 samples / 4 samples"; got != want {
		t.Errorf("caption is %q, want %q", got, want)
	}
}

// A map in which all cells agree, but for rounding or because they are empty, can be drawn.
func TestCellMapsOfOneValue(t *testing.T) {
	flat := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"}, Mean: [][]float64{{0.5, math.NaN()}}}
	rounded := flat
	rounded.Mean = [][]float64{{0.5, math.Nextafter(0.5, 1)}}
	for name, draw := range map[string]func() (*Figure, error){
		"heat map":   func() (*Figure, error) { return HeatMap(flat) },
		"rounded":    func() (*Figure, error) { return HeatMap(rounded) },
		"difference": func() (*Figure, error) { return DifferenceMap(flat, flat) },
	} {
		figure, err := draw()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := figure.PNG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRampsDarkenOrPale(t *testing.T) {
	for i := range 100 {
		if a, b := grey(sequential.at(float64(i)/100)), grey(sequential.at(float64(i+1)/100)); a < b {
			t.Errorf("sequential scale: grey %.3f at %d %% and %.3f after it, want it to darken", a, i, b)
		}
	}
	for i := range 50 {
		if a, b := grey(diverging.at(float64(i)/100)), grey(diverging.at(float64(i+1)/100)); a > b {
			t.Errorf("diverging scale: grey %.3f at %d %% and %.3f after it, want it to grow paler to the middle", a, i, b)
		}
	}
	if got := diverging.at(0.5); got != diverging[2] {
		t.Errorf("middle of the diverging scale is %v, want %v", got, diverging[2])
	}
}

// The least value of a cell is bold, both of two that are written alike, and none where there is
// one method.
func TestCellTableMarksTheLeast(t *testing.T) {
	m16 := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2", "3"}, Mean: [][]float64{{1, 0.50001, math.NaN()}}}
	m32 := m16
	m32.Name, m32.Mean = "M32", [][]float64{{0.9, 0.50002, 0.7}}
	table := testkit.Must(CellTable(m16, m32))(t)
	want := [][]bool{{false, false, false, true, false}, {false, false, true, true, true}}
	for i := range want {
		for j := range want[i] {
			if table.Strong[i][j] != want[i][j] {
				t.Errorf("row %d, column %d (%s) is bold: %t, want %t", i, j, table.Rows[i][j], table.Strong[i][j], want[i][j])
			}
		}
	}
	if got := table.Rows[0][4]; got != "-" {
		t.Errorf("a cell without a value is %q, want a dash", got)
	}
	text := testkit.Must(table.HTML())(t)
	if got := strings.Count(text, "font-weight:bold"); got != 4 {
		t.Errorf("the HTML has %d bold cells, want 4:\n%s", got, text)
	}
	single := testkit.Must(CellTable(m32))(t)
	if single.Strong[0][2] {
		t.Error("the only method is bold, want it plain")
	}
}

func TestLevelTablesThatCannotBeMade(t *testing.T) {
	curve := func(levels int) []LevelCurve { return []LevelCurve{{Name: "M16", Mean: make([]float64, levels)}} }
	for _, test := range []struct {
		name   string
		panels []LevelPanel
		want   string
	}{
		{"none", nil, "0 metrics"},
		{"ragged", []LevelPanel{{Metric: "NLL", Curves: curve(5)}, {Metric: "ECE", Curves: curve(6)}}, "ECE has 6 levels and NLL has 5"},
	} {
		_, err := LevelTable(test.panels...)
		checkError(t, test.name, nil, err, test.want)
	}
}

// A difference that rounds to zero has no sign; others have theirs.
func TestDifferenceText(t *testing.T) {
	quantity := testkit.Must(metricByName("NLL"))(t)
	h := heatMap{quantity: quantity, signed: true, scale: span{-1, 1}}
	for value, want := range map[float64]string{-0.004: "0.00", 0.004: "0.00", 0: "0.00", -0.006: "-0.01", 0.5: "+0.50"} {
		if got := h.text(value); got != want {
			t.Errorf("text(%g) = %q, want %q", value, got, want)
		}
	}
	if got, want := h.title(), "NLL (nats), below 0 is better"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}

// A cell without a value is grey, in a map and in a table; a value of the same place isn't.
func TestCellsWithoutAValueAreGrey(t *testing.T) {
	cells := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"}, Mean: [][]float64{{0.5, math.NaN()}}}
	greyPixels := func(m CellMap) (grey int) {
		figure := testkit.Must(HeatMap(m))(t)
		file := testkit.Must(figure.PNG())(t)
		picture := testkit.Must(png.Decode(bytes.NewReader(file)))(t)
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				if picture.At(x, y) == color.RGBAModel.Convert(gridInk) {
					grey++
				}
			}
		}
		return grey
	}
	whole := cells
	whole.Mean = [][]float64{{0.5, 0.6}}
	area := float64((heatWidth - heatGap) * (heatHeight - heatGap) / (pixel * pixel))
	if grey, none := greyPixels(cells), greyPixels(whole); math.Abs(float64(grey-none)-area) > 0.05*area {
		t.Errorf("%d pixels are grey, and %d of a map with all values: want %.0f ± 5 %% more", grey, none, area)
	}
	table := testkit.Must(CellTable(cells))(t)
	if text, err := table.HTML(); err != nil || strings.Count(text, missingStyle) != 1 || !strings.Contains(text, missingStyle+`">-<`) {
		t.Errorf("the table is %v\n%s\nwant its dash in grey and nothing else", err, text)
	}
}
