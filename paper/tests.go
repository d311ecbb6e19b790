package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// tests measures each run on clean images and under a suite of corruptions, and on parts of the
// training images. A set-up with ensembles tests those of each method's seeds, too, whose curves are
// called "ens METHOD".
type tests struct {
	parts    []nbbnn.Part
	noLevels bool // the images of the parts are all that is tested

	// changes are those of the tests of a method: methods may share a trained run and differ in how it
	// predicts.
	changes map[string]func(*nbbnn.Evaluation)

	sweeps []sweep // in the table; none have a table of levels
	splits []split // of the sweeps, and of the CSV file
}

// evaluations are the tests of a method's run: of the levels, then of the parts.
func (m tests) evaluations(s Setup, method string, seed uint64) (all []nbbnn.Evaluation) {
	if !m.noLevels {
		all = append(all, s.evaluation(seed))
	}
	for _, part := range m.parts {
		all = append(all, s.partEvaluation(part, seed))
	}
	if change := m.changes[method]; change != nil {
		for i := range all {
			change(&all[i])
		}
	}
	return all
}

func (m tests) validate(s Setup, config nbbnn.Config) error {
	if test := dataSize(config).Test; s.Evaluation.Images > test {
		return fmt.Errorf("paper: %d test images are asked for, the runs have %d: ask for fewer images", s.Evaluation.Images, test)
	}
	for _, method := range s.Methods {
		for _, e := range append(m.evaluations(s, method.Name, 0), s.Evaluation) {
			if err := e.Validate(config.Posterior.Components); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m tests) describe(s Setup) string {
	if m.noLevels {
		return fmt.Sprintf("%s of images as they are, %s", counted(len(m.parts), "set"), counted(s.Evaluation.Samples, "sample"))
	}
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return s.Evaluation.Suite
	}
	var configs []nbbnn.Config
	for _, method := range s.Methods {
		configs = append(configs, s.config(method, 0))
	}
	return s.Evaluation.Suite + ": " + TestText(suite, s.Evaluation.Images, SamplesText(configs, s.Evaluation.Samples))
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

func (m tests) operations(s Setup, config nbbnn.Config) (operations float64) {
	for _, e := range m.evaluations(s, "", config.Seed) {
		cells := 1
		switch suite, _ := corrupt.SuiteByName(s.Evaluation.Suite); e.Part {
		case nbbnn.TestPart:
			cells += len(suite.Corruptions) * (score.LevelCount - 1)
			cells *= 1 + len(s.members(config.Seed))
		case nbbnn.CleanPart:
		default:
			e.Images = cmp.Or(config.Data.Validation, dataSize(config).Train)
		}
		operations += testOperations(config, e, cells)
	}
	return operations
}

// done reports whether the run has the tests of all methods that share it.
func (m tests) done(s Setup, run *nbbnn.Run) bool {
	seed := run.Config().Seed
	for _, method := range s.Methods {
		if m.changes != nil && s.config(method, seed).WithDefaults().Hash() != run.Hash() {
			continue
		}
		if slices.ContainsFunc(m.evaluations(s, method.Name, seed), func(e nbbnn.Evaluation) bool { return !run.Evaluated(e) }) {
			return false
		}
		if m.changes == nil {
			break // the tests are those of all methods
		}
	}
	ensemble, err := openEnsemble(s, run)
	return err == nil && (ensemble == nil || ensemble.Evaluated(s.Evaluation))
}

func (m tests) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	result := &r.Runs[run]
	result.Parts = map[nbbnn.Part]score.Cell{}
	for _, e := range m.evaluations(r.Setup, result.Method, result.Seed) {
		cells, err := result.Run.Evaluate(ctx, e, progress)
		if err != nil {
			return err
		}
		if e.Part != nbbnn.TestPart {
			result.Parts[e.Part] = cells[0]
			continue
		}
		if result.Cells = cells; !cells.Binned() {
			if result.ECE, err = recordedECE(result.Run.Run, e); err != nil {
				return err
			}
		}
	}
	ensemble, err := openEnsemble(r.Setup, result.Run.Run)
	if err != nil || ensemble == nil {
		return err
	}
	result.Ensemble, err = ensemble.Evaluate(ctx, r.Setup.Evaluation, progress)
	return err
}

// recordedECE returns the ECE at the levels that a run's card has for a test; nil if it has none.
func recordedECE(run *nbbnn.Run, e nbbnn.Evaluation) (*[score.LevelCount]float64, error) {
	card, err := run.Card()
	if tested := run.OnCard(card, e); tested != nil {
		return tested.Levels.ECE, err
	}
	return nil, err
}

// table has the curves of the sweeps, or the levels of each data set one below the other.
func (m tests) table(r *Result) (viz.Table, error) {
	if len(m.sweeps) > 0 {
		sweeps := slices.DeleteFunc(slices.Clone(m.sweeps), func(s sweep) bool { return s.row != "" && !slices.Contains(r.rows(), s.row) })
		if len(sweeps) == 1 && sweeps[0].row == "" {
			sweeps = sweeps[0].withControls(r)
		}
		return sweepTable(r, sweeps, m.splits), nil
	}
	all := withEnsembles(r)
	return byRow(all, func(row *Result) (viz.Table, error) {
		return row.levelTable(all.measured(NLL, ScaledNLL, Error, ECE)...), nil
	})
}

// byRow puts the tables of the rows of panels one below the other, with their names in front.
func byRow(r *Result, tableOf func(row *Result) (viz.Table, error)) (all viz.Table, err error) {
	for _, name := range r.rows() {
		table, err := tableOf(r.row(name))
		if err != nil {
			return viz.Table{}, err
		}
		for _, cells := range table.Rows {
			cells[0] = strings.TrimPrefix(name+" "+cells[0], " ")
		}
		table.Rows = append(all.Rows, table.Rows...)
		all = table
	}
	return all, nil
}

// report adds the curves of the levels with those of the ensembles. The CSV file has a row for each
// metric, method and level, or for each run and split of sweeps.
func (m tests) report(r *Result, data *Report) error {
	if !m.noLevels {
		reportLevels(withEnsembles(r), data)
	}
	if len(m.sweeps) > 0 {
		data.csv = m.splitRows(r)
	}
	return nil
}

// splitRows has a row for each run and split.
func (m tests) splitRows(r *Result) [][]string {
	header := []string{"method", "components", "mode", "gamma", "seed", "split"}
	metrics := r.measured(NLL, Error, ScaledNLL)
	for _, name := range metrics {
		header = append(header, metricOf(name).Column)
	}
	rows := [][]string{header}
	for _, run := range r.Runs {
		for _, on := range m.splits {
			config := run.Config()
			row := csvRow(run.title(), config.Posterior.Components, config.Posterior.Mode,
				fmt.Sprint(config.Objective.Gamma), run.Seed, on.name)
			for _, name := range metrics {
				row = append(row, decimal(on.of(metricOf(name), run)))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// reportLevels adds the curves of each method, a data set after the other, with their costs in a
// benchmark.
func reportLevels(all *Result, data *Report) {
	data.Methods = nil
	for _, name := range all.rows() {
		r := all.row(name)
		data.Suite, data.Samples, data.Images = r.Setup.Evaluation.Suite, r.mostSampled()[0].Samples, r.Runs[0].Cells[0].Images
		for _, method := range r.Comparison().Methods {
			curves := MethodReport{Name: method.Name, Row: name, Entropy: newCurve(r.EntropySummary(method.Name)), Levels: map[string]CurveReport{}}
			for _, metric := range r.measured(reported...) {
				curve := newCurve(summarise(r.levels(method.Name, metric)))
				if paper, found := r.published(method.Name, metric); found {
					curve.Paper, curve.PaperCorruptions = paper.Mean[:], paper.Corruptions
				}
				curves.Levels[metric] = curve
			}
			if r.Figure.Benchmark {
				if cost, known := method.Cost(); known {
					curves.Cost = &cost
				}
			}
			data.Methods = append(data.Methods, curves)
		}
	}
	data.csv = data.levelRows(all.Figure.Benchmark)
}

// levelRows is the table of a figure of levels, with the costs of a benchmark.
func (r Report) levelRows(costs bool) (rows [][]string) {
	named := slices.ContainsFunc(r.Methods, func(m MethodReport) bool { return m.Row != "" })
	add := func(row string, columns, cost []string) {
		if named {
			columns = append([]string{row}, columns...)
		}
		if costs {
			columns = append(columns, cost...)
		}
		rows = append(rows, columns)
	}
	add("data", []string{"method", "metric", "level", "mean", "std", "suite", "samples", "images", "seeds", "paper_mean", "paper_corruptions"},
		[]string{"parameters", "epochs", "training_passes", "prediction_passes", "training_seconds"})
	for _, method := range r.Methods {
		cost := make([]string, 5)
		if c := method.Cost; c != nil {
			cost = csvRow(c.Parameters, c.Epochs, c.TrainingPasses, c.PredictionPasses, c.TrainingSeconds)
		}
		for _, metric := range reported {
			curve := method.Levels[metric]
			for level := range curve.Mean {
				row := csvRow(method.Name, metric, level, curve.Mean[level], curve.Std[level], r.Suite, r.Samples, r.Images, len(r.Seeds), "", "")
				if curve.Paper != nil {
					copy(row[9:], csvRow(curve.Paper[level], curve.PaperCorruptions))
				}
				add(method.Row, row, cost)
			}
		}
	}
	return rows
}
