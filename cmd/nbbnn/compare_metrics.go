package main

import "github.com/nbbnn/workbench/nbbnn/score"

// checkMetrics refuses a name that is no metric.
func checkMetrics(names []string) error {
	for _, name := range names {
		if _, err := score.MetricByName(name); err != nil {
			return err
		}
	}
	return nil
}

// metricSeries returns the metric of a name, and its values for each method.
func metricSeries(compared score.Comparison, name string) (score.Metric, []score.LevelSeries, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return score.Metric{}, nil, err
	}
	series, err := compared.Series(metric)
	return metric, series, err
}

// withMetrics adds the metrics of the given names to compared methods.
func withMetrics(methods []comparedMethod, compared score.Comparison, names []string) ([]comparedMethod, error) {
	for _, name := range names {
		metric, all, err := metricSeries(compared, name)
		if err != nil {
			return nil, err
		}
		for i, series := range all {
			if methods[i].Metrics == nil {
				methods[i].Metrics = map[string]score.LevelSeries{}
			}
			methods[i].Metrics[metric.Name] = series
		}
	}
	return methods, nil
}
