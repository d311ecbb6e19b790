package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// scoredCells are the cells of a run on first8 with ten images each: nine right at a confidence of
// 0.85 and one wrong at 0.35, two wrong from severity 2 and three from severity 4. The negative
// log-likelihood is shift plus a tenth of the severity.
func scoredCells(t *testing.T, shift float64) (cells score.Cells) {
	t.Helper()
	suite := testkit.Must(corrupt.SuiteByName("first8"))(t)
	add := func(corruption string, severity int) {
		cell := score.Cell{Corruption: corruption, Severity: severity, Images: 10, Samples: 4,
			NLL: shift + 0.1*float64(severity)}
		wrong := 1 + severity/2
		right := cell.Images - wrong
		cell.Bins[5] = score.Bin{Count: wrong, Confidence: 0.35 * float64(wrong)}
		cell.Bins[12] = score.Bin{Count: right, Correct: right, Confidence: 0.85 * float64(right)}
		cell.Error, cell.ECE = float64(wrong)/10, cell.Bins.ECE(10)
		cells = append(cells, cell)
	}
	add(score.Clean, 0)
	for _, corruption := range suite.Corruptions {
		for severity := 1; severity < score.LevelCount; severity++ {
			add(corruption, severity)
		}
	}
	return cells
}

// twoMethods are two methods with two seeds each.
func twoMethods(t *testing.T) score.Comparison {
	return score.Comparison{Suite: "first8", Methods: []score.Method{
		{Name: "M16", Cells: []score.Cells{scoredCells(t, 0.5), scoredCells(t, 0.7)}},
		{Name: "M32", Cells: []score.Cells{scoredCells(t, 0.4), scoredCells(t, 0.4)}},
	}}
}

func TestPanels(t *testing.T) {
	panels := testkit.Must(Panels(twoMethods(t), "NLL", "Error"))(t)
	curve := panels[0].Curves[0]
	testkit.Near(t, "NLL of M16 at level 3", curve.Mean[3], 0.9, 1e-12)
	testkit.Near(t, "its standard deviation", curve.Std[3], 0.1414213562373095, 1e-12)
	testkit.Near(t, "error of M32 at level 5", panels[1].Curves[1].Mean[5], 0.3, 1e-12)
	if want := "first8, 4 samples, 10 images"; curve.Test != want || curve.Seeds != 2 {
		t.Errorf("tested on %q with %d seeds, want %q with 2", curve.Test, curve.Seeds, want)
	}
}

// The temperature-scaled NLL is drawn next to the NLL if all runs have it.
func TestPanelsWithATemperature(t *testing.T) {
	c := twoMethods(t)
	for _, method := range c.Methods {
		for _, cells := range method.Cells {
			for i := range cells {
				cells[i].Temperature, cells[i].ScaledNLL = 1.5, cells[i].NLL/2
			}
		}
	}
	panels, err := Panels(c)
	if err != nil || len(panels) != 4 || panels[1].Metric != "ScaledNLL" {
		t.Fatalf("panels are %+v (%v), want four with ScaledNLL as the second", panels, err)
	}
	testkit.Near(t, "scaled NLL of M16 at level 3", panels[1].Curves[0].Mean[3], 0.45, 1e-12)
	figure := testkit.Must(Levels(c))(t)
	two := testkit.Must(Levels(c, "NLL", "Error"))(t)
	wide, _ := two.Size()
	if width, _ := figure.Size(); width > wide || len(figure.Plots()) != 4 {
		t.Errorf("%d panels of four metrics are %g points wide, want rows of two, %g points wide",
			len(figure.Plots()), width, wide)
	}
	if _, err := cellMaps(c, "ScaledNLL"); err != nil {
		t.Error(err)
	}
	c.Methods[1].Cells[1][7].Temperature = 0
	if panels, err = Panels(c); err != nil || len(panels) != 3 {
		t.Errorf("%d panels (%v) where a cell lacks a temperature, want three", len(panels), err)
	}
	_, err = cellMaps(c, "ScaledNLL")
	testkit.Error(t, "not all runs of M32 have ScaledNLL", err,
		"not all runs of M32 have ScaledNLL")
}

func TestCellMaps(t *testing.T) {
	maps := testkit.Must(cellMaps(twoMethods(t), "NLL"))(t)
	m := maps[0]
	if len(m.Rows) != 8 || len(m.Columns) != 5 || m.Rows[0] != "gaussian_noise" {
		t.Fatalf("map of the rows %q and columns %q, want the 8 of first8 and 5", m.Rows, m.Columns)
	}
	for row := range m.Rows {
		for column := range m.Columns {
			testkit.Near(t, "NLL of a cell", m.Mean[row][column], 0.6+0.1*float64(column+1), 1e-12)
			testkit.Near(t, "its standard deviation", m.Std[row][column], 0.1414213562373095, 1e-12)
		}
	}
}

// The sure ones are answered first, and all of them are right.
func TestRiskOfBins(t *testing.T) {
	pools := testkit.Must(twoMethods(t).Bins(0, 5))(t)
	// For each seed 10 clean images with 1 wrong, and 8 x 10 at severity 5 with 3 wrong each.
	coverage, risk := together(pools[0]).RiskCoverage()
	testkit.Near(t, "coverage of the sure ones, of all", coverage, []float64{65.0 / 90, 1}, 1e-12)
	testkit.Near(t, "their risks", risk, []float64{0, 25.0 / 90}, 1e-12)
	// In each seed, 65 are right at 0.85 and 25 wrong at 0.35.
	testkit.Near(t, "expected calibration error", meanECE(pools[0]), (65*0.15+25*0.35)/90, 1e-12)
}

func TestComparisonIsRefused(t *testing.T) {
	compared := twoMethods(t)
	unevaluated := twoMethods(t)
	unevaluated.Methods[0].Cells = []score.Cells{nil}
	for _, test := range []struct {
		name string
		draw func() error
		want string
	}{
		{"nothing", func() error { _, err := Levels(score.Comparison{}); return err }, "0 methods"},
		{"not evaluated", func() error {
			_, err := Reliability(unevaluated)
			return err
		}, "M16 isn't evaluated yet"},
		{"metric", func() error {
			_, err := Levels(compared, "NNL")
			return err
		}, `did you mean "NLL"?`},
		{"metric of cells", func() error {
			_, err := HeatMaps(compared, "MeanECE")
			return err
		}, "cells have no MeanECE"},
		{"level", func() error { _, err := RiskCoverage(compared, 6); return err }, "level 6"},
		{"method", func() error {
			_, err := Difference(compared, "NLL", "M16", "M64")
			return err
		}, `no method "M64"`},
		{"suite", func() error {
			compared.Suite = "all19"
			_, err := Levels(compared)
			return err
		}, "is missing"},
	} {
		testkit.Error(t, test.want, test.draw(), test.want)
	}
}

func TestSave(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "new")
	files := testkit.Must(Save(twoMethods(t), directory, nil))(t)
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want a file", file, err)
		}
	}
	if got, want := strings.Join(names, " "), "levels.png dots.png reliability.png "+
		"risk-coverage.png cells-1.png cells-2.png difference.png summary.csv levels.csv "+
		"summary.tex levels.tex tables.md tables.html"; got != want {
		t.Errorf("files are %s, want %s", got, want)
	}
	levels, err := os.ReadFile(filepath.Join(directory, "levels.csv"))
	if want := "method,metric,level,mean,sd,n,low,high\nM16,NLL,0,0.6,"; err != nil ||
		!strings.HasPrefix(string(levels), want) || !strings.Contains(string(levels), ",2,,\n") {
		t.Errorf("levels.csv begins %.80s (%v), want %s and two seeds", levels, err, want)
	}
	page := testkit.Must(os.ReadFile(filepath.Join(directory, "tables.html")))(t)
	for _, want := range []string{"0.600 ± 0.141", "jpeg compression",
		"mean ± standard deviation over 2 seeds"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Methods that differ in one number are drawn against it, in every format that is asked for.
func TestSaveVersus(t *testing.T) {
	type settings struct {
		Gamma float64 `json:"gamma"`
	}
	c := score.Comparison{Suite: "first8"}
	for _, gamma := range []float64{4, 0, 1} {
		name := fmt.Sprintf("gamma %g", gamma)
		cells := scoredCells(t, 0.1*gamma)
		c.Methods = append(c.Methods, score.Method{Name: name, Settings: settings{gamma},
			Cells: []score.Cells{cells, cells, cells}})
	}
	figure, err := versus(twoMethods(t))
	if figure != nil || err != nil {
		t.Errorf("two methods without settings: %v, %v, want nothing", figure, err)
	}
	directory := t.TempDir()
	files := testkit.Must(Save(c, directory, nil, "svg", "pdf"))(t)
	for _, name := range []string{"versus.svg", "versus.pdf"} {
		if !slices.Contains(files, filepath.Join(directory, name)) {
			t.Errorf("files are %v, want %s among them", files, name)
		}
	}
	text, err := os.ReadFile(filepath.Join(directory, "versus.svg"))
	for _, want := range []string{">γ<", "rings: least mean", "severities 4 and 5"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the figure lacks %q (%v)", want, err)
		}
	}
	_, err = Save(c, directory, nil, "gif")
	testkit.Error(t, `unknown format "gif"`, err, `unknown format "gif"`)
}

// More methods than a panel can tell apart have a panel each, for each metric.
func TestLevelsOfManyMethods(t *testing.T) {
	c := score.Comparison{Suite: "first8", Baseline: "method 0"}
	for i := range mostTogether + 1 {
		c.Methods = append(c.Methods, score.Method{Name: fmt.Sprint("method ", i),
			Seeds: []uint64{1}, Cells: []score.Cells{scoredCells(t, 0.1*float64(i))}})
	}
	for _, drawn := range []struct {
		name        string
		draw        func(score.Comparison, ...string) (*viz.Figure, error)
		count, want int
	}{
		{"levels", Levels, mostTogether, 2}, {"levels", Levels, mostTogether + 1,
			2 * (mostTogether + 1)},
		{"baseline", baselineDifferences, 2, 2}, {"baseline", baselineDifferences, 4, 6},
	} {
		some := c
		some.Methods = c.Methods[:drawn.count]
		figure := testkit.Must(drawn.draw(some, "NLL", "Error"))(t)
		if got := len(figure.Plots()); got != drawn.want {
			t.Errorf("%s of %d methods have %d panels, want %d", drawn.name, drawn.count, got,
				drawn.want)
		}
	}
}

// With a baseline there is a further picture, of differences; an unknown one is refused.
func TestBaseline(t *testing.T) {
	c := twoMethods(t)
	c.Baseline, c.Methods[1].Colour = "M16", "#00ff00"
	for i := range c.Methods {
		c.Methods[i].Seeds = []uint64{1, 2}
	}
	folder := t.TempDir()
	if _, err := Save(c, folder, nil, "svg"); err != nil {
		t.Fatal(err)
	}
	svg := testkit.Must(os.ReadFile(filepath.Join(folder, "baseline.svg")))(t)
	for _, want := range []string{">NLL − baseline (nats)<", ">better<", ">worse<",
		">baseline: M16<", "dots: 2 seeds", "#00FF00"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	// differences of -0.1 and -0.3: two seeds have no interval
	table := testkit.Must(BaselineTable(c, "NLL"))(t)
	if want := []string{"NLL", "M32", "2", "-0.200", "-0.200"}; len(table.Rows) != 1 ||
		!slices.Equal(table.Rows[0], want) {
		t.Errorf("the table is %q, want %q", table.Rows, want)
	}
	if text := string(testkit.Must(os.ReadFile(filepath.Join(folder, "tables.md")))(
		t)); !strings.Contains(text, "minus M16") {
		t.Errorf("the tables lack the differences:\n%s", text)
	}
	nll := testkit.Must(score.MetricByName("NLL"))(t)
	apart := c // a seed more than the baseline has, in front of those of both
	apart.Methods = slices.Clone(c.Methods)
	apart.Methods[0].Seeds, apart.Methods[1].Seeds = []uint64{2, 3}, []uint64{1, 2, 3}
	apart.Methods[1].Cells = []score.Cells{scoredCells(t, 9), scoredCells(t, 0.1),
		scoredCells(t, 0.2)}
	for _, cells := range apart.Methods[1].Cells {
		for i, cell := range cells {
			cells[i].NLL -= 0.5 * float64(cell.Severity%5%2) // at levels 1 and 3
		}
	}
	from := testkit.Must(FromBaselines(apart, nll))(t)[0]
	if !slices.Equal(from.Seeds, []uint64{2, 3}) || math.Abs(from.Levels[0].Mean+0.45) > 1e-12 ||
		math.Abs(from.Levels[0].Std-0.05*math.Sqrt2) > 1e-12 ||
		math.Abs(from.Corrupted.Mean+0.65) > 1e-12 {
		t.Errorf("seeds %v differ by %+v and %+v, want -0.4 of 2 and -0.5 of 3, and 0.2 less",
			from.Seeds, from.Levels[0], from.Corrupted)
	}
	apart.Methods = append(apart.Methods, apart.Methods[1].Ensemble(scoredCells(t, 0.1), ""))
	if all := testkit.Must(FromBaselines(apart, nll))(t); len(all) != 1 {
		t.Errorf("%d methods differ from the baseline, want that of runs alone, without their "+
			"ensemble", len(all))
	}
	// 4.303 x 0.1 / sqrt(3)
	if got := intervalText(nll, score.Summary{N: 3, Mean: -0.2,
		Std: 0.1}); got != "-0.200 [-0.448, +0.048]" {
		t.Errorf("three seeds have the interval %s", got)
	}
	if got := intervalText(nll, score.Summary{N: 1, Mean: -0.0004}); got != "0.000" {
		t.Errorf("a difference that rounds to zero is %s", got)
	}
	nll.HigherIsBetter = true
	if plot := baselinePlot(nll, FromBaseline{each: make([][]float64,
		score.LevelCount)}); plot.Above != "better" || plot.Below != "worse" {
		t.Errorf("where more is better, the sides of zero are %q and %q", plot.Above, plot.Below)
	}
	if text := string(testkit.Must(os.ReadFile(filepath.Join(folder, "differences.csv")))(
		t)); !strings.Contains(text, "M32,M16,NLL,corrupted,-0.19999") || !strings.Contains(text,
		",2,,\n") {
		t.Errorf("the differences as numbers are\n%s", text)
	}
	noise := []score.Origin{{Parent: "a", OnOne: true}, {Parent: "a", OnOne: true}}
	c.Methods[0].Origins = []score.Origin{{Weights: "b"}, {Weights: "c"}}
	for _, other := range []score.Method{{Seeds: []uint64{3, 4}},
		{Seeds: []uint64{1, 2}, Origins: noise}} {
		c.Methods[1].Seeds, c.Methods[1].Origins = other.Seeds, other.Origins
		testkit.Must(Save(c, folder, nil, "svg"))(t)
		if text := string(testkit.Must(os.ReadFile(filepath.Join(folder, "tables.md")))(
			t)); strings.Contains(text, "minus M16") {
			t.Errorf("the tables have differences of no seed:\n%s", text)
		}
	}
	c.Baseline = "M61"
	_, err := baselineDifferences(c)
	testkit.Error(t, `no method "M61"`, err, `no method "M61"`)
}

// The differences reach LaTeX and programs with their intervals: -0.2, -0.2 and -0.19 have the mean
// -0.19667 and the half 4.302653 x 0.0057735 / sqrt(3) = 0.0143422.
func TestDifferencesAreSaved(t *testing.T) {
	c := threeSeeds(t, []float64{0.5, 0.7, 0.6}, []float64{0.3, 0.5, 0.41})
	c.Baseline = "method 0"
	folder := t.TempDir()
	testkit.Must(Save(c, folder, nil, "svg"))(t)
	latex := string(testkit.Must(os.ReadFile(filepath.Join(folder, "differences.tex")))(t))
	if want :=
		`NLL & method 1 & 3 & $-$0.197 [$-$0.211, $-$0.182] & $-$0.197 [$-$0.211, $-$0.182] \\`; !strings.Contains(latex, want) {
		t.Errorf("differences.tex lacks %s:\n%s", want, latex)
	}
	lines := strings.Split(
		string(testkit.Must(os.ReadFile(filepath.Join(folder, "differences.csv")))(t)), "\n")
	if lines[0] != "method,minus,metric,level,mean,sd,n,low,high" {
		t.Errorf("differences.csv has the columns %s", lines[0])
	}
	cells := strings.Split(lines[7], ",")
	if got := strings.Join(cells[:4], ","); got != "method 1,method 0,NLL,corrupted" ||
		cells[6] != "3" {
		t.Fatalf("the row after the six levels is %s", lines[7])
	}
	for i, want := range map[int]float64{4: -0.19666667, 5: 0.00577350, 7: -0.21100889,
		8: -0.18232444} {
		testkit.Near(t, lines[0], testkit.Must(strconv.ParseFloat(cells[i], 64))(t), want, 1e-7)
	}
}

// A comparison names the runs that lack bins, and none of those that have them.
func TestUnbinnedRuns(t *testing.T) {
	binned, bare := score.Cells{{}}, score.Cells{{Images: 1}}
	c := score.Comparison{Methods: []score.Method{
		{Runs: []string{"c", "b"}, Cells: []score.Cells{bare, binned}},
		{Runs: []string{"a"}, Cells: []score.Cells{bare}},
		{Name: "SAM", Cells: []score.Cells{binned, bare}}, // filled by hand
	}}
	if got, want := Unbinned(c), []string{"a", "c", "run 2 of SAM"}; !slices.Equal(got, want) {
		t.Errorf("runs without bins are %q, want %q", got, want)
	}
	if c.Methods[0].Cells[0] = binned; len(Unbinned(score.Comparison{
		Methods: c.Methods[:1]})) != 0 {
		t.Error("runs with bins are named as runs without")
	}
}
