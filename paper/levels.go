package paper

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Names of the metrics that depend on the corruption level.
const (
	NLL     = "NLL"     // negative log-likelihood of the mean predictive, nats an image
	Error   = "Error"   // fraction of the images, 0 to 1
	ECE     = "ECE"     // expected calibration error over the pooled corruptions, 0 to 1
	MeanECE = "MeanECE" // mean over the corruptions of the expected calibration error, 0 to 1
)

// Metrics returns the names of all metrics.
func Metrics() []string { return []string{NLL, Error, ECE, MeanECE} }

// Metric returns a metric at the levels 0 to 5, nil for an unknown name.
func (r RunResult) Metric(name string) []float64 {
	switch name {
	case NLL:
		return r.Levels.NLL[:]
	case Error:
		return r.Levels.Error[:]
	case ECE:
		return r.Levels.ECE[:]
	case MeanECE:
		return r.Levels.MeanECE[:]
	}
	return nil
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
	if err := sameTest(r.Runs[0], *result); err != nil {
		return err
	}
	result.Levels, err = result.Cells.Levels()
	return err
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

func (levelMeasurement) report(r *Result, report *Report) error {
	report.Suite = r.Setup.Evaluation.Suite
	report.Samples, report.Images = r.Runs[0].Cells[0].Samples, r.Runs[0].Cells[0].Images
	for i, method := range r.methodNames() {
		levels := map[string]CurveReport{}
		for _, metric := range Metrics() {
			summaries, err := r.LevelSummary(method, metric)
			if err != nil {
				return err
			}
			mean, std := split(summaries)
			curve := CurveReport{Mean: mean, Std: std}
			if paper, found := r.published(method, metric); found {
				curve.Paper, curve.PaperCorruptions = paper.Mean[:], paper.Corruptions
			}
			levels[metric] = curve
		}
		report.Methods[i].Levels = levels
	}
	report.table = report.levelRows()
	return nil
}

// LevelSummary returns the mean and the standard deviation over seeds of a method's metric at the
// levels 0 to 5.
func (r *Result) LevelSummary(method, metric string) ([]score.Summary, error) {
	if err := r.checkMetric(metric); err != nil {
		return nil, err
	}
	return summarise(r.series(method, metricOf(metric))), nil
}

// metricOf returns the curve of a metric.
func metricOf(metric string) func(RunResult) []float64 {
	return func(run RunResult) []float64 { return run.Metric(metric) }
}

func (r *Result) checkMetric(metric string) error {
	if (RunResult{}).Metric(metric) == nil {
		return unknownMetric(metric, Metrics())
	}
	if !r.Evaluated() {
		return fmt.Errorf("paper: figure %d has no %s yet: Figure.Evaluate computes it", r.Figure.Number, metric)
	}
	return nil
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
func (r *Result) testText() string { return testedOn(r.Setup.Evaluation.Suite, r.Runs[0].Cells) }

// LevelFigure draws a metric against the corruption level, one curve for each method, with the
// paper's where it is public.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	var curves []viz.LevelCurve
	for _, method := range r.methodNames() {
		summaries, err := r.LevelSummary(method, metric)
		if err != nil {
			return nil, err
		}
		mean, std := split(summaries)
		curve := viz.LevelCurve{Name: method, Mean: mean, Std: std, Seeds: len(r.of(method)), Test: r.testText()}
		if paper, found := r.published(method, metric); found {
			curve.Paper, curve.PaperName = paper.Mean[:], fmt.Sprintf("paper, %d corruptions", paper.Corruptions)
		}
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// cellValues are the metrics of a single cell.
var cellValues = map[string]func(score.Cell) float64{
	NLL:   func(cell score.Cell) float64 { return cell.NLL },
	Error: func(cell score.Cell) float64 { return cell.Error },
	ECE:   func(cell score.Cell) float64 { return cell.ECE },
}

// CorruptionLevels draws a metric, NLL, Error or ECE, against the severity of one corruption: a curve
// for each method, with means over the seeds. The runs must have been evaluated on a suite with the
// corruption.
func (r *Result) CorruptionLevels(metric, corruption string) (*viz.Figure, error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %d isn't evaluated: call Figure.Evaluate first", r.Figure.Number)
	}
	value, found := cellValues[metric]
	if !found {
		return nil, unknownMetric(metric, slices.Sorted(maps.Keys(cellValues)))
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
		levels := r.series(method, func(run RunResult) []float64 { return levelsOf(run.Cells, value, corruption) })
		curve := viz.LevelCurve{Name: method, Seeds: len(levels), Test: testedOn(strings.ReplaceAll(corruption, "_", " "), r.of(method)[0].Cells)}
		curve.Mean, curve.Std = split(summarise(levels))
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// levelsOf returns a value of the clean cell and of those of one corruption, [levels]; NaN for a
// missing cell.
func levelsOf(cells score.Cells, value func(score.Cell) float64, corruption string) []float64 {
	levels := make([]float64, score.LevelCount)
	for i := range levels {
		levels[i] = math.NaN()
	}
	for _, cell := range cells {
		if cell.Corruption == corruption || cell.Corruption == score.Clean {
			levels[cell.Severity] = value(cell)
		}
	}
	return levels
}
