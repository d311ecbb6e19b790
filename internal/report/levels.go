package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Metrics returns the names of the metrics by which a comparison is judged if none are named: NLL,
// ScaledNLL if all runs have it, Error and ECE, or MeanECE if some cells lack their bins.
func Metrics(c score.Comparison) []string {
	metrics, lacksTemperature := []string{"NLL"}, func(cells score.Cells) bool {
		return !cells.Scaled()
	}
	if !slices.ContainsFunc(c.Methods, func(m score.Method) bool {
		return slices.ContainsFunc(m.Cells, lacksTemperature)
	}) {
		metrics = append(metrics, "ScaledNLL")
	}
	if len(Unbinned(c)) == 0 {
		return append(metrics, "Error", "ECE")
	}
	return append(metrics, "Error", "MeanECE")
}

// Unbinned returns the runs whose cells lack bins, sorted by name: with any, tables and pictures
// have MeanECE instead of ECE.
func Unbinned(c score.Comparison) (runs []string) {
	for _, method := range c.Methods {
		for i, cells := range method.Cells {
			switch {
			case cells.Binned():
			case i < len(method.Runs):
				runs = append(runs, method.Runs[i])
			default:
				runs = append(runs, fmt.Sprintf("run %d of %s", i+1, method.Name))
			}
		}
	}
	slices.Sort(runs)
	return runs
}

// metricsOf returns the metrics of names, each once, or of usual ones if none are given.
func metricsOf(names []string, usual ...string) (metrics []score.Metric, err error) {
	if len(names) == 0 {
		names = usual
	}
	for _, name := range names {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(metrics, func(m score.Metric) bool {
			return m.Name == metric.Name
		}) {
			metrics = append(metrics, metric)
		}
	}
	return metrics, nil
}

// Panels returns metrics of a comparison at the levels 0 to 5, in the order given, for
// viz.LevelGrid and viz.LevelTable. None means Metrics.
func Panels(c score.Comparison, metrics ...string) ([]viz.LevelPanel, error) {
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return nil, err
	}
	panels := make([]viz.LevelPanel, len(chosen))
	for i, metric := range chosen {
		curves, err := seriesOf(c, metric, allLevels...)
		if err != nil {
			return nil, err
		}
		panels[i] = viz.LevelPanel{Metric: metric.Name, Curves: curves}
	}
	return panels, nil
}

// split is a set of test images: a corruption level, or several over which a metric is averaged.
type split struct {
	name        string
	first, last int // levels
}

var allLevels = func() (all []split) {
	for level := range score.LevelCount {
		all = append(all, split{strconv.Itoa(level), level, level})
	}
	return all
}()

// of returns the mean over the split of values at each level.
func (s split) of(levels []float64) float64 {
	return score.Summarise(levels[s.first : s.last+1]).Mean
}

// seriesOf returns a metric of each method on the splits, over the seeds and of each.
func seriesOf(c score.Comparison, metric score.Metric, splits ...split) ([]viz.Series, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	all := make([]viz.Series, len(c.Methods))
	for i, method := range c.Methods {
		s := viz.Series{Name: method.Name, Colour: method.Colour, Test: test(c),
			Seeds: len(method.Cells), Classes: c.Classes}
		values := make([][]float64, len(splits)) // [splits][seeds]
		for _, cells := range method.Cells {
			levels, err := metric.Series(c.Suite, cells)
			if err != nil {
				return nil, err
			}
			var each []float64
			for k, split := range splits {
				each = append(each, split.of(levels.Means()))
				values[k] = append(values[k], each[k])
			}
			s.Each = append(s.Each, each)
		}
		for _, seeds := range values {
			summary := score.Summarise(seeds)
			s.Mean, s.Std = append(s.Mean, summary.Mean), append(s.Std, summary.Std)
		}
		all[i] = s
	}
	return all, nil
}

// at returns a metric of one method at one place.
func at(s viz.Series, place int) score.Summary {
	return score.Summary{Mean: s.Mean[place], Std: s.Std[place], N: s.Seeds}
}

// test describes a comparison's test: "first8, 16 samples, 1000 images".
func test(c score.Comparison) string {
	return fmt.Sprintf("%s, %s, %s", c.Suite, Samples(c), imagesOf(c.Methods[0].Cells[0]))
}

// Samples describes the methods' number of samples: "16 samples", or "1 to 16 samples" if an
// ordinary network is among them.
func Samples(c score.Comparison) string {
	var samples []int
	for _, method := range c.Methods {
		for _, cells := range method.Cells {
			samples = append(samples, cells[0].Samples)
		}
	}
	return quantity.Range(samples, "sample")
}

// Tested describes for a caption how cells were measured: the corruptions, the samples and the
// images.
func Tested(corruptions string, cells score.Cells) string {
	return fmt.Sprintf("%s, %s, %s", corruptions, quantity.Count(cells[0].Samples, "sample"),
		imagesOf(cells))
}

// imagesOf describes the number of images of cells: "1000 images".
func imagesOf(cells score.Cells) string {
	return fmt.Sprintf("%d %s", cells[0].Images, quantity.Noun(cells[0].Images, "image"))
}

// pooledTest describes the test of numbers that are counted over all seeds of a method together.
func pooledTest(c score.Comparison, method score.Method) string {
	if seeds := len(method.Cells); seeds > 1 {
		return fmt.Sprintf("%s, %d seeds together", test(c), seeds)
	}
	return test(c)
}

// mostTogether is the largest number of methods that a panel holds.
const mostTogether = 7

func Levels(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	panels, err := Panels(c, metrics...)
	if err != nil {
		return nil, err
	}
	return drawLevels(panels)
}

// drawLevels draws rows of panels, or of many methods one panel below the other.
func drawLevels(panels []viz.LevelPanel) (*viz.Figure, error) {
	if len(panels[0].Curves) <= mostTogether {
		return viz.LevelGrid(inRows(panels)...)
	}
	figures := make([]*viz.Figure, len(panels))
	for i, panel := range panels {
		var err error
		if figures[i], err = viz.LevelMultiples(panel); err != nil {
			return nil, err
		}
	}
	return viz.Column(figures...)
}

func LevelTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	panels, err := Panels(c, metrics...)
	if err != nil {
		return viz.Table{}, err
	}
	table, err := viz.LevelTable(panels...)
	for _, panel := range panels {
		metric, _ := score.MetricByName(panel.Metric) // Panels has found it
		mark(&table, c, metric, panel.Curves)
	}
	explain(&table, c)
	return table, err
}

// shifts are the splits that Versus draws: no shift, mild and severe corruptions.
var shifts = []split{{"clean", 0, 0}, {"severities 1 to 3", 1, 3}, {"severities 4 and 5", 4, 5}}

// versus draws metrics against the only number in which the methods differ, for example gamma or
// the number of components. Without names it takes Metrics. Each metric has a curve for the clean
// images, one for mild and one for severe corruptions, all means over levels and seeds. It returns
// nil if the methods differ in something else, or if there are fewer than three.
func versus(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	c = Ordered(c)
	name, values, found := axisOf(c)
	if !found || len(c.Methods) < 3 || values[0] < 0 {
		return nil, nil
	}
	panels, err := Panels(c, metrics...)
	if err != nil {
		return nil, err
	}
	figures := make([]*viz.Figure, len(panels))
	for i, panel := range panels {
		curves := make([]viz.Series, len(shifts))
		for k, split := range shifts {
			curves[k] = viz.Series{Name: split.name, Axis: name, X: values, Classes: c.Classes,
				Seeds: panel.Curves[0].Seeds}
			for _, method := range panel.Curves {
				curves[k].Seeds = min(curves[k].Seeds, method.Seeds)
				curves[k].Mean = append(curves[k].Mean, split.of(method.Mean))
			}
		}
		if figures[i], err = viz.GammaCurves(panel.Metric, curves); err != nil {
			return nil, err
		}
	}
	return viz.SharedGrid(inRows(figures)...)
}

// inRows puts panels into one row, or more than three of them into rows of two, so that they can be
// read in a narrow window.
func inRows[T any](panels []T) [][]T {
	if len(panels) <= 3 {
		return [][]T{panels}
	}
	return slices.Collect(slices.Chunk(panels, 2))
}
