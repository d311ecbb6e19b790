package score

import (
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
)

// LevelSeries is a metric at each corruption level, over several runs.
type LevelSeries [LevelCount]Summary

// Means returns the means at each level, as viz.LevelCurve takes them.
func (s LevelSeries) Means() []float64 {
	means := make([]float64, len(s))
	for level := range s {
		means[level] = s[level].Mean
	}
	return means
}

// Stds returns the standard deviations over the runs at each level, as viz.LevelCurve takes them.
func (s LevelSeries) Stds() []float64 {
	stds := make([]float64, len(s))
	for level := range s {
		stds[level] = s[level].Std
	}
	return stds
}

// LevelTable holds the metrics of several runs of one method, usually one for each seed, at each
// corruption level of a suite.
type LevelTable struct {
	Suite       string `json:"suite"`
	Corruptions int    `json:"corruptions"` // in the suite
	Runs        int    `json:"runs"`
	Samples     int    `json:"samples"` // Monte-Carlo samples of a run for each image
	Images      int    `json:"images"`  // clean test images

	// The metrics of Levels, over the runs.
	NLL      LevelSeries `json:"nll"`
	Error    LevelSeries `json:"error"`
	ECE      LevelSeries `json:"ece"`
	MeanECE  LevelSeries `json:"mean_ece"`
	GibbsNLL LevelSeries `json:"gibbs_nll"`
	Brier    LevelSeries `json:"brier"`
}

// SummariseLevels returns the table of several runs on a suite. The cells may be of a larger suite,
// so an evaluation of all 19 corruptions also gives the tables of the 17 and of the 15.
func SummariseLevels(suite string, runs ...Cells) (LevelTable, error) {
	chosen, err := corrupt.SuiteByName(suite)
	if err != nil {
		return LevelTable{}, err
	}
	if len(runs) == 0 {
		return LevelTable{}, fmt.Errorf("score: no runs to summarise on %s: give the cells of at least one", suite)
	}
	table := LevelTable{Suite: chosen.Name, Corruptions: len(chosen.Corruptions), Runs: len(runs)}
	for i, cells := range runs {
		part, err := cells.Of(suite)
		if err != nil {
			return LevelTable{}, err
		}
		if i > 0 && (part[0].Samples != table.Samples || part[0].Images != table.Images) {
			return LevelTable{}, fmt.Errorf("score: runs tested with %d samples on %d images and with %d on %d can't be summarised: evaluate them alike",
				table.Samples, table.Images, part[0].Samples, part[0].Images)
		}
		table.Samples, table.Images = part[0].Samples, part[0].Images
	}
	for i, metric := range levelMetrics() {
		if *table.series()[i], err = metric.Series(suite, runs...); err != nil {
			return LevelTable{}, err
		}
	}
	return table, nil
}

// series returns the metrics in the order of levelMetrics.
func (t *LevelTable) series() []*LevelSeries {
	return []*LevelSeries{&t.NLL, &t.Error, &t.ECE, &t.MeanECE, &t.GibbsNLL, &t.Brier}
}
