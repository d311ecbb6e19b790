package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// CorruptionLevels draws a metric, NLL or Error, against the severity of a single corruption: a curve for each method, with
// means over the seeds. The runs must have been evaluated.
func (r *Result) CorruptionLevels(metric, corruption string) (*viz.Figure, error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %d isn't evaluated: call Figure.Evaluate first", r.Figure.Number)
	}
	var curves []viz.LevelCurve
	for _, method := range r.Figure.methodNames() {
		levels := r.series(method, func(run RunResult) []float64 { return levelsOf(run.Cells, metric, corruption) })
		curve := viz.LevelCurve{Name: method, Seeds: len(levels), Test: corruption}
		for _, s := range summarise(levels) {
			curve.Mean, curve.Std = append(curve.Mean, s.Mean), append(curve.Std, s.Std)
		}
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// levelsOf returns the metric of the clean cell and of those of one corruption, [levels]; not a number where a cell is missing.
func levelsOf(cells nbbnn.Cells, metric, corruption string) []float64 {
	levels := make([]float64, nbbnn.LevelCount)
	for i := range levels {
		levels[i] = math.NaN()
	}
	for _, cell := range cells {
		if cell.Corruption != corruption && cell.Corruption != nbbnn.Clean {
			continue
		}
		levels[cell.Severity] = cell.NLL
		if metric == Error {
			levels[cell.Severity] = cell.Error
		}
	}
	return levels
}
