package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
)

// LevelCount is the number of corruption levels: 0 is clean, 1 to 5 are the severities.
const LevelCount = 6

// LevelMetrics holds metrics at each corruption level: numbers of one evaluation, or a series of
// several runs. The checksum of a run's card depends on the order of the fields.
type LevelMetrics[Level [LevelCount]float64 | LevelSeries] struct {
	NLL   Level `json:"nll"`   // mean over the corruptions, nats an image
	Error Level `json:"error"` // mean over the corruptions, 0 to 1
	// of the pooled predictions of all corruptions, 0 to 1; nil unless all cells are Binned
	ECE     *Level `json:"ece,omitempty"`
	MeanECE Level  `json:"mean_ece"` // mean over the corruptions of each one's ECE

	GibbsNLL Level `json:"gibbs_nll"` // mean over the corruptions, nats an image
	Brier    Level `json:"brier"`     // mean over the corruptions, 0 to 2

	// mean over the corruptions, nats an image; nil if it isn't measured
	ScaledNLL *Level `json:"nll_t,omitempty"`
}

// Levels holds the metrics of an evaluation at each corruption level, over the corruptions
// (METHOD.md section 5).
type Levels = LevelMetrics[[LevelCount]float64]

// measure fills in the metrics that all cells of the runs have.
func (m *LevelMetrics[Level]) measure(runs []Cells, measured func(Metric) (Level,
	error)) (err error) {
	lack := func(has func(Cells) bool) bool {
		return slices.ContainsFunc(runs, func(cells Cells) bool { return !has(cells) })
	}
	if !lack(Cells.Binned) {
		m.ECE = new(Level)
	}
	if !lack(Cells.Scaled) {
		m.ScaledNLL = new(Level)
	}
	for _, field := range []struct {
		metric string
		level  *Level
	}{
		{"NLL", &m.NLL}, {"Error", &m.Error}, {"ECE", m.ECE}, {"MeanECE", &m.MeanECE},
		{"GibbsNLL", &m.GibbsNLL}, {"Brier", &m.Brier}, {"ScaledNLL", m.ScaledNLL},
	} {
		if field.level == nil {
			continue
		}
		metric, _ := MetricByName(field.metric) // all are known
		if *field.level, err = measured(metric); err != nil {
			return err
		}
	}
	return nil
}

// Levels returns the metrics at each level. Every level must be there, the severities with the same
// corruptions, and every cell with the same number of images.
func (c Cells) Levels() (levels Levels, err error) {
	err = levels.measure([]Cells{c}, func(m Metric) ([LevelCount]float64, error) {
		return m.Levels(c)
	})
	return levels, err
}

// Scaled reports whether all cells have a ScaledNLL. There must be at least one.
func (c Cells) Scaled() bool {
	lacks := func(cell Cell) bool { return cell.Temperature == 0 }
	return len(c) > 0 && !slices.ContainsFunc(c, lacks)
}

// Binned reports whether all cells have the bins that their ECE was computed from. Cells of a
// record without bins don't: they have no ECE of several cells together, but a mean of their ECEs.
func (c Cells) Binned() bool {
	return !slices.ContainsFunc(c, func(cell Cell) bool {
		return cell.Bins.Count() != cell.Images ||
			!(math.Abs(cell.Bins.ECE(cell.Images)-cell.ECE) < 1e-9) // or no number
	})
}

// run returns the name of a run, or its place in the method if it has no name.
func (m Method) run(i int) string {
	if i < len(m.Runs) {
		return m.Runs[i]
	}
	return fmt.Sprintf("run %d of %s", i+1, m.Name)
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

// checkLevel compares a level's cells with severity 1's, and level 0 with the one clean cell.
func (c Cells) checkLevel(level int, cells Cells) error {
	want := c.at(1)
	if level == 0 {
		want = Cells{{Corruption: Clean}}
	}
	if len(cells) == 0 || len(cells) != len(want) {
		return fmt.Errorf("score: level %d has %d cells instead of %d: Run.Evaluate or "+
			"`nbbnn evaluate` computes what is missing", level, len(cells), max(1, len(want)))
	}
	for i, cell := range cells {
		if cell.Corruption != want[i].Corruption {
			return fmt.Errorf("score: level %d has %s in place %d instead of %s: evaluate the "+
				"whole suite in one order", level, cell.Corruption, i+1, want[i].Corruption)
		}
		if cell.Images != c[0].Images {
			return fmt.Errorf("score: %s %d has %d images, the first cell %d: evaluate all cells "+
				"on the same images", cell.Corruption, level, cell.Images, c[0].Images)
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

// LevelTable holds the metrics of several runs of one method, usually one for each seed, at each
// corruption level of a suite.
type LevelTable struct {
	Suite       string `json:"suite"`
	Corruptions int    `json:"corruptions"` // in the suite
	Runs        int    `json:"runs"`
	Samples     int    `json:"samples"` // Monte-Carlo samples of a run for each image
	Images      int    `json:"images"`  // clean test images

	LevelMetrics[LevelSeries]
}

// summariseLevels returns the table of several runs on a suite. The cells may be of a larger suite,
// so an evaluation of all 19 corruptions also gives the tables of the 17 and of the 15.
func summariseLevels(suite string, runs ...Cells) (LevelTable, error) {
	chosen, err := corrupt.SuiteByName(suite)
	if err != nil {
		return LevelTable{}, err
	}
	if len(runs) == 0 {
		return LevelTable{}, fmt.Errorf("score: no runs to summarise on %s: give the cells of at "+
			"least one", suite)
	}
	table := LevelTable{Suite: chosen.Name, Corruptions: len(chosen.Corruptions), Runs: len(runs)}
	for i, cells := range runs {
		part, err := cells.Of(suite)
		if err != nil {
			return LevelTable{}, err
		}
		if i > 0 && (part[0].Samples != table.Samples || part[0].Images != table.Images) {
			return LevelTable{}, fmt.Errorf("score: runs tested with %d samples on %d images and "+
				"with %d on %d can't be summarised: evaluate them alike",
				table.Samples, table.Images, part[0].Samples, part[0].Images)
		}
		table.Samples, table.Images = part[0].Samples, part[0].Images
	}
	return table, table.measure(runs, func(m Metric) (LevelSeries, error) {
		return m.Series(suite, runs...)
	})
}
