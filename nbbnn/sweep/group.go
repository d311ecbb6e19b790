package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Group is the points of a sweep that differ in their seed alone: runs of one Run.MethodKey.
type Group struct {
	Name    string          `json:"name"` // in what it differs from the others, such as "gamma 2"
	Points  int             `json:"points"`
	Done    int             `json:"done"`
	Metrics []MetricSummary `json:"metrics"` // of the points that are done
}

// MetricSummary is a metric over the seeds of a group, at each level.
type MetricSummary struct {
	Metric string                      `json:"metric"`
	Levels [score.LevelCount]Estimated `json:"levels"`
}

// Estimated is a mean over seeds with the half-width of its 95 % t-interval.
type Estimated struct {
	score.Summary
	Half *float64 `json:"half,omitempty"` // nil for fewer than 3 seeds, which is too few for an interval
}

// enoughSeeds is the smallest number of seeds that gets an interval, as in the figures' verdicts.
const enoughSeeds = 3

// confidence is the coverage of the intervals.
const confidence = 0.95

// estimate summarises values of several seeds.
func estimate(values []float64) Estimated {
	e := Estimated{Summary: score.Summarise(values)}
	if e.N >= enoughSeeds {
		half := score.StudentQuantile(e.N-1, confidence) * e.Std / math.Sqrt(float64(e.N))
		e.Half = &half
	}
	return e
}

// Text is such as "0.812 ± 0.031", or without an interval "0.812", with a number of decimals.
func (e Estimated) Text(decimals int) string {
	if e.N == 0 {
		return "-"
	}
	text := strconv.FormatFloat(e.Mean, 'f', decimals, 64)
	if e.Half != nil {
		text += " ± " + strconv.FormatFloat(*e.Half, 'f', decimals, 64)
	}
	return text
}

// Groups summarises the points that are done over their seeds, in the order of the manifest.
// metrics are columns of the tidy table, such as "nll".
func (s Status) Groups(metrics []string) ([]Group, error) {
	if s.manifest.evaluation == nil {
		return nil, withoutEvaluation(s.manifest)
	}
	if err := checkMetrics(metrics); err != nil {
		return nil, err
	}
	naming := s.naming()
	var groups []Group
	at := map[string]int{}
	values := [][][score.LevelCount][]float64{} // [group][metric][level][seed]
	for _, point := range s.Points {
		group, known := at[point.method]
		if !known {
			group = len(groups)
			at[point.method] = group
			name := "all points"
			if len(naming) > 0 {
				name = point.Config.NameBy(naming)
			}
			groups = append(groups, Group{Name: name})
			values = append(values, make([][score.LevelCount][]float64, len(metrics)))
		}
		groups[group].Points++
		if point.State != Done {
			continue
		}
		groups[group].Done++
		err := s.eachLevel(point, func(level int, metric string, value float64) {
			if i := slices.Index(metrics, metric); i >= 0 {
				values[group][i][level] = append(values[group][i][level], value)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range groups {
		groups[i].Metrics = summaries(metrics, values[i])
	}
	return groups, nil
}

// summaries returns the estimates of metrics at each level from their values,
// [metric][level][seed].
func summaries(metrics []string, values [][score.LevelCount][]float64) (all []MetricSummary) {
	for i, metric := range metrics {
		summary := MetricSummary{Metric: metric}
		for level := range summary.Levels {
			summary.Levels[level] = estimate(values[i][level])
		}
		all = append(all, summary)
	}
	return all
}

// naming returns the fields that tell groups apart: those that vary, but not within a group.
func (s Status) naming() []nbbnn.Field {
	first := map[string]nbbnn.Config{}
	for _, point := range s.Points {
		if _, known := first[point.method]; !known {
			first[point.method] = point.Config
		}
	}
	return slices.DeleteFunc(slices.Clone(s.manifest.varying), func(f nbbnn.Field) bool {
		return f.Path() == "seed" || slices.ContainsFunc(s.Points, func(p PointStatus) bool {
			return !f.In(p.Config).Equal(f.In(first[p.method]))
		})
	})
}

// LevelMetrics returns the columns of the metrics that cards have at each level.
func LevelMetrics() []string {
	return []string{"nll", "error", "ece", "mean_ece", "gibbs_nll", "brier", "nll_t"}
}

func checkMetrics(metrics []string) error {
	for _, metric := range metrics {
		if !slices.Contains(LevelMetrics(), metric) {
			return never{fmt.Errorf("sweep: unknown metric %q%s: choose %s", metric, nearest.Hint(metric, LevelMetrics()), strings.Join(LevelMetrics(), ", "))}
		}
	}
	return nil
}
