package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// LevelSummary returns the mean and the standard deviation over seeds of a method's metric at the levels 0 to 5.
func (r *Result) LevelSummary(method, metric string) ([]score.Summary, error) {
	if err := r.checkMetric(metric); err != nil {
		return nil, err
	}
	return summarise(r.series(method, func(run RunResult) []float64 { return run.Metric(metric) })), nil
}

// EntropySummary returns the mean and the standard deviation over seeds of the entropy, nats, at the start and after each epoch.
func (r *Result) EntropySummary(method string) []score.Summary {
	return summarise(r.series(method, RunResult.Entropy))
}

func (r *Result) checkMetric(metric string) error {
	if (RunResult{}).Metric(metric) == nil {
		return fmt.Errorf("paper: unknown metric %q%s: the metrics are %s", metric, nearest.Hint(metric, Metrics()), strings.Join(Metrics(), ", "))
	}
	if !r.Evaluated() {
		return fmt.Errorf("paper: figure %d has no %s yet: Figure.Evaluate computes it", r.Figure.Number, metric)
	}
	return nil
}

// published returns the paper's curve of a method's metric, if there's one for the data set of the runs.
func (r *Result) published(method, metric string) (curve Published, found bool) {
	for _, curve := range r.Figure.Published {
		if curve.Data == r.Setup.Config.Data.Name && curve.Method == method && curve.Metric == metric {
			return curve, true
		}
	}
	return Published{}, false
}

// summarise takes the points of series, [seeds][points], together over the seeds, as far as all seeds have them.
func summarise(series [][]float64) []score.Summary {
	if len(series) == 0 {
		return nil
	}
	shortest := slices.MinFunc(series, func(a, b []float64) int { return len(a) - len(b) })
	summaries := make([]score.Summary, len(shortest))
	for point := range summaries {
		summaries[point] = score.Summarise(column(series, point))
	}
	return summaries
}

// split returns the means and the standard deviations of summaries.
func split(summaries []score.Summary) (mean, std []float64) {
	for _, s := range summaries {
		mean, std = append(mean, s.Mean), append(std, s.Std)
	}
	return mean, std
}
