// Package report draws and writes what runs have recorded. Package viz/report explains its
// pictures.
package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Save draws a comparison into a directory and returns the paths of the files: the metrics at the
// levels, a row of dots for each method, the differences of metrics from the baseline if there is
// one, reliability and risk against coverage on clean and on corrupted images, metrics against the
// cost of a prediction and, if the methods differ in one number, against that, a heat map for each
// method, for two methods their difference, and the tables of scores with costs and of levels in
// several formats, with the tables of cells as a page. Pictures are PNG, or in the formats given.
// Further metrics, for example "AUGRC", follow the usual ones in the tables of scores and of
// levels, and a picture of the levels has them.
func Save(c score.Comparison, directory string, metrics []string, formats ...string) ([]string,
	error) {
	if err := check.Formats(formats...); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	tables, err := saveTables(c, directory, metrics) // first, as they tell whose the folder is
	if err != nil {
		return nil, err
	}
	var paths []string
	marked := Marked(c, true)
	for _, picture := range pictures(marked, metrics) {
		figure, err := picture.draw(marked)
		if err != nil {
			return nil, err
		}
		if figure == nil {
			continue
		}
		files, err := SaveFormats(figure, filepath.Join(directory, picture.name), formats...)
		if err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, files...)
	}
	return append(paths, tables...), nil
}

// picture is a picture of Save; its figure is nil if it has nothing to show.
type picture struct {
	name string // of its files, without the format
	draw drawing
}

// drawing draws metrics of a comparison; without names, the usual ones.
type drawing func(c score.Comparison, metrics ...string) (*viz.Figure, error)

// pictures lists the pictures of Save.
func pictures(c score.Comparison, metrics []string) []picture {
	all := []picture{{"levels", Levels}, {"dots", Dots}, {"versus", versus}}
	if len(Unbinned(c)) == 0 {
		all = append(all, picture{"reliability", cleanAndCorrupted(Reliability)},
			picture{"risk-coverage", cleanAndCorrupted(RiskCoverage)})
	}
	if c.Baseline != "" {
		all = append(all, picture{"baseline", baselineDifferences})
	}
	if slices.ContainsFunc(c.Methods, func(m score.Method) bool { return len(m.Costs) > 0 }) {
		all = append(all, picture{"passes", againstPasses})
	}
	for i, method := range c.Methods {
		all = append(all, picture{fmt.Sprintf("cells-%d", i+1), func(c score.Comparison,
			_ ...string) (*viz.Figure, error) {
			return HeatMaps(score.Comparison{Suite: c.Suite, Methods: []score.Method{method}},
				"NLL")
		}})
	}
	if len(c.Methods) == 2 {
		all = append(all, picture{"difference", func(c score.Comparison, _ ...string) (*viz.Figure,
			error) {
			return Difference(c, "NLL", c.Methods[1].Name, c.Methods[0].Name)
		}})
	}
	if len(metrics) > 0 {
		all = append(all, picture{"metrics", func(c score.Comparison, _ ...string) (*viz.Figure,
			error) {
			return Levels(c, metrics...)
		}})
	}
	return all
}

// cleanAndCorrupted draws the clean images on the left and the severities 1 to 5 on the right.
func cleanAndCorrupted(draw func(c score.Comparison, levels ...int) (*viz.Figure, error)) drawing {
	return func(c score.Comparison, _ ...string) (*viz.Figure, error) {
		clean, err := draw(c, 0)
		if err != nil {
			return nil, err
		}
		corrupted, err := draw(c)
		if err != nil {
			return nil, err
		}
		return viz.Row(clean.Titled("clean"), corrupted.Titled("severities 1 to 5"))
	}
}

// unwritten returns the error of results that can't be written into a directory.
func unwritten(directory string, err error) error {
	return fmt.Errorf("report: can't write results into %s: %w: make the directory "+
		"writable, or choose another one", directory, err)
}

// Reliability draws the reliability diagram of all methods at the levels; see viz/report.
func Reliability(c score.Comparison, levels ...int) (*viz.Figure, error) {
	pools, err := c.Bins(levels...)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.ReliabilityCurve, len(pools))
	for i, seeds := range pools {
		m := c.Methods[i]
		curve := viz.ReliabilityCurve{Name: m.Name, Colour: m.Colour, Test: pooledTest(c, m)}
		if len(seeds) > 1 {
			curve.ECE = meanECE(seeds)
		}
		curve.Confidence, curve.Accuracy, curve.Count = together(seeds).Reliability()
		curves[i] = curve
	}
	return viz.Reliability(curves)
}

// RiskCoverage draws the error of all methods against coverage at the levels; see viz/report.
func RiskCoverage(c score.Comparison, levels ...int) (*viz.Figure, error) {
	pools, err := c.Bins(levels...)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.Series, len(pools))
	for i, seeds := range pools {
		m := c.Methods[i]
		curves[i] = viz.Series{Name: m.Name, Colour: m.Colour, Test: pooledTest(c, m)}
		curves[i].X, curves[i].Mean = together(seeds).RiskCoverage()
	}
	return viz.RiskCoverage(curves)
}

func together(seeds []score.Bins) (pool score.Bins) {
	for _, bins := range seeds {
		pool = pool.Pool(bins)
	}
	return pool
}

// meanECE returns the mean of the seeds' expected calibration errors.
func meanECE(seeds []score.Bins) (mean float64) {
	for _, bins := range seeds {
		mean += bins.ECE(bins.Count()) / float64(len(seeds))
	}
	return mean
}

// cellMaps returns a metric of each method under every corruption at every severity.
func cellMaps(c score.Comparison, name string) ([]viz.CellMap, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	if metric.Column == "" {
		return nil, fmt.Errorf("report: cells have no %s: choose a metric of single cells: NLL, "+
			"Error or ECE", metric.Name)
	}
	summaries, err := c.CellSummaries()
	if err != nil {
		return nil, err
	}
	all := make([]viz.CellMap, len(c.Methods))
	for i, method := range c.Methods {
		m := viz.CellMap{Name: method.Name, Metric: metric.Name, Corner: "severity",
			Seeds: len(method.Cells), Test: test(c)}
		for _, severity := range allLevels[1:] {
			m.Columns = append(m.Columns, severity.name)
		}
		for _, cell := range summaries[i] {
			value, found := cell.Metrics[metric.Column]
			if !found {
				return nil, fmt.Errorf("report: not all runs of %s have %s: `nbbnn evaluate` "+
					"with the same settings adds it", method.Name, metric.Name)
			}
			if cell.Severity == 0 { // the clean cell has no row
				continue
			}
			if last := len(m.Rows) - 1; last < 0 || m.Rows[last] != cell.Corruption {
				m.Rows, m.Mean, m.Std = append(m.Rows, cell.Corruption), append(m.Mean, nil),
					append(m.Std, nil)
			}
			row := len(m.Rows) - 1
			m.Mean[row], m.Std[row] = append(m.Mean[row], value.Mean), append(m.Std[row], value.Std)
		}
		all[i] = m
	}
	return all, nil
}

func HeatMaps(c score.Comparison, metric string) (*viz.Figure, error) {
	maps, err := cellMaps(c, metric)
	if err != nil {
		return nil, err
	}
	return viz.HeatMap(maps...)
}

func Difference(c score.Comparison, metric, of, from string) (*viz.Figure, error) {
	var pair score.Comparison
	pair.Suite = c.Suite
	for _, name := range []string{of, from} {
		method, err := c.Method(name)
		if err != nil {
			return nil, err
		}
		pair.Methods = append(pair.Methods, method)
	}
	maps, err := cellMaps(pair, metric)
	if err != nil {
		return nil, err
	}
	return viz.DifferenceMap(maps[0], maps[1])
}

func CellTable(c score.Comparison, metric string) (viz.Table, error) {
	maps, err := cellMaps(c, metric)
	if err != nil {
		return viz.Table{}, err
	}
	quantity, _ := score.MetricByName(metric) // CellMaps has found it
	table, err := viz.CellTable(maps...)
	for row := range maps[0].Rows {
		methods := make([]viz.Series, len(maps))
		for i, m := range maps {
			methods[i] = viz.Series{Mean: m.Mean[row]}
			for _, cells := range c.Methods[i].Cells {
				part, _ := cells.Of(c.Suite) // CellMaps has read it
				var values []float64
				for column := range m.Columns {
					values = append(values, quantity.Value(part[1+row*len(m.Columns)+column]))
				}
				methods[i].Each = append(methods[i].Each, values)
			}
		}
		mark(&table, c, quantity, methods)
	}
	return table, err
}

func Dots(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	chosen, err := metricsOf(metrics, "NLL", "Error")
	if err != nil {
		return nil, err
	}
	var order []int // of the methods
	figures := make([]*viz.Figure, len(chosen))
	for i, metric := range chosen {
		rows, err := seriesOf(c, metric, shifts...)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			order = bestFirst(rows, metric)
		}
		plot := viz.DotPlot{Metric: metric.Name, Rows: rows, Order: order, Baseline: c.Baseline}
		for _, split := range shifts {
			plot.Panels = append(plot.Panels, split.name)
		}
		if figures[i], err = viz.Dots(plot); err != nil {
			return nil, err
		}
	}
	return viz.Column(figures...)
}

// bestFirst returns the places of the rows, ordered by their last mean; nil, unordered, for a
// metric without a best value.
func bestFirst(rows []viz.DotRow, metric score.Metric) []int {
	if metric.NoBest {
		return nil
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		last := len(shifts) - 1
		if metric.HigherIsBetter {
			a, b = b, a
		}
		return cmp.Compare(rows[a].Mean[last], rows[b].Mean[last])
	})
	return order
}

// SaveFormats saves a figure in formats, PNG if none are given, in files that are called base
// with the format as extension, and returns their paths.
func SaveFormats(f *viz.Figure, base string, formats ...string) (paths []string, err error) {
	if len(formats) == 0 {
		formats = []string{"png"}
	}
	for _, format := range formats {
		path := base + "." + format
		if err := f.Save(path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
