package score

import (
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
)

// LevelSeries is a metric at each corruption level, over several runs.
type LevelSeries [LevelCount]Summary

// Means are the means at each level, as viz.LevelCurve takes them.
func (s LevelSeries) Means() []float64 {
	means := make([]float64, len(s))
	for level := range s {
		means[level] = s[level].Mean
	}
	return means
}

// Stds are the standard deviations over the runs at each level, as viz.LevelCurve takes them.
func (s LevelSeries) Stds() []float64 {
	stds := make([]float64, len(s))
	for level := range s {
		stds[level] = s[level].Std
	}
	return stds
}

// LevelTable is what several runs of one method, usually one for each seed, scored at each corruption level on one suite.
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

// SummariseLevels takes the cells of several runs together. The cells may be of a larger suite than the one asked for, so an
// evaluation of all 19 corruptions gives the tables of the 17 and of the 15, too.
func SummariseLevels(suite string, runs ...Cells) (LevelTable, error) {
	chosen, err := corrupt.SuiteByName(suite)
	if err != nil {
		return LevelTable{}, err
	}
	if len(runs) == 0 {
		return LevelTable{}, fmt.Errorf("score: no runs to summarise on %s: give the cells of at least one", suite)
	}
	table := LevelTable{Suite: chosen.Name, Corruptions: len(chosen.Corruptions), Runs: len(runs)}
	all := make([]Levels, len(runs))
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
		if all[i], err = part.Levels(); err != nil {
			return LevelTable{}, err
		}
	}
	table.fill(all)
	return table, nil
}

// fill summarises every metric at every level.
func (t *LevelTable) fill(all []Levels) {
	for level := range LevelCount {
		over := func(metric func(l Levels) [LevelCount]float64) Summary {
			values := make([]float64, len(all))
			for i, l := range all {
				values[i] = metric(l)[level]
			}
			return Summarise(values)
		}
		t.NLL[level] = over(func(l Levels) [LevelCount]float64 { return l.NLL })
		t.Error[level] = over(func(l Levels) [LevelCount]float64 { return l.Error })
		t.ECE[level] = over(func(l Levels) [LevelCount]float64 { return l.ECE })
		t.MeanECE[level] = over(func(l Levels) [LevelCount]float64 { return l.MeanECE })
		t.GibbsNLL[level] = over(func(l Levels) [LevelCount]float64 { return l.GibbsNLL })
		t.Brier[level] = over(func(l Levels) [LevelCount]float64 { return l.Brier })
	}
}
