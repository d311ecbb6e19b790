package explorer

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// title names the corruption and its severity, "fog, 3".
func (q Question) title() string {
	return fmt.Sprintf("%s, %d", strings.ReplaceAll(q.Corruption, "_", " "), q.Severity)
}

// hallScale makes the text of one network's answer readable from the last row.
const hallScale = 1.7

// Figure draws one network's answer to a question large, or all answers. Below all it draws how the
// negative log-likelihood and the error of the tested networks depend on the corruption's severity,
// the chosen one marked.
func (e *Explorer) Figure(ctx context.Context, q Question) (*viz.Figure, error) {
	answers, err := e.Answers(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.Network != "" {
		answers.Scale = hallScale
		return viz.AnswerBars(answers)
	}
	bars, err := viz.AnswerBars(answers)
	if err != nil {
		return nil, err
	}
	levels, err := e.LevelFigure(q.Corruption, "NLL", "Error")
	if err != nil {
		return nil, err
	}
	return viz.Column(bars, levels.Marked(float64(q.Severity)))
}

// LevelFigure draws metrics of package score against the severity of a corruption, side by side.
func (e *Explorer) LevelFigure(corruption string, metrics ...string) (*viz.Figure, error) {
	var figures []*viz.Figure
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		var curves []viz.LevelCurve
		for _, n := range e.Networks {
			if n.Tests != nil {
				curves = append(curves, viz.LevelCurve{
					Name: n.Name, Mean: levelsOf(n.Tests, metric, corruption), Seeds: 1,
					Classes: len(e.Classes),
					Test: fmt.Sprintf("%s, %d %s", strings.ReplaceAll(corruption, "_", " "),
						n.Tests[0].Images, quantity.Noun(n.Tests[0].Images, "image")),
				})
			}
		}
		figure, err := viz.LevelCurves(name, curves)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return viz.Row(figures...)
}

// levelsOf returns a metric of the clean cell and of one corruption's cells; NaN for a missing
// cell.
func levelsOf(cells score.Cells, metric score.Metric, corruption string) []float64 {
	levels := make([]float64, score.LevelCount)
	for i := range levels {
		levels[i] = math.NaN()
	}
	for _, cell := range cells {
		if cell.Corruption == corruption || cell.Corruption == score.Clean {
			levels[cell.Severity] = metric.Value(cell)
		}
	}
	return levels
}

// Levels returns a metric of package score at the levels 0 to 5, means over all corruptions.
func (n Network) Levels(name string) ([]float64, error) {
	if n.Tests == nil {
		return nil, fmt.Errorf("explorer: %s wasn't tested: evaluate its run as "+
			"explorer.Evaluation says, then add it", n.Name)
	}
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	levels, err := metric.Levels(n.Tests)
	return levels[:], err
}

// Table returns the negative log-likelihood and the error of each tested network at the levels 0 to
// 5, means over all corruptions.
func (e *Explorer) Table() viz.Table {
	table := viz.Table{Header: []string{"", "level", "0", "1", "2", "3", "4", "5"}, Labels: 2}
	for _, name := range []string{"NLL", "Error"} {
		metric, _ := score.MetricByName(name)
		for _, n := range e.Networks {
			levels, err := n.Levels(name)
			if err != nil {
				continue
			}
			row := []string{metric.Heading(), n.Name}
			for _, value := range levels {
				row = append(row, fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value)))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}
