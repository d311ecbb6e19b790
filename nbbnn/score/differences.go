package score

import (
	"fmt"
	"slices"
)

// Differences holds how far a metric of one method is above that of another at each level, paired
// by the seeds: runs of one seed share their data order, noise and test images.
type Differences struct {
	Metric Metric
	Seeds  []uint64              // that both methods have, in rising order
	Values [][LevelCount]float64 // [seeds]
}

// Differences returns a metric of the method named of minus that of the method named from, for
// every seed that both have.
func (c Comparison) Differences(metric Metric, of, from string) (Differences, error) {
	first, err := c.Method(of)
	if err != nil {
		return Differences{}, err
	}
	second, err := c.Method(from)
	if err != nil {
		return Differences{}, err
	}
	d := Differences{Metric: metric}
	for i, seed := range first.Seeds {
		at := slices.Index(second.Seeds, seed)
		if at < 0 {
			continue
		}
		a, err := c.levels(metric, first.Cells[i])
		if err != nil {
			return Differences{}, err
		}
		b, err := c.levels(metric, second.Cells[at])
		if err != nil {
			return Differences{}, err
		}
		for level := range a {
			a[level] -= b[level]
		}
		d.Seeds, d.Values = append(d.Seeds, seed), append(d.Values, a)
	}
	if len(d.Seeds) == 0 {
		return Differences{}, fmt.Errorf("score: %s has the seeds %d and %s %d, none of which is shared: train both with the same seeds",
			of, first.Seeds, from, second.Seeds)
	}
	return d, nil
}

// levels returns a metric at each level of the comparison's suite.
func (c Comparison) levels(metric Metric, cells Cells) (levels [LevelCount]float64, err error) {
	part, err := cells.Of(c.Suite)
	if err != nil {
		return levels, err
	}
	return metric.Levels(part)
}

// Level returns the differences at one level, [seeds].
func (d Differences) Level(level int) []float64 {
	values := make([]float64, len(d.Values))
	for i := range d.Values {
		values[i] = d.Values[i][level]
	}
	return values
}

// Series returns the mean and the standard deviation of the differences at each level.
func (d Differences) Series() (series LevelSeries) {
	for level := range series {
		series[level] = Summarise(d.Level(level))
	}
	return series
}
