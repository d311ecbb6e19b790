package report

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// split is a set of test images over whose levels a metric is averaged.
type split struct {
	name        string
	first, last int // levels
}

// splits are those of a summary.
var splits = []split{{"clean", 0, 0}, {"corrupted", 1, score.LevelCount - 1}}

// of returns the mean of a metric over the levels, [methods][seeds].
func (s split) of(c score.Comparison, metric score.Metric) ([][]float64, error) {
	all := make([][]float64, len(c.Methods))
	for i, method := range c.Methods {
		for _, cells := range method.Cells {
			series, err := metric.Series(c.Suite, cells)
			if err != nil {
				return nil, err
			}
			levels := series.Means()[s.first : s.last+1]
			all[i] = append(all[i], score.Summarise(levels).Mean)
		}
	}
	return all, nil
}

// AgainstPasses draws metrics against the forward passes that predict an image, with the Pareto
// front, on clean images and as means over the severities 1 to 5: error and NLL if none are named.
// The costs of all methods must be known.
func AgainstPasses(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	panels, err := PassesPanels(c, metrics...)
	if err != nil {
		return nil, err
	}
	return viz.SharedRow(panels...)
}

// PassesPanels returns the panels of AgainstPasses, to be arranged with others.
func PassesPanels(c score.Comparison, metrics ...string) (panels []*viz.Figure, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(metrics) == 0 {
		metrics = []string{"Error", "NLL"}
	}
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		for _, images := range splits {
			panel, err := passesPanel(c, metric, images)
			if err != nil {
				return nil, err
			}
			panels = append(panels, panel.Titled(images.name))
		}
	}
	return panels, nil
}

// passesPanel draws a metric on some images.
func passesPanel(c score.Comparison, metric score.Metric, images split) (*viz.Figure, error) {
	values, err := images.of(c, metric)
	if err != nil {
		return nil, err
	}
	points := make([]viz.PassesPoint, len(c.Methods))
	for i, method := range c.Methods {
		cost, known := method.Cost()
		if !known {
			return nil, fmt.Errorf("report: the cost of %s isn't known: compare runs, whose cards tell it", method.Name)
		}
		s := score.Summarise(values[i])
		points[i] = viz.PassesPoint{
			Name: method.Name, Colour: method.Colour, Passes: cost.PredictionPasses, Mean: s.Mean, Std: s.Std, Each: values[i], Seeds: s.N,
			Test: fmt.Sprintf("%s, %s", c.Suite, imagesOf(method.Cells[0])),
		}
	}
	return viz.AgainstPasses(metric.Name, points)
}
