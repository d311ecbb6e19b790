package score

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
)

// LevelCount is the number of corruption levels: 0 is clean, 1 to 5 are the severities.
const LevelCount = 6

// Levels holds the metrics of an evaluation at each corruption level, over the corruptions
// (METHOD.md section 5). The checksum of a run's card depends on the order of the fields.
type Levels struct {
	NLL     [LevelCount]float64  `json:"nll"`           // mean over the corruptions, nats an image
	Error   [LevelCount]float64  `json:"error"`         // mean over the corruptions, 0 to 1
	ECE     *[LevelCount]float64 `json:"ece,omitempty"` // of the pooled predictions of all corruptions, 0 to 1; nil unless the cells are Binned
	MeanECE [LevelCount]float64  `json:"mean_ece"`      // mean over the corruptions of each one's ECE

	GibbsNLL [LevelCount]float64 `json:"gibbs_nll"` // mean over the corruptions, nats an image
	Brier    [LevelCount]float64 `json:"brier"`     // mean over the corruptions, 0 to 2

	ScaledNLL *[LevelCount]float64 `json:"nll_t,omitempty"` // mean over the corruptions, nats an image; nil if it isn't measured
}

// series returns the metrics in the order of levelMetrics; nil for one that isn't measured.
func (l *Levels) series() []*[LevelCount]float64 {
	return []*[LevelCount]float64{&l.NLL, &l.Error, l.ECE, &l.MeanECE, &l.GibbsNLL, &l.Brier, l.ScaledNLL}
}

// levelMetrics returns the metrics of Levels and of LevelTable, in the order of their fields.
func levelMetrics() (chosen []Metric) {
	for _, name := range []string{"NLL", "Error", "ECE", "MeanECE", "GibbsNLL", "Brier", "ScaledNLL"} {
		metric, _ := MetricByName(name) // all are known
		chosen = append(chosen, metric)
	}
	return chosen
}

// Levels returns the metrics at each level. Every level must be there, the severities with the same
// corruptions, and every cell with the same number of images.
func (c Cells) Levels() (levels Levels, err error) {
	if c.Binned() {
		levels.ECE = new([LevelCount]float64)
	}
	if c.Scaled() {
		levels.ScaledNLL = new([LevelCount]float64)
	}
	for i, metric := range levelMetrics() {
		if series := levels.series()[i]; series != nil {
			if *series, err = metric.Levels(c); err != nil {
				return Levels{}, err
			}
		}
	}
	return levels, nil
}

// Scaled reports whether all cells have a ScaledNLL. There must be at least one.
func (c Cells) Scaled() bool {
	return len(c) > 0 && !slices.ContainsFunc(c, func(cell Cell) bool { return !cell.IsScaled() })
}

// Binned reports whether all cells have the bins that their ECE was computed from. Cells of a record
// without bins don't: they have no ECE of several cells together, but a mean of their ECEs.
func (c Cells) Binned() bool {
	return !slices.ContainsFunc(c, func(cell Cell) bool { return !cell.hasBins() })
}

// Unbinned returns the runs whose cells lack bins, sorted by name: with one of them the comparison
// has MeanECE in place of ECE.
func (c Comparison) Unbinned() (runs []string) {
	for _, method := range c.Methods {
		for i, cells := range method.Cells {
			if !cells.Binned() {
				runs = append(runs, method.Runs[i])
			}
		}
	}
	slices.Sort(runs)
	return runs
}

// at returns the cells of one level.
func (c Cells) at(level int) (cells Cells) {
	for _, cell := range c {
		if cell.Severity == level {
			cells = append(cells, cell)
		}
	}
	return cells
}

// checkLevel compares a level's cells with those of severity 1, and level 0 with the one clean
// cell.
func (c Cells) checkLevel(level int, cells Cells) error {
	want := c.at(1)
	if level == 0 {
		want = Cells{{Corruption: Clean}}
	}
	if len(cells) == 0 || len(cells) != len(want) {
		return fmt.Errorf("score: level %d has %d cells instead of %d: Run.Evaluate or `nbbnn evaluate` computes what is missing", level, len(cells), max(1, len(want)))
	}
	for i, cell := range cells {
		if cell.Corruption != want[i].Corruption {
			return fmt.Errorf("score: level %d has %s in place %d instead of %s: evaluate the whole suite in one order", level, cell.Corruption, i+1, want[i].Corruption)
		}
		if cell.Images != c[0].Images {
			return fmt.Errorf("score: %s %d has %d images, the first cell %d: evaluate all cells on the same images", cell.Corruption, level, cell.Images, c[0].Images)
		}
	}
	return nil
}

// Mild returns the mean of a metric over the levels 1 to 3 (METHOD.md section 5).
func Mild(levels [LevelCount]float64) float64 { return (levels[1] + levels[2] + levels[3]) / 3 }

// Severe returns the mean of a metric over the levels 4 and 5 (METHOD.md section 5).
func Severe(levels [LevelCount]float64) float64 { return (levels[4] + levels[5]) / 2 }

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
	NLL      LevelSeries  `json:"nll"`
	Error    LevelSeries  `json:"error"`
	ECE      *LevelSeries `json:"ece,omitempty"` // nil unless all runs are Binned
	MeanECE  LevelSeries  `json:"mean_ece"`
	GibbsNLL LevelSeries  `json:"gibbs_nll"`
	Brier    LevelSeries  `json:"brier"`

	ScaledNLL *LevelSeries `json:"nll_t,omitempty"` // nil unless all runs have it
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
	return table, table.measure(runs)
}

// measure fills in the metrics of runs.
func (t *LevelTable) measure(runs []Cells) (err error) {
	every := func(holds func(Cells) bool) bool {
		return !slices.ContainsFunc(runs, func(cells Cells) bool { return !holds(cells) })
	}
	if every(Cells.Binned) {
		t.ECE = new(LevelSeries)
	}
	if every(Cells.Scaled) {
		t.ScaledNLL = new(LevelSeries)
	}
	for i, metric := range levelMetrics() {
		if series := t.series()[i]; series != nil {
			if *series, err = metric.Series(t.Suite, runs...); err != nil {
				return err
			}
		}
	}
	return nil
}

// series returns the metrics in the order of levelMetrics; nil for one that isn't measured.
func (t *LevelTable) series() []*LevelSeries {
	return []*LevelSeries{&t.NLL, &t.Error, t.ECE, &t.MeanECE, &t.GibbsNLL, &t.Brier, t.ScaledNLL}
}
