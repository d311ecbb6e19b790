package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Compared are methods that were tested alike, to be drawn together.
type Compared struct {
	Suite   string // of corruptions; "" means that of the cells of the default evaluation
	Methods []Scored
}

// Scored is what the runs of one method scored.
type Scored struct {
	Name string
	Runs []score.Cells // one for each seed
}

// Compared returns the scores of the figure's methods. Before Figure.Evaluate there are none, and what is drawn of them is an
// error that says so.
func (r *Result) Compared() Compared {
	compared := Compared{Suite: r.Setup.Evaluation.WithDefaults().Suite}
	for _, method := range r.methodNames() {
		scored := Scored{Name: method}
		for _, run := range r.of(method) {
			scored.Runs = append(scored.Runs, run.Cells)
		}
		compared.Methods = append(compared.Methods, scored)
	}
	return compared
}

// check returns an error unless every method has cells.
func (c Compared) check() error {
	if len(c.Methods) == 0 {
		return fmt.Errorf("paper: 0 methods to compare: give at least one")
	}
	for _, method := range c.Methods {
		if len(method.Runs) == 0 || slices.ContainsFunc(method.Runs, func(cells score.Cells) bool { return len(cells) == 0 }) {
			return fmt.Errorf("paper: %s isn't evaluated yet: Figure.Evaluate or `nbbnn evaluate` computes its cells", method.Name)
		}
	}
	return nil
}

// suite is the name of the suite.
func (c Compared) suite() string { return nbbnn.Evaluation{Suite: c.Suite}.WithDefaults().Suite }

// test says what was measured, such as "first8, 16 samples, 1000 images".
func (c Compared) test() string { return testedOn(c.suite(), c.Methods[0].Runs[0]) }

// testedOn says for a caption on what cells were measured: the corruptions, the samples and the images.
func testedOn(corruptions string, cells score.Cells) string {
	return fmt.Sprintf("%s, %d samples, %d images", corruptions, cells[0].Samples, cells[0].Images)
}

// pooledTest is test for what is counted over all seeds of a method together.
func (c Compared) pooledTest(method Scored) string {
	if seeds := len(method.Runs); seeds > 1 {
		return fmt.Sprintf("%s, %d seeds together", c.test(), seeds)
	}
	return c.test()
}

// Panels returns metrics at the levels 0 to 5 for viz.LevelPanels and viz.LevelTable, in their order: NLL, Error and ECE if none
// are named.
func (c Compared) Panels(metrics ...string) ([]viz.LevelPanel, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(metrics) == 0 {
		metrics = []string{NLL, Error, ECE}
	}
	panels := make([]viz.LevelPanel, len(metrics))
	for i, metric := range metrics {
		panels[i].Metric = metric
	}
	for _, method := range c.Methods {
		for i, metric := range metrics {
			m, err := metricByName(metric)
			if err != nil {
				return nil, err
			}
			series, err := m.Series(c.suite(), method.Runs...)
			if err != nil {
				return nil, err
			}
			panels[i].Curves = append(panels[i].Curves, viz.LevelCurve{
				Name: method.Name, Mean: series.Means(), Std: series.Stds(), Seeds: len(method.Runs), Test: c.test(),
			})
		}
	}
	return panels, nil
}

// metricByName finds a metric of package score.
func metricByName(name string) (score.Metric, error) {
	m, err := score.MetricByName(name)
	if err != nil {
		return score.Metric{}, fmt.Errorf("paper: %w", err)
	}
	return m, nil
}

// unknownMetric is the error for a name that isn't one of those known.
func unknownMetric(metric string, known []string) error {
	return fmt.Errorf("paper: unknown metric %q%s: the metrics are %s", metric, nearest.Hint(metric, known), strings.Join(known, ", "))
}

// Levels draws metrics against the corruption level side by side, as the paper's Figure 10 does: NLL, Error and ECE if none are
// named.
func (c Compared) Levels(metrics ...string) (*viz.Figure, error) {
	panels, err := c.Panels(metrics...)
	if err != nil {
		return nil, err
	}
	return viz.LevelPanels(panels...)
}

// LevelTable is what Levels draws as a table.
func (c Compared) LevelTable(metrics ...string) (viz.Table, error) {
	panels, err := c.Panels(metrics...)
	if err != nil {
		return viz.Table{}, err
	}
	return viz.LevelTable(panels...)
}
