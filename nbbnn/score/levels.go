package score

import "fmt"

// LevelCount is the number of corruption levels: 0 is clean, 1 to 5 are the severities.
const LevelCount = 6

// Levels holds the metrics of an evaluation at each corruption level, over the corruptions
// (METHOD.md section 5).
type Levels struct {
	NLL     [LevelCount]float64 `json:"nll"`      // mean over the corruptions, nats an image
	Error   [LevelCount]float64 `json:"error"`    // mean over the corruptions, 0 to 1
	ECE     [LevelCount]float64 `json:"ece"`      // of the pooled predictions of all corruptions, 0 to 1
	MeanECE [LevelCount]float64 `json:"mean_ece"` // mean over the corruptions of each one's own

	GibbsNLL [LevelCount]float64 `json:"gibbs_nll"` // mean over the corruptions, nats an image
	Brier    [LevelCount]float64 `json:"brier"`     // mean over the corruptions, 0 to 2
}

// series returns the metrics in the order of levelMetrics.
func (l *Levels) series() []*[LevelCount]float64 {
	return []*[LevelCount]float64{&l.NLL, &l.Error, &l.ECE, &l.MeanECE, &l.GibbsNLL, &l.Brier}
}

// levelMetrics returns the metrics of Levels and of LevelTable.
func levelMetrics() []Metric { return Metrics()[:6] }

// Levels returns the metrics at each level. Every level must be there, the severities with the same
// corruptions, and every cell with the same number of images.
func (c Cells) Levels() (levels Levels, err error) {
	for i, metric := range levelMetrics() {
		if *levels.series()[i], err = metric.Levels(c); err != nil {
			return Levels{}, err
		}
	}
	return levels, nil
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
