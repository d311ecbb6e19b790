package report

import (
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Reliability draws the reliability diagram of all methods at the given levels, 0 for the clean
// images, over all corruptions and seeds together; without levels, at the severities 1 to 5. The
// expected calibration error in the legend is the mean over the seeds.
func Reliability(c score.Comparison, levels ...int) (*viz.Figure, error) {
	pools, err := c.Bins(levels...)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.ReliabilityCurve, len(pools))
	for i, seeds := range pools {
		curve := viz.ReliabilityCurve{Name: c.Methods[i].Name, Colour: c.Methods[i].Colour, Test: pooledTest(c, c.Methods[i]), ECE: meanECE(seeds)}
		for _, point := range together(seeds).Reliability() {
			curve.Confidence, curve.Accuracy = append(curve.Confidence, point.Confidence), append(curve.Accuracy, point.Accuracy)
			curve.Count = append(curve.Count, point.Count)
		}
		curves[i] = curve
	}
	return viz.Reliability(curves)
}

// RiskCoverage draws the error among the images of highest confidence against their share, at the
// given levels as in Reliability. Its points are at the borders of the 15 bins of confidence that
// an evaluation keeps; score.RiskCoverage gives the whole curve of a prediction.
func RiskCoverage(c score.Comparison, levels ...int) (*viz.Figure, error) {
	pools, err := c.Bins(levels...)
	if err != nil {
		return nil, err
	}
	curves := make([]viz.RiskCurve, len(pools))
	for i, seeds := range pools {
		curves[i] = viz.RiskCurve{Name: c.Methods[i].Name, Colour: c.Methods[i].Colour, Test: pooledTest(c, c.Methods[i])}
		for _, point := range together(seeds).RiskCoverage() {
			curves[i].X, curves[i].Mean = append(curves[i].X, point.Coverage), append(curves[i].Mean, point.Risk)
		}
	}
	return viz.RiskCoverage(curves)
}

func together(seeds []score.Bins) (pool score.Bins) {
	for _, bins := range seeds {
		pool = pool.Pool(bins)
	}
	return pool
}

// meanECE is the mean of the seeds' expected calibration errors.
func meanECE(seeds []score.Bins) (mean float64) {
	for _, bins := range seeds {
		mean += bins.ECE(bins.Count()) / float64(len(seeds))
	}
	return mean
}
