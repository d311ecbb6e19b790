// Package report draws the records of any runs: comparisons of evaluated runs ([score.Comparison])
// and the history of a training. The commands nbbnn compare and nbbnn report write the same
// pictures and tables into a folder.
package report

import (
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Levels draws metrics against the corruption level, up to three side by side, as the paper's
// Figure 10 does, or two in a row. Without names it takes NLL, ScaledNLL if all runs have it, Error
// and ECE. More than seven methods have a panel each, as in viz.LevelMultiples.
func Levels(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	return report.Levels(c, metrics...)
}

// LevelTable returns the numbers that Levels draws. A mean is in bold type if it's better than
// every other method's, by the 95 % intervals of the differences within seeds.
func LevelTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	return report.LevelTable(c, metrics...)
}

// Dots draws a row for each method with metrics on clean images, under mild and under severe
// corruptions: NLL and error if none are named. The rows are ordered by the mean of the first
// metric under severe corruptions, the best at the top if it has one. Dashed lines are the means of the
// baseline, if the comparison has one.
func Dots(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	return report.Dots(c, metrics...)
}

// Reliability draws the reliability diagram of all methods at the given levels, 0 for the clean
// images, over all corruptions and seeds together; without levels, at the severities 1 to 5. The
// expected calibration error in the legend is the mean over the seeds.
func Reliability(c score.Comparison, levels ...int) (*viz.Figure, error) {
	return report.Reliability(c, levels...)
}

// RiskCoverage draws the error among the images of highest confidence against their share, at the
// given levels as in Reliability. Its points are at the borders of the 15 bins of confidence that
// an evaluation keeps; Prediction.RiskCoverage gives the whole curve.
func RiskCoverage(c score.Comparison, levels ...int) (*viz.Figure, error) {
	return report.RiskCoverage(c, levels...)
}

// HeatMaps draws a metric of all methods under every corruption at every severity, side by side
// with one range of colours.
func HeatMaps(c score.Comparison, metric string) (*viz.Figure, error) {
	return report.HeatMaps(c, metric)
}

// CellTable returns the numbers that HeatMaps draws, with the standard deviations over the seeds
// and bold type as in LevelTable.
func CellTable(c score.Comparison, metric string) (viz.Table, error) {
	return report.CellTable(c, metric)
}

// Difference draws a metric of one method minus another's, under every corruption at every
// severity.
func Difference(c score.Comparison, metric, of, from string) (*viz.Figure, error) {
	return report.Difference(c, metric, of, from)
}

// Training draws a run's record against the epoch: the entropy of its posterior and the divergence
// from the prior, if it has latents, and the Gibbs loss of the training rows.
func Training(run *nbbnn.Run) (*viz.Figure, error) { return report.Training(run) }
