package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

// Names of the metrics that depend on the corruption level.
const (
	NLL       = "NLL"       // negative log-likelihood of the mean predictive, nats an image
	ScaledNLL = "ScaledNLL" // the same after temperature scaling; some committed records lack it
	Error     = "Error"     // fraction of the images, 0 to 1
	ECE       = "ECE"       // expected calibration error over the pooled corruptions, 0 to 1
	meanECE   = "MeanECE"   // mean over the corruptions of the expected calibration error, 0 to 1
)

// reported are the metrics of a figure's report, as far as they are measured.
var reported = []string{NLL, ScaledNLL, Error, ECE, meanECE}

// measured returns those of some metrics that all runs have.
func (r *Result) measured(metrics ...string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(name string) bool { return !r.has(name) })
}

// has reports whether all runs have a metric. Some committed records lack ScaledNLL or ECE.
func (r *Result) has(metric string) bool {
	return !slices.ContainsFunc(r.Runs, func(run RunResult) bool {
		return metric == ScaledNLL && !run.scaled() || metric == ECE && run.ECE == nil && !run.Cells.Binned()
	})
}

// scaled reports whether all cells of the run have a temperature-scaled negative log-likelihood.
func (r RunResult) scaled() bool {
	for _, cell := range r.Parts {
		if !cell.IsScaled() {
			return false
		}
	}
	return r.Cells.Scaled()
}

// Metric returns a metric of package score at the levels 0 to 5.
func (r RunResult) Metric(name string) ([]float64, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	if name == ECE && r.ECE != nil {
		return r.ECE[:], nil
	}
	levels, err := metric.Levels(r.Cells)
	return levels[:], err
}

// LevelSummary returns the mean and the standard deviation over seeds of a method's metric at the
// levels 0 to 5.
func (r *Result) LevelSummary(method, metric string) ([]score.Summary, error) {
	if err := r.checkLevels(metric, r.of(method)); err != nil {
		return nil, err
	}
	return summarise(r.levels(method, metric)), nil
}

// checkLevels returns an error unless runs have a metric at all levels.
func (r *Result) checkLevels(metric string, runs []RunResult) error {
	if !r.evaluated {
		return fmt.Errorf("paper: figure %s has no %s yet: Figure.Evaluate computes it", r.Figure.Command(), metric)
	}
	for _, run := range runs {
		if _, err := run.Metric(metric); err != nil {
			return err
		}
	}
	return nil
}

// levels returns a metric of each of the method's runs, [seeds][levels]; NaN where a run lacks it.
func (r *Result) levels(method, metric string) [][]float64 {
	return r.series(method, func(run RunResult) []float64 {
		levels, err := run.Metric(metric)
		if err != nil {
			return slices.Repeat([]float64{math.NaN()}, score.LevelCount)
		}
		return levels
	})
}

// published returns the paper's curve of a method's metric, if it is public and for the same data
// and network.
func (r *Result) published(method, metric string) (curve Published, found bool) {
	config := r.Setup.Config.WithDefaults()
	for _, curve := range r.Figure.Published {
		if curve.Data == config.Data.Name && curve.Network == config.Network.Name && curve.Method == method && curve.Metric == metric {
			return curve, true
		}
	}
	return Published{}, false
}

// testText is the suite, the samples and the images of an evaluated figure, such as "first8, 16
// samples, 1000 images".
func (r *Result) testText() string {
	return report.Tested(r.Setup.Evaluation.Suite, r.mostSampled())
}

// mostSampled returns the cells of the first run with the most samples: methods without latents take
// one.
func (r *Result) mostSampled() score.Cells {
	most := r.Runs[0].Cells
	for _, run := range r.Runs {
		if len(run.Cells) > 0 && run.Cells[0].Samples > most[0].Samples {
			most = run.Cells
		}
	}
	return most
}

// LevelFigure draws a metric against the corruption level, one curve for each method, with the
// paper's where it is public.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	if err := r.checkLevels(metric, r.Runs); err != nil {
		return nil, err
	}
	return viz.LevelCurves(metric, r.levelCurves(metric))
}

// levelCurves returns a curve of a metric for each method, with the paper's where it is public.
func (r *Result) levelCurves(metric string) (curves []viz.LevelCurve) {
	for _, method := range r.methodNames() {
		curve := seriesOf(method, r.levels(method, metric))
		curve.Test, curve.Classes = r.testText(), r.classes()
		if metric == ScaledNLL {
			curve.Test = "one temperature a run, fitted to held-out clean images"
			if slices.ContainsFunc(r.of(method), func(run RunResult) bool { return run.Cells[0].OddTemperature > 0 }) {
				curve.Test = "temperatures fitted to one half of the clean images for the other"
			}
		}
		if paper, found := r.published(method, metric); found {
			curve.Paper, curve.PaperName = paper.Mean[:], paper.name()
		}
		curves = append(curves, curve)
	}
	return curves
}

// name returns the name of the paper's curve in a legend.
func (p Published) name() string {
	if p.Corruptions == 0 {
		return "paper"
	}
	return "paper, " + counted(p.Corruptions, "corruption")
}

// Comparison returns the scores of the figure's methods, to be drawn by package report.
func (r *Result) Comparison() score.Comparison {
	c := score.Comparison{Suite: r.Setup.Evaluation.WithDefaults().Suite, Classes: r.classes()}
	for _, name := range r.methodNames() {
		method := score.Method{Name: name}
		for _, run := range r.of(name) {
			method.Seeds = append(method.Seeds, run.Seed)
			method.Cells = append(method.Cells, run.Cells)
			if run.Cost != (score.Cost{}) {
				method.Costs = append(method.Costs, run.Cost)
			}
		}
		c.Methods = append(c.Methods, method)
	}
	return c
}

// levelTable has a row for each metric and method with its means over the seeds at the levels 0 to 5.
// Below it are the standard deviations, and the paper's means where they are public.
func (r *Result) levelTable(metrics ...string) viz.Table {
	table := viz.Table{Header: []string{"", "level"}, Labels: 2}
	for level := range score.LevelCount {
		table.Header = append(table.Header, fmt.Sprint(level))
	}
	for _, name := range metrics {
		addRow := func(label string, values []float64) {
			metric := metricOf(name)
			row := []string{metric.Heading(), label}
			for _, value := range values {
				row = append(row, fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value)))
			}
			table.Rows = append(table.Rows, row)
		}
		for _, method := range r.methodNames() {
			each := r.levels(method, name)
			means, stds := meansAndStds(summarise(each))
			addRow(method, means)
			if len(each) > 1 {
				addRow("± sd", stds)
			}
			if paper, found := r.published(method, name); found {
				addRow(method+", paper", paper.Mean[:])
			}
		}
	}
	return table
}

// lower returns the effects of the claim that a metric of one method is below another's at every
// level; none if the figure lacks a method. Fractions are compared in percentage points.
func lower(name, method, other string) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		if len(r.of(method)) == 0 || len(r.of(other)) == 0 {
			return nil
		}
		metric, a, b := metricOf(name), r.levels(method, name), r.levels(other, name)
		ours, isPublic := r.published(method, name)
		theirs, isAlsoPublic := r.published(other, name)
		for level := range score.LevelCount {
			effect := lowerEffect(name, fmt.Sprintf("%s - %s at level %d", method, other, level), column(a, level), column(b, level))
			if isPublic && isAlsoPublic {
				difference := metric.Shown(ours.Mean[level]) - metric.Shown(theirs.Mean[level])
				effect.Paper = &difference
			}
			effects = append(effects, effect)
		}
		return effects
	}
}

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
