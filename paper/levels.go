package paper

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Names of the metrics that depend on the corruption level.
const (
	NLL       = "NLL"       // negative log-likelihood of the mean predictive, nats an image
	ScaledNLL = "ScaledNLL" // the same after temperature scaling; some committed records lack it
	Error     = "Error"     // fraction of the images, 0 to 1
	ECE       = "ECE"       // expected calibration error over the pooled corruptions, 0 to 1
	augrc     = "AUGRC"     // area under the generalised risk coverage curve, 0 to 0.5
	meanECE   = "MeanECE"   // mean over the corruptions of the expected calibration error, 0 to 1
)

// reported are the metrics of a figure's numbers, if measured.
var reported = []string{NLL, ScaledNLL, Error, ECE, meanECE}

// split is a set of images on which methods are compared: an uncorrupted part of the images, or
// corrupted ones.
type split struct {
	name string
	part nbbnn.Part

	mean func([score.LevelCount]float64) float64 // of a metric at the levels; nil for a part
	// of the levels; nil for all that were tested
	corruptions []string
}

// The splits of the paper's Figure 6. Mild corruption is the mean over the levels 1 to 3, severe
// corruption that over 4 and 5 (METHOD.md section 5).
var (
	validationSplit = split{name: "validation", part: nbbnn.ValidationPart}
	testSplit       = split{name: "test", mean: func(levels [score.LevelCount]float64) float64 {
		return levels[0]
	}}
	mildSplit      = split{name: "mild", mean: score.Mild}
	severeSplit    = split{name: "severe", mean: score.Severe}
	corruptedSplit = split{name: "mean of levels 1 to 5",
		mean: func(levels [score.LevelCount]float64) float64 {
			return score.Summarise(levels[1:]).Mean
		}}
)

var underCorruption = []split{corruptedSplit}

// atLevels are the splits of the single levels, 0 to 5.
var atLevels = levelSplits()

func levelSplits() (splits []split) {
	for level := range score.LevelCount {
		splits = append(splits, split{name: fmt.Sprintf("level %d", level),
			mean: func(levels [score.LevelCount]float64) float64 { return levels[level] }})
	}
	return splits
}

// severeFamilies are the severely corrupted images of each family of corruptions.
var severeFamilies = []split{
	{name: "severe noise", mean: score.Severe, corruptions: strings.Fields(
		"gaussian_noise shot_noise impulse_noise speckle_noise")},
	{name: "severe blur", mean: score.Severe, corruptions: strings.Fields(
		"defocus_blur glass_blur motion_blur zoom_blur gaussian_blur")},
	{name: "severe light and weather", mean: score.Severe, corruptions: strings.Fields(
		"brightness contrast saturate fog frost snow spatter")},
	{name: "severe coding and shape", mean: score.Severe, corruptions: []string{"pixelate",
		"jpeg_compression", "elastic_transform"}},
}

// of returns a metric of a run on the split, NaN if the run lacks it.
func (s split) of(metric score.Metric, run RunResult) float64 {
	if s.mean == nil {
		if cell, found := run.Parts[s.part]; found {
			return metric.Value(cell)
		}
		return math.NaN()
	}
	if s.corruptions != nil {
		run.Cells = slices.DeleteFunc(slices.Clone(run.Cells), func(cell score.Cell) bool {
			return cell.Severity > 0 && !slices.Contains(s.corruptions, cell.Corruption)
		})
	}
	levels, err := run.metric(metric.Name)
	if err != nil {
		return math.NaN()
	}
	return s.mean([score.LevelCount]float64(levels))
}

// isTested reports whether a run was tested under one of the split's corruptions.
func (s split) isTested(r *Result) bool {
	return slices.ContainsFunc(r.Runs, func(run RunResult) bool {
		return slices.ContainsFunc(run.Cells, func(cell score.Cell) bool {
			return slices.Contains(s.corruptions, cell.Corruption)
		})
	})
}

// on returns a metric of a method's runs on a split, one for each seed.
func (r *Result) on(images split, method, metric string) (values []float64) {
	for _, run := range r.of(method) {
		values = append(values, images.of(metricOf(metric), run))
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

// measured returns the metrics, of some, that all runs have. Some committed records lack ScaledNLL
// or ECE.
func (r *Result) measured(metrics ...string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(name string) bool {
		return slices.ContainsFunc(r.Runs, func(run RunResult) bool {
			return !run.has(name)
		})
	})
}

// has reports whether the run's tests have a metric.
func (r RunResult) has(metric string) bool {
	switch {
	case r.cross != nil:
		_, measured := r.cross[metric]
		return measured
	case metric == ScaledNLL:
		tested := slices.AppendSeq(slices.Clone(r.Cells), maps.Values(r.Parts))
		return len(tested) > 0 && tested.Scaled()
	case metric == ECE:
		return r.ECE != nil || r.Cells.Binned()
	}
	return true
}

// clean returns the run's test of clean test images, and whether it has one.
func (r RunResult) clean() (cell score.Cell, tested bool) {
	if len(r.Cells) > 0 {
		return r.Cells[0], true
	}
	cell, tested = r.Parts[nbbnn.CleanPart]
	return cell, tested
}

// metric returns a metric of package score at the levels 0 to 5.
func (r RunResult) metric(name string) ([]float64, error) {
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

// checkLevels returns an error unless runs have a metric at all levels.
func (r *Result) checkLevels(metric string, runs []RunResult) error {
	if !r.evaluated {
		return fmt.Errorf("paper: figure %s has no %s yet: Figure.Evaluate computes it",
			r.Figure.Command(), metric)
	}
	for _, run := range runs {
		if _, err := run.metric(metric); err != nil {
			return err
		}
	}
	return nil
}

// levels returns a metric of each of the method's runs, [seeds][levels]; NaN if a run lacks it.
func (r *Result) levels(method, metric string) [][]float64 {
	return r.series(method, func(run RunResult) []float64 {
		levels, err := run.metric(metric)
		if err != nil {
			return slices.Repeat([]float64{math.NaN()}, score.LevelCount)
		}
		return levels
	})
}

// published returns the paper's curve of a method's metric, if it is public and for the same data
// and network.
func (r *Result) published(method, metric string) (curve publishedCurve, found bool) {
	config := r.Setup.Config.WithDefaults()
	for _, curve := range r.Figure.published {
		if curve.Data == config.Data.Name && curve.Network == config.Network.Name &&
			curve.Method == method && curve.Metric == metric {
			return curve, true
		}
	}
	return publishedCurve{}, false
}

// testText returns the suite, the samples and the images of an evaluated figure, "first8, 16
// samples, 1000 images": of the first run with the most samples, since methods without latents take
// one.
func (r *Result) testText() string {
	most := r.Runs[0].Cells
	for _, run := range r.Runs {
		if len(run.Cells) > 0 && run.Cells[0].Samples > most[0].Samples {
			most = run.Cells
		}
	}
	return report.Tested(r.Setup.Evaluation.Suite, most)
}

// LevelFigure draws a metric against the corruption level, one curve for each method, with the
// paper's if it is public.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	if err := r.checkLevels(metric, r.Runs); err != nil {
		return nil, err
	}
	return viz.LevelCurves(metric, r.levelCurves(metric))
}

// levelCurves returns a curve of a metric for each method, with the paper's if it is public.
func (r *Result) levelCurves(metric string) (curves []viz.LevelCurve) {
	for _, method := range r.methodNames() {
		curve := seriesOf(method, r.levels(method, metric))
		curve.Test, curve.Classes = r.testText(), r.classes()
		if metric == ScaledNLL {
			curve.Test = "one temperature a run, fitted to held-out clean images"
			if slices.ContainsFunc(r.of(method), func(run RunResult) bool {
				return run.Cells[0].OddTemperature > 0
			}) {
				curve.Test = "temperatures fitted to one half of the clean images for the other"
			}
		}
		if paper, found := r.published(method, metric); found {
			curve.Paper = paper.Mean[:]
			if curve.PaperName = "paper"; paper.Corruptions > 0 {
				curve.PaperName += ", " + counted(paper.Corruptions, "corruption")
			}
		}
		curves = append(curves, curve)
	}
	return curves
}

// levelLines returns the numbers of some metrics at the levels, with the paper's if they are
// public.
func (r *Result) levelLines(metrics ...string) (lines []line) {
	for _, name := range metrics {
		metric := metricOf(name)
		for _, method := range r.methodNames() {
			values := r.levels(method, name)
			for _, levels := range values {
				floats.Scale(metric.Shown(1), levels)
			}
			l := r.line(metric.Heading(), method, strings.Fields("0 1 2 3 4 5"), metric.Decimals(),
				values)
			if paper, found := r.published(method, name); found {
				l.Paper = slices.Clone(paper.Mean[:])
				floats.Scale(metric.Shown(1), l.Paper)
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// Comparison returns the scores of the figure's methods, to be drawn by package viz/report.
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
