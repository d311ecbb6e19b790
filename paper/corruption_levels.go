package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// cellValues are the metrics of a single cell.
var cellValues = map[string]func(score.Cell) float64{
	NLL:   func(cell score.Cell) float64 { return cell.NLL },
	Error: func(cell score.Cell) float64 { return cell.Error },
	ECE:   func(cell score.Cell) float64 { return cell.ECE },
}

// CorruptionLevels draws a metric, NLL, Error or ECE, against the severity of a single corruption: a curve for each method, with
// means over the seeds. The runs must have been evaluated on a suite with the corruption.
func (r *Result) CorruptionLevels(metric, corruption string) (*viz.Figure, error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %d isn't evaluated: call Figure.Evaluate first", r.Figure.Number)
	}
	value, found := cellValues[metric]
	if !found {
		return nil, unknownMetric(metric, slices.Sorted(maps.Keys(cellValues)))
	}
	suite, err := corrupt.SuiteByName(r.Setup.Evaluation.WithDefaults().Suite)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(suite.Corruptions, corruption) {
		return nil, fmt.Errorf("paper: %q isn't in the suite %s%s: choose one of %q", corruption, suite.Name, nearest.Hint(corruption, suite.Corruptions), suite.Corruptions)
	}
	var curves []viz.LevelCurve
	for _, method := range r.Figure.methodNames() {
		levels := r.series(method, func(run RunResult) []float64 { return levelsOf(run.Cells, value, corruption) })
		curve := viz.LevelCurve{Name: method, Seeds: len(levels), Test: testedOn(strings.ReplaceAll(corruption, "_", " "), r.of(method)[0].Cells)}
		for _, s := range summarise(levels) {
			curve.Mean, curve.Std = append(curve.Mean, s.Mean), append(curve.Std, s.Std)
		}
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// levelsOf returns a value of the clean cell and of those of one corruption, [levels]; not a number where a cell is missing.
func levelsOf(cells score.Cells, value func(score.Cell) float64, corruption string) []float64 {
	levels := make([]float64, score.LevelCount)
	for i := range levels {
		levels[i] = math.NaN()
	}
	for _, cell := range cells {
		if cell.Corruption != corruption && cell.Corruption != score.Clean {
			continue
		}
		levels[cell.Severity] = value(cell)
	}
	return levels
}
