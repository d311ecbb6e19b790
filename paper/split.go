package paper

import (
	"cmp"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// split is a set of images on which methods are compared. of returns a metric of a run on it, or NaN
// if the run lacks it.
type split struct {
	name string
	of   func(score.Metric, RunResult) float64
}

// The splits of the paper's Figure 6. Mild corruption is the mean over the levels 1 to 3, severe
// corruption that over 4 and 5 (METHOD.md section 5).
var (
	validationSplit = onPart("validation", nbbnn.ValidationPart)
	testSplit       = onLevels("test", func(levels [score.LevelCount]float64) float64 { return levels[0] })
	mildSplit       = onLevels("mild", score.Mild)
	severeSplit     = onLevels("severe", score.Severe)
	cleanSplit      = split{"clean", func(metric score.Metric, run RunResult) float64 { // also without levels
		if cell, tested := run.clean(); tested {
			return metric.Value(cell)
		}
		return math.NaN()
	}}
	corruptedSplit = onLevels("levels 1 to 5", func(levels [score.LevelCount]float64) float64 { return score.Summarise(levels[1:]).Mean })
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
	return split{"severe " + family, func(metric score.Metric, run RunResult) float64 {
		run.Cells = slices.DeleteFunc(slices.Clone(run.Cells), func(cell score.Cell) bool {
			return cell.Severity > 0 && !slices.Contains(corruptions, cell.Corruption)
		})
		return severeSplit.of(metric, run)
	}}
}

// onLevels returns the split of a mean over the levels.
func onLevels(name string, mean func([score.LevelCount]float64) float64) split {
	return split{name, func(metric score.Metric, run RunResult) float64 {
		levels, err := run.Metric(metric.Name)
		if err != nil {
			return math.NaN()
		}
		return mean([score.LevelCount]float64(levels))
	}}
}

// onPart returns the split of a part of the training images.
func onPart(name string, part nbbnn.Part) split {
	return split{name, func(metric score.Metric, run RunResult) float64 {
		if cell, found := run.Parts[part]; found {
			return metric.Value(cell)
		}
		return math.NaN()
	}}
}

// valuesOn returns a metric of a method's runs on a split, one for each seed.
func valuesOn(r *Result, metric, method string, on split) (values []float64) {
	for _, run := range r.of(method) {
		values = append(values, on.of(metricOf(metric), run))
	}
	return values
}

// metricOf returns the metric that a figure chooses by its name; "" means NLL.
func metricOf(name string) score.Metric {
	metric, err := score.MetricByName(cmp.Or(name, NLL))
	if err != nil {
		panic(err) // only figures choose it
	}
	return metric
}

// temperature is what claims on the temperature-scaled likelihood need: one temperature, fitted to clean
// images that are held out, takes away the advantage of a network that is merely less overconfident.
func temperature(r *Result, methods []string) string {
	for _, method := range methods {
		for _, run := range r.of(method) {
			if !run.scaled() {
				return run.Name() + " was tested without a temperature"
			}
		}
	}
	return ""
}

// lowerEffect is the difference of two series of a metric, the first of which is claimed to be lower.
func lowerEffect(metric, name string, lower, higher []float64) Effect {
	of := metricOf(metric)
	return newEffect(name, unitOf(of), belowZero, shown(of, differences(lower, higher)))
}

// shown returns values in the unit of differences: fractions in percentage points.
func shown(metric score.Metric, values []float64) []float64 {
	result := make([]float64, len(values))
	for i, value := range values {
		result[i] = metric.Shown(value)
	}
	return result
}

// unitOf returns the unit of differences of a metric.
func unitOf(metric score.Metric) string {
	return cmp.Or(metric.DifferenceUnit(), metric.Name)
}
