package report

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// FromBaseline is a method's difference from the comparison's baseline in a metric. It's paired by
// common seeds, hence by the order of the data and the test images, and noise by its network.
type FromBaseline struct {
	Method    string            `json:"-"`
	Seeds     []uint64          `json:"seeds"` // that both have, in rising order
	Levels    score.LevelSeries `json:"levels"`
	Corrupted score.Summary     `json:"corrupted"` // of the mean of the levels 1 to 5

	each [][]float64 // [levels, then their mean from 1 to 5][seeds]
}

// FromBaselines returns a metric of each other method minus the baseline's of the comparison.
// Methods without a run that pairs with one of the baseline's, and ensembles, are left out.
func FromBaselines(c score.Comparison, metric score.Metric) (all []FromBaseline, err error) {
	baseline, err := c.Method(c.Baseline)
	if err != nil {
		return nil, err
	}
	places := append(slices.Clone(allLevels), splits[1])
	methods, err := seriesOf(c, metric, places...)
	if err != nil {
		return nil, err
	}
	from := methods[slices.Index(c.Names(), baseline.Name)].Each
	for i, method := range c.Methods {
		if method.Name == baseline.Name || method.Members != nil {
			continue
		}
		d := FromBaseline{Method: method.Name, each: make([][]float64, len(places))}
		for k, seed := range method.Seeds {
			at := baseline.Pair(method, k)
			if at < 0 {
				continue
			}
			d.Seeds = append(d.Seeds, seed)
			for place := range places {
				d.each[place] = append(d.each[place], methods[i].Each[k][place]-from[at][place])
			}
		}
		for level := range d.Levels {
			d.Levels[level] = score.Summarise(d.each[level])
		}
		if d.Corrupted = score.Summarise(d.each[score.LevelCount]); d.Seeds != nil {
			all = append(all, d)
		}
	}
	return all, nil
}

// baselineDifferences draws each method's differences in metrics from the comparison's baseline,
// within seeds, at each level; without names, of Metrics. It returns nil if no method shares a seed
// with the baseline.
func baselineDifferences(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return nil, err
	}
	var curves []viz.Series
	for _, m := range c.Methods {
		curves = append(curves, viz.Series{Name: m.Name, Colour: m.Colour})
	}
	colours := viz.Colours(curves) // as in the other pictures
	var rows [][]*viz.Figure       // panels, a row for each method
	for _, metric := range chosen {
		all, err := FromBaselines(c, metric)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		if rows == nil {
			rows = make([][]*viz.Figure, len(all))
		}
		for i, d := range all {
			plot := baselinePlot(metric, d)
			plot.Colours = colours[slices.Index(c.Names(), d.Method):][:1]
			figure, err := viz.LevelDifferences(plot)
			if err != nil {
				return nil, err
			}
			// variants of a method have one colour
			rows[i] = append(rows[i], figure.Titled(d.Method))
		}
	}
	if len(rows) == 1 {
		rows = inRows(rows[0])
	}
	grid, err := viz.SharedGrid(rows...)
	if err != nil {
		return nil, err
	}
	return grid.Titled("baseline: " + c.Baseline), nil
}

// baselinePlot returns the plot of a method's differences in a metric.
func baselinePlot(metric score.Metric, d FromBaseline) viz.LevelDifferencePlot {
	p := viz.LevelDifferencePlot{Quantity: metric.Title + " − baseline", Above: "worse",
		Below: "better"}
	if unit := metric.DifferenceUnit(); unit != "" {
		p.Quantity += " (" + unit + ")"
	}
	switch {
	case metric.NoBest:
		p.Above, p.Below = "above", "below"
	case metric.HigherIsBetter:
		p.Above, p.Below = p.Below, p.Above
	}
	series := viz.LevelDifference{Name: d.Method}
	for level := range score.LevelCount {
		series.Levels = append(series.Levels, drawn(metric, d.each[level]))
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

// BaselineTable has a row for each metric and method: its difference from the comparison's baseline
// within seeds, on clean images and as the mean of the levels 1 to 5, with the 95 % t-interval of
// the mean. Without names, the metrics are Metrics.
func BaselineTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	table := viz.Table{
		Header: []string{"", "minus " + c.Baseline, "n", splits[0].name, splits[1].name}, Labels: 3,
		Caption: "differences within seeds",
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
			table.Rows = append(table.Rows, append(row, intervalText(metric, d.Levels[0]),
				intervalText(metric, d.Corrupted)))
			if len(d.Seeds) >= score.IntervalSeeds {
				table.Caption = "differences within seeds; in brackets the 95 % t-interval of " +
					"their mean"
			}
		}
	}
	return table, nil
}

// baselineNumbers is BaselineTable for programs: at each level and as the mean of the levels 1 to
// 5, in the units of cells.csv, with the ends of the interval.
func baselineNumbers(c score.Comparison, metrics []string) (viz.Table, error) {
	table := numbers("method", "minus", "metric", "level")
	chosen, err := metricsOf(metrics)
	if err != nil {
		return table, err
	}
	for _, metric := range chosen {
		all, err := FromBaselines(c, metric)
		if err != nil {
			return table, err
		}
		for _, d := range all {
			for place, s := range append(d.Levels[:], d.Corrupted) {
				name := splits[1].name
				if place < score.LevelCount {
					name = allLevels[place].name
				}
				addNumber(&table, s, d.Method, c.Baseline, metric.Name, name)
			}
		}
	}
	return table, nil
}

// intervalText returns "-0.445 [-0.490, -0.399]", without the brackets for fewer seeds than decide.
func intervalText(metric score.Metric, s score.Summary) string {
	format := func(value float64) string {
		return quantity.Signed(metric.Shown(value), metric.Decimals())
	}
	return quantity.WithInterval(s.Mean, s.Interval(0.95), format)
}
