package viz

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// A difference claims neither the tests nor the seeds of one map alone.
func TestDifferenceOfOtherTests(t *testing.T) {
	a := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1"},
		Mean: [][]float64{{1}}, Seeds: 5, Test: "16 samples"}
	b := a
	b.Name, b.Seeds, b.Test = "M32", 3, "4 samples"
	difference := testkit.Must(a.minus(b))(t)
	if got, want := (heatMap{cells: difference}).caption(), "16 samples / 4 samples"; got != want {
		t.Errorf("caption is %q, want %q", got, want)
	}
}

// A map in which all cells agree, but for rounding or because they are empty, can be drawn.
func TestCellMapsOfOneValue(t *testing.T) {
	flat := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"},
		Mean: [][]float64{{0.5, math.NaN()}}}
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
		if _, err := figure.Encode("png"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRampsDarkenOrPale(t *testing.T) {
	for i := range 100 {
		if a, b := grey(sequential.at(float64(i)/100)),
			grey(sequential.at(float64(i+1)/100)); a < b {
			t.Errorf("sequential scale: grey %.3f at %d %% and %.3f after it, want it to darken", a,
				i, b)
		}
	}
	for i := range 50 {
		if a, b := grey(diverging.at(float64(i)/100)), grey(diverging.at(float64(i+1)/100)); a > b {
			t.Errorf("diverging scale: grey %.3f at %d %% and %.3f after it, want it to grow "+
				"paler to the middle", a, i, b)
		}
	}
	if got := diverging.at(0.5); got != diverging[2] {
		t.Errorf("middle of the diverging scale is %v, want %v", got, diverging[2])
	}
}

// A cell without a value is a dash.
func TestCellTable(t *testing.T) {
	cells := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"},
		Mean: [][]float64{{1, math.NaN()}}}
	if got := testkit.Must(CellTable(cells))(t).Rows[0][2:]; !slices.Equal(got,
		[]string{"1.000", "-"}) {
		t.Errorf("the cells are %q, want a number and a dash", got)
	}
}

// A difference that rounds to zero has no sign; others have theirs.
func TestDifferenceText(t *testing.T) {
	quantity := testkit.Must(score.MetricByName("NLL"))(t)
	h := heatMap{quantity: quantity, signed: true, scale: span{-1, 1}}
	for value, want := range map[float64]string{-0.004: "0.00", 0.004: "0.00", 0: "0.00",
		-0.006: "-0.01", 0.5: "+0.50"} {
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
	cells := CellMap{Name: "M16", Metric: "NLL", Rows: []string{"fog"}, Columns: []string{"1", "2"},
		Mean: [][]float64{{0.5, math.NaN()}}}
	greyPixels := func(m CellMap) (grey int) {
		figure := testkit.Must(HeatMap(m))(t)
		file := testkit.Must(figure.Encode("png"))(t)
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
	area := float64((heatWidth - heatGap) * (3*heatHeight - heatGap) / (pixel * pixel))
	if grey, none := greyPixels(cells),
		greyPixels(whole); math.Abs(float64(grey-none)-area) > 0.05*area {
		t.Errorf("%d pixels are grey, and %d of a map with all values: want %.0f ± 5 %% more", grey,
			none, area)
	}
	table := testkit.Must(CellTable(cells))(t)
	if text, err := table.As("html"); err != nil || strings.Count(text, missingStyle) != 1 ||
		!strings.Contains(text, missingStyle+`">-<`) {
		t.Errorf("the table is %v\n%s\nwant its dash in grey and nothing else", err, text)
	}
}
