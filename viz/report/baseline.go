package report

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// FromBaseline is how far a method is above the comparison's baseline in a metric, paired by the seeds that
// both have, and so by the order of the data and the images of the test.
type FromBaseline struct {
	Method string                      // its name
	Seeds  []uint64                    // that both have, in rising order
	Values [][score.LevelCount]float64 // [seeds]
}

// Over returns the mean of the differences over the levels from first to last, over the seeds.
func (d FromBaseline) Over(first, last int) score.Summary {
	return score.Summarise(d.over(first, last))
}

// over returns the mean over the levels from first to last of each seed.
func (d FromBaseline) over(first, last int) []float64 {
	means := make([]float64, len(d.Values))
	for i, levels := range d.Values {
		means[i] = split{"", first, last}.of(levels[:])
	}
	return means
}

// Levels returns the mean and the standard deviation of the differences at each level.
func (d FromBaseline) Levels() (series score.LevelSeries) {
	for level := range series {
		series[level] = d.Over(level, level)
	}
	return series
}

// FromBaselines returns a metric of each other method minus that of the comparison's baseline. Methods
// without a seed of the baseline's, and ensembles, are left out.
func FromBaselines(c score.Comparison, metric score.Metric) (all []FromBaseline, err error) {
	baseline, err := c.Method(c.Baseline)
	if err != nil {
		return nil, err
	}
	for _, method := range c.Methods {
		if method.Name == c.Baseline || method.Members != nil {
			continue
		}
		d, err := paired(c.Suite, metric, method, baseline)
		if err != nil {
			return nil, err
		}
		if len(d.Seeds) > 0 {
			all = append(all, d)
		}
	}
	return all, nil
}

// paired returns a metric of one method minus that of another for every seed that both have.
func paired(suite string, metric score.Metric, method, baseline score.Method) (FromBaseline, error) {
	d := FromBaseline{Method: method.Name}
	for i, seed := range method.Seeds {
		at := slices.Index(baseline.Seeds, seed)
		if at < 0 {
			continue
		}
		own, err := metric.Series(suite, method.Cells[i])
		if err != nil {
			return d, err
		}
		theirs, err := metric.Series(suite, baseline.Cells[at])
		if err != nil {
			return d, err
		}
		var values [score.LevelCount]float64
		for level := range values {
			values[level] = own[level].Mean - theirs[level].Mean
		}
		d.Seeds, d.Values = append(d.Seeds, seed), append(d.Values, values)
	}
	return d, nil
}

// BaselineDifferences draws what each method changes in metrics from the comparison's baseline, within
// seeds, at each level: those of Metrics if none are named. It returns nil if no method has a seed of the
// baseline's.
func BaselineDifferences(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return nil, err
	}
	var rows [][]*viz.Figure // of panels: those of a method
	for _, metric := range chosen {
		all, err := FromBaselines(c, metric)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		if rows == nil {
			rows = make([][]*viz.Figure, len(all))
		}
		for i, d := range all {
			figure, err := viz.LevelDifferences(baselinePlot(metric, c.Baseline, d))
			if err != nil {
				return nil, err
			}
			rows[i] = append(rows[i], figure.Titled(d.Method)) // variants of a method have one colour
		}
	}
	if len(rows) == 1 {
		rows = inRows(rows[0])
	}
	return viz.SharedGrid(rows...)
}

// baselinePlot is the plot of a method's differences in a metric.
func baselinePlot(metric score.Metric, baseline string, d FromBaseline) viz.LevelDifferencePlot {
	p := viz.LevelDifferencePlot{Quantity: metric.Quantity() + " − " + baseline, Above: "worse than " + baseline, Below: "better than " + baseline}
	if unit := metric.DifferenceUnit(); unit != "" {
		p.Quantity += " (" + unit + ")"
	}
	switch {
	case !metric.HasBest():
		p.Above, p.Below = "above "+baseline, "below "+baseline
	case metric.HigherIsBetter:
		p.Above, p.Below = p.Below, p.Above
	}
	series := viz.LevelDifference{Name: d.Method}
	for level := range score.LevelCount {
		series.Levels = append(series.Levels, drawn(metric, d.over(level, level)))
	}
	p.Series = []viz.LevelDifference{series}
	return p
}

// drawn returns the differences of seeds with the 95 % interval of their mean.
func drawn(metric score.Metric, seeds []float64) (d viz.Difference) {
	for _, value := range seeds {
		d.Each = append(d.Each, metric.Shown(value))
	}
	mean := score.Summarise(d.Each)
	d.Mean, d.Interval = mean.Mean, mean.Interval(0.95)
	return d
}

// BaselineTable has a row for each metric and method: its difference from the comparison's baseline within
// seeds, on clean images and as the mean of the levels 1 to 5, with the 95 % t-interval of the mean. The
// metrics are those of Metrics if none are named.
func BaselineTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	table := viz.Table{Header: []string{"", "minus " + c.Baseline, "n"}, Labels: 3, Caption: "differences within seeds; in brackets the 95 % t-interval of their mean"}
	for _, images := range splits {
		table.Header = append(table.Header, images.name)
	}
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return table, err
	}
	for _, metric := range chosen {
		all, err := FromBaselines(c, metric)
		if err != nil {
			return table, err
		}
		for _, d := range all {
			row := []string{metric.Heading(), d.Method, fmt.Sprint(len(d.Seeds))}
			for _, images := range splits {
				row = append(row, intervalText(metric, d.Over(images.first, images.last)))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table, nil
}

// intervalText is such as "-0.445 [-0.490, -0.399]", without the brackets for fewer seeds than decide.
func intervalText(metric score.Metric, s score.Summary) string {
	format := func(value float64) string { return fmt.Sprintf("%+.*f", metric.Decimals(), metric.Shown(value)) }
	interval := s.Interval(0.95)
	if interval == nil {
		return format(s.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", format(s.Mean), format(interval[0]), format(interval[1]))
}
