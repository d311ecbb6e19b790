package paper

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// levelMeasurement tests each run on clean images and under a suite of corruptions.
type levelMeasurement struct{}

// cellMeasurement is a measurement that gives cells alone, which a record of a run has.
type cellMeasurement interface{ givesCells() }

func (levelMeasurement) givesCells() {}

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
	var configs []nbbnn.Config
	for _, method := range s.Methods {
		configs = append(configs, s.config(method, 0))
	}
	return TestText(suite, s.Evaluation.Images, SamplesText(configs, s.Evaluation.Samples))
}

// TestText describes an evaluation, such as "8 corruptions x 5 levels + clean, 500 images, 16
// samples". No images means all; samples is their number in words.
func TestText(suite corrupt.Suite, images int, samples string) string {
	return fmt.Sprintf("%s x %d levels + clean, %s, %s",
		counted(len(suite.Corruptions), "corruption"), score.LevelCount-1, quantity.CountOrAll(images, "image"), samples)
}

// SamplesText says how many samples runs take for each image of those that a test asks for, such as
// "1 to 32 samples" if a network without latents is among them.
func SamplesText(configs []nbbnn.Config, asked int) string {
	var samples []int
	for _, config := range configs {
		samples = append(samples, samplesOf(config, asked))
	}
	return quantity.Range(samples, "sample")
}

func (levelMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return 0
	}
	return testOperations(config, s.Evaluation, 1+len(suite.Corruptions)*(score.LevelCount-1))
}

func (levelMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return run.Evaluated(s.evaluation(run.Config().Seed))
}

func (levelMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) (err error) {
	result := &r.Runs[run]
	result.Cells, err = result.Run.Evaluate(ctx, r.Setup.evaluation(result.Seed), progress)
	return err
}

func (levelMeasurement) test(r *Result) string {
	return fmt.Sprintf("%s, %s", r.testText(), counted(len(r.of(r.methodNames()[0])), "seed"))
}

func (levelMeasurement) table(r *Result) (viz.Table, error) {
	return r.NarrowTable(r.measured(NLL, ScaledNLL, Error, ECE)...)
}

func (levelMeasurement) report(r *Result, data *Report) error {
	data.Suite = r.Setup.Evaluation.Suite
	data.Samples, data.Images = r.mostSampled()[0].Samples, r.Runs[0].Cells[0].Images
	for i, method := range r.methodNames() {
		levels := map[string]CurveReport{}
		for _, metric := range r.measured(reported...) {
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
	data.csv = data.levelRows()
	return nil
}

// lower returns the effects of the claim that a metric of one method is below another's at every
// level. Fractions are compared in percentage points.
func lower(name, method, other string) func(*Result) []Effect {
	return func(r *Result) []Effect {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil
		}
		a, err := r.levels(method, name)
		if err != nil {
			return nil
		}
		b, err := r.levels(other, name)
		if err != nil {
			return nil
		}
		effects := pairedEffects(method+" - "+other, unitOf(metric), belowZero, allShown(metric, a), allShown(metric, b), levelNames())
		addPublished(r, effects, metric, method, other)
		return effects
	}
}

// addPublished adds the paper's differences to the effects of the levels, if its curves are public.
func addPublished(r *Result, effects []Effect, metric score.Metric, method, other string) {
	a, found := r.published(method, metric.Name)
	b, alsoFound := r.published(other, metric.Name)
	if !found || !alsoFound {
		return
	}
	for level := range effects {
		difference := metric.Shown(a.Mean[level]) - metric.Shown(b.Mean[level])
		effects[level].Paper = &difference
	}
}

// allShown is shown for several series.
func allShown(metric score.Metric, series [][]float64) (all [][]float64) {
	for _, values := range series {
		all = append(all, shown(metric, values))
	}
	return all
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
	if metric.IsFraction() {
		return "points"
	}
	return cmp.Or(metric.Unit, metric.Name)
}

// levelNames are "at level 0" to "at level 5".
func levelNames() (names []string) {
	for level := range score.LevelCount {
		names = append(names, fmt.Sprintf("at level %d", level))
	}
	return names
}
