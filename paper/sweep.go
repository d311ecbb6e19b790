package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// sweep is a family of methods that differ in gamma: one curve for each group, such as a number of
// components, and one point for each gamma.
type sweep struct {
	group func(nbbnn.Config) string // name of the curve of a configuration, such as "K = 4"
	only  func(nbbnn.Config) bool   // which configurations belong to it; nil means all
	title string                    // what they share, such as "out"; "" if there is no other sweep
	row   string                    // of panels, the methods' Method.Row; "" in a figure without rows

	metric string // that is drawn and compared; "" means NLL

	// published returns the paper's curves that belong to runs with a configuration; nil for a
	// sweep without any.
	published func(nbbnn.Config) []publishedSweep
}

// in returns the sweep of another metric, of which the paper has published no curves.
func (s sweep) in(metric string) sweep {
	s.metric, s.published = metric, nil
	return s
}

// withControls returns the sweep, and below it the same in temperature-scaled NLL, if it is
// measured, and in error: what is left of an effect on the likelihood that a single temperature
// could have.
func (s sweep) withControls(r *Result) (rows []sweep) {
	for _, metric := range r.measured(NLL, ScaledNLL, Error) {
		row := s.in(metric)
		if metric == NLL {
			row = s
		}
		rows = append(rows, row)
	}
	return rows
}

// measure returns the metric of the sweep.
func (s sweep) measure() score.Metric {
	metric, err := score.MetricByName(cmp.Or(s.metric, NLL))
	if err != nil {
		panic(err) // only figures choose it
	}
	return metric
}

// named returns the name of a curve or a panel with the sweep's title.
func (s sweep) named(name string) string {
	if s.title == "" {
		return name
	}
	return s.title + ", " + name
}

// split is a set of images on which a sweep is drawn.
type split struct {
	name string
	of   func(score.Metric, RunResult) (float64, error)
}

// The splits of the paper's Figure 6. Mild corruption is the mean over the levels 1 to 3, severe
// corruption that over 4 and 5 (METHOD.md section 5).
var (
	validationSplit = split{"validation", onPart(nbbnn.ValidationPart)}
	testSplit       = split{"test", onLevels(func(levels [score.LevelCount]float64) float64 { return levels[0] })}
	mildSplit       = split{"mild", onLevels(score.Mild)}
	severeSplit     = split{"severe", onLevels(score.Severe)}
)

// severeFamilies are the severely corrupted images of each family of corruptions.
var severeFamilies = []split{
	severeOf("noise", "gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise"),
	severeOf("blur", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "gaussian_blur"),
	severeOf("light and weather", "brightness", "contrast", "saturate", "fog", "frost", "snow", "spatter"),
	severeOf("coding and shape", "pixelate", "jpeg_compression", "elastic_transform"),
}

// severeOf returns the split of severe corruption by those of some corruptions that were tested.
func severeOf(family string, corruptions ...string) split {
	return split{"severe " + family, func(metric score.Metric, run RunResult) (float64, error) {
		levels, err := metric.Levels(slices.DeleteFunc(slices.Clone(run.Cells), func(cell score.Cell) bool {
			return cell.Severity > 0 && !slices.Contains(corruptions, cell.Corruption)
		}))
		return score.Severe(levels), err
	}}
}

// onLevels returns a mean of a metric over the levels.
func onLevels(mean func([score.LevelCount]float64) float64) func(score.Metric, RunResult) (float64, error) {
	return func(metric score.Metric, run RunResult) (float64, error) {
		levels, err := metric.Levels(run.Cells)
		return mean(levels), err
	}
}

// onPart returns a metric on a part of the training images.
func onPart(part nbbnn.Part) func(score.Metric, RunResult) (float64, error) {
	return func(metric score.Metric, run RunResult) (float64, error) {
		cell, found := run.Parts[part]
		if !found {
			return 0, fmt.Errorf("paper: %s wasn't tested on the part %q: Figure.Evaluate does it", run.Name(), part)
		}
		value := metric.Value(cell)
		if math.IsNaN(value) {
			return 0, fmt.Errorf("paper: %s has no %s on the part %q: `nbbnn evaluate` with the same settings adds it", run.Name(), metric.Name, part)
		}
		return value, nil
	}
}

// curves returns the sweep on a split, a curve for each group in the order of the methods.
func (s sweep) curves(r *Result, on split) ([]sweepCurve, error) {
	if s.row != "" {
		r = r.row(s.row)
	}
	var curves []sweepCurve
	for _, method := range r.Setup.Methods {
		config := r.Setup.config(method, 0).WithDefaults()
		if s.only != nil && !s.only(config) {
			continue
		}
		at := slices.IndexFunc(curves, func(c sweepCurve) bool { return c.group == s.group(config) })
		if at < 0 {
			at = len(curves)
			curves = append(curves, sweepCurve{group: s.group(config), config: config, components: config.Posterior.Components})
		}
		var values []float64
		for _, run := range r.of(method.Name) {
			value, err := on.of(s.measure(), run)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		place, _ := slices.BinarySearch(curves[at].gamma, config.Objective.Gamma)
		curves[at].gamma = slices.Insert(curves[at].gamma, place, config.Objective.Gamma)
		curves[at].values = slices.Insert(curves[at].values, place, values)
	}
	return curves, nil
}
