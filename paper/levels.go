package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/report"
	"github.com/nbbnn/workbench/viz"
)

// Names of the metrics that depend on the corruption level.
const (
	NLL     = "NLL"     // negative log-likelihood of the mean predictive, nats an image
	Error   = "Error"   // fraction of the images, 0 to 1
	ECE     = "ECE"     // expected calibration error over the pooled corruptions, 0 to 1
	MeanECE = "MeanECE" // mean over the corruptions of the expected calibration error, 0 to 1
)

// reported are the metrics of a figure's report.
var reported = []string{NLL, Error, ECE, MeanECE}

// Metric returns a metric of package score at the levels 0 to 5.
func (r RunResult) Metric(name string) ([]float64, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	levels, err := metric.Levels(r.Cells)
	return levels[:], err
}

// levelMeasurement tests each run on clean images and under a suite of corruptions.
type levelMeasurement struct{}

func (levelMeasurement) validate(s Setup, config nbbnn.Config) error {
	if err := s.Evaluation.Validate(config.Posterior.Components); err != nil {
		return err
	}
	if test := dataSize(config).Test; s.Evaluation.Images > test {
		return fmt.Errorf("paper: %d test images are asked for, the runs have %d: ask for fewer images", s.Evaluation.Images, test)
	}
	return nil
}

func (levelMeasurement) describe(s Setup) string {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return s.Evaluation.Suite
	}
	return TestText(suite, s.Evaluation)
}

// TestText describes an evaluation, such as "8 corruptions x 5 levels + clean, 500 images, 16 samples".
func TestText(suite corrupt.Suite, evaluation nbbnn.Evaluation) string {
	images := "all"
	if evaluation.Images > 0 {
		images = fmt.Sprint(evaluation.Images)
	}
	return fmt.Sprintf("%d corruptions x %d levels + clean, %s images, %d samples",
		len(suite.Corruptions), score.LevelCount-1, images, evaluation.Samples)
}

func (levelMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return 0
	}
	return testOperations(config, s.Evaluation, 1+len(suite.Corruptions)*(score.LevelCount-1))
}

func (levelMeasurement) done(s Setup, run *nbbnn.Run) bool { return run.Evaluated(s.Evaluation) }

func (levelMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) (err error) {
	result := &r.Runs[run]
	if result.Cells, err = result.Run.Evaluate(ctx, r.Setup.Evaluation, progress); err != nil {
		return err
	}
	return sameTest(r.Runs[0], *result)
}

// sameTest refuses runs that were tested on other images or with other samples than the first.
func sameTest(first, run RunResult) error {
	if len(first.Cells) == 0 || len(run.Cells) == 0 {
		return nil
	}
	a, b := first.Cells[0], run.Cells[0]
	if a.Samples != b.Samples || a.Images != b.Images || len(first.Cells) != len(run.Cells) {
		return fmt.Errorf("paper: %s was tested on %d cells with %d images and %d samples, %s on %d cells with %d and %d: evaluate both alike",
			run.Name(), len(run.Cells), b.Images, b.Samples, first.Name(), len(first.Cells), a.Images, a.Samples)
	}
	return nil
}

func (levelMeasurement) test(r *Result) string {
	return fmt.Sprintf("%s, %s", r.testText(), counted(len(r.of(r.methodNames()[0])), "seed"))
}

func (levelMeasurement) table(r *Result) (viz.Table, error) { return r.NarrowTable(NLL, Error, ECE) }

func (levelMeasurement) report(r *Result, data *Report) error {
	data.Suite = r.Setup.Evaluation.Suite
	data.Samples, data.Images = r.Runs[0].Cells[0].Samples, r.Runs[0].Cells[0].Images
	for i, method := range r.methodNames() {
		levels := map[string]CurveReport{}
		for _, metric := range reported {
			summaries, err := r.LevelSummary(method, metric)
			if err != nil {
				return err
			}
			mean, std := meansAndStds(summaries)
			curve := CurveReport{Mean: mean, Std: std}
			if paper, found := r.published(method, metric); found {
				curve.Paper, curve.PaperCorruptions = paper.Mean[:], paper.Corruptions
			}
			levels[metric] = curve
		}
		data.Methods[i].Levels = levels
	}
	data.table = data.levelRows()
	return nil
}

// LevelSummary returns the mean and the standard deviation over seeds of a method's metric at the
// levels 0 to 5.
func (r *Result) LevelSummary(method, metric string) ([]score.Summary, error) {
	series, err := r.levels(method, metric)
	return summarise(series), err
}

// levels returns a metric of each of the method's runs, [seeds][levels].
func (r *Result) levels(method, metric string) (series [][]float64, err error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %d has no %s yet: Figure.Evaluate computes it", r.Figure.Number, metric)
	}
	for _, run := range r.of(method) {
		levels, err := run.Metric(metric)
		if err != nil {
			return nil, err
		}
		series = append(series, levels)
	}
	return series, nil
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
func (r *Result) testText() string { return report.Tested(r.Setup.Evaluation.Suite, r.Runs[0].Cells) }

// LevelFigure draws a metric against the corruption level, one curve for each method, with the
// paper's where it is public.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	var curves []viz.LevelCurve
	for _, method := range r.methodNames() {
		each, err := r.levels(method, metric)
		if err != nil {
			return nil, err
		}
		mean, std := meansAndStds(summarise(each))
		curve := viz.LevelCurve{Name: method, Mean: mean, Std: std, Seeds: len(each), Each: each, Test: r.testText()}
		if paper, found := r.published(method, metric); found {
			curve.Paper, curve.PaperName = paper.Mean[:], fmt.Sprintf("paper, %d corruptions", paper.Corruptions)
		}
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// CorruptionLevels draws a metric, NLL, Error or ECE, against the severity of one corruption: a curve
// for each method, with means over the seeds. The runs must have been evaluated on a suite with the
// corruption.
func (r *Result) CorruptionLevels(metric, corruption string) (*viz.Figure, error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %d isn't evaluated: call Figure.Evaluate first", r.Figure.Number)
	}
	m, err := score.MetricByName(metric)
	if err != nil {
		return nil, err
	}
	suite, err := corrupt.SuiteByName(r.Setup.Evaluation.WithDefaults().Suite)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(suite.Corruptions, corruption) {
		return nil, fmt.Errorf("paper: %q isn't in the suite %s%s: choose one of %q", corruption, suite.Name, nearest.Hint(corruption, suite.Corruptions), suite.Corruptions)
	}
	var curves []viz.LevelCurve
	for _, method := range r.methodNames() {
		levels := r.series(method, func(run RunResult) []float64 { return levelsOf(run.Cells, m, corruption) })
		curve := viz.LevelCurve{Name: method, Seeds: len(levels), Each: levels, Test: report.Tested(strings.ReplaceAll(corruption, "_", " "), r.of(method)[0].Cells)}
		curve.Mean, curve.Std = meansAndStds(summarise(levels))
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// levelsOf returns a metric of the clean cell and of those of one corruption, [levels]; NaN for a
// missing cell.
func levelsOf(cells score.Cells, metric score.Metric, corruption string) []float64 {
	levels := make([]float64, score.LevelCount)
	for i := range levels {
		levels[i] = math.NaN()
	}
	for _, cell := range cells {
		if cell.Corruption == corruption || cell.Corruption == score.Clean {
			levels[cell.Severity] = metric.Value(cell)
		}
	}
	return levels
}

// Comparison returns the scores of the figure's methods, to be drawn by package report.
func (r *Result) Comparison() score.Comparison {
	c := score.Comparison{Suite: r.Setup.Evaluation.WithDefaults().Suite}
	for _, name := range r.methodNames() {
		method := score.Method{Name: name}
		for _, run := range r.of(name) {
			method.Seeds = append(method.Seeds, run.Seed)
			method.Cells = append(method.Cells, run.Cells)
		}
		c.Methods = append(c.Methods, method)
	}
	return c
}
