package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Reliability draws the reliability diagram of all methods at the given levels, 0 for the clean images, over all corruptions and
// seeds together; without levels, at the severities 1 to 5. The expected calibration error in the legend is the mean over the seeds.
func (c Compared) Reliability(levels ...int) (*viz.Figure, error) {
	pools, err := c.pool(levels)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.ReliabilityCurve, len(pools))
	for i, seeds := range pools {
		curves[i] = viz.ReliabilityCurve{Name: c.Methods[i].Name, Test: c.pooledTest(c.Methods[i]), ECE: meanECE(seeds)}
		for _, point := range together(seeds).Reliability() {
			curves[i].Confidence = append(curves[i].Confidence, point.Confidence)
			curves[i].Accuracy = append(curves[i].Accuracy, point.Accuracy)
			curves[i].Count = append(curves[i].Count, point.Count)
		}
	}
	return viz.Reliability(curves)
}

// RiskCoverage draws the error of all methods among the images that they are surest of against the share of those, at the given
// levels as in Reliability. Its points are at the borders of the 15 bins of confidence that an evaluation keeps;
// score.RiskCoverage gives the whole curve of a prediction.
func (c Compared) RiskCoverage(levels ...int) (*viz.Figure, error) {
	pools, err := c.pool(levels)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.RiskCurve, len(pools))
	for i, seeds := range pools {
		curves[i] = viz.RiskCurve{Name: c.Methods[i].Name, Test: c.pooledTest(c.Methods[i])}
		curves[i].Coverage, curves[i].Risk = riskOfBins(together(seeds))
	}
	return viz.RiskCoverage(curves)
}

// riskOfBins returns the coverage and the risk of thresholds at the borders of the bins, the highest first.
func riskOfBins(bins score.Bins) (coverage, risk []float64) {
	all, answered, wrong := 0, 0, 0
	for _, bin := range bins {
		all += bin.Count
	}
	for _, bin := range slices.Backward(bins[:]) {
		if bin.Count == 0 {
			continue
		}
		answered, wrong = answered+bin.Count, wrong+bin.Count-bin.Correct
		coverage = append(coverage, float64(answered)/float64(all))
		risk = append(risk, float64(wrong)/float64(answered))
	}
	return coverage, risk
}

// together takes the bins of all seeds together.
func together(seeds []score.Bins) (pool score.Bins) {
	for _, bins := range seeds {
		pool = pool.Pool(bins)
	}
	return pool
}

// meanECE is the mean of the seeds' expected calibration errors.
func meanECE(seeds []score.Bins) (mean float64) {
	for _, bins := range seeds {
		predictions := 0
		for _, bin := range bins {
			predictions += bin.Count
		}
		mean += bins.ECE(predictions) / float64(len(seeds))
	}
	return mean
}

// pool takes the bins of the cells at some levels together, [methods][seeds].
func (c Compared) pool(levels []int) ([][]score.Bins, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(levels) == 0 {
		levels = []int{1, 2, 3, 4, 5}
	}
	for _, level := range levels {
		if level < 0 || level >= score.LevelCount {
			return nil, fmt.Errorf("paper: level %d: the levels are 0, clean, to %d", level, score.LevelCount-1)
		}
	}
	pools := make([][]score.Bins, len(c.Methods))
	for i, method := range c.Methods {
		for _, run := range method.Runs {
			cells, err := run.Of(c.suite())
			if err != nil {
				return nil, err
			}
			pools[i] = append(pools[i], poolLevels(cells, levels))
		}
	}
	return pools, nil
}

// poolLevels takes the bins of the cells at some levels together.
func poolLevels(cells score.Cells, levels []int) (pool score.Bins) {
	for _, cell := range cells {
		if slices.Contains(levels, cell.Severity) {
			pool = pool.Pool(cell.Bins)
		}
	}
	return pool
}
