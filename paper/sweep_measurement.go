package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// sweepTests tests each run as levelMeasurement does, and on parts of the training images.
type sweepTests struct {
	levelMeasurement
	sweeps []sweep
	parts  []nbbnn.Part
	splits []split

	noLevels bool // the images of the parts are all that is tested
}

// sweepMeasurement measures sweeps on some splits, which need a part of the training images.
func sweepMeasurement(sweeps []sweep, part nbbnn.Part, splits ...split) Measurement {
	return sweepTests{sweeps: sweeps, parts: []nbbnn.Part{part}, splits: splits}
}

// evaluation is the test of a part for a seed: its images as they are, or of the test images as many
// as a cell has.
func (sweepTests) evaluation(s Setup, part nbbnn.Part, seed uint64) nbbnn.Evaluation {
	e := nbbnn.Evaluation{Suite: s.Evaluation.Suite, Samples: s.Evaluation.Samples, Seed: s.Evaluation.Seed, Part: part}
	if part == nbbnn.CleanPart {
		e.Images, e.First = s.Evaluation.Images, s.evaluation(seed).First
	}
	return e
}

func (m sweepTests) operations(s Setup, config nbbnn.Config) (operations float64) {
	if !m.noLevels {
		operations = m.levelMeasurement.operations(s, config)
	}
	for _, part := range m.parts {
		test := m.evaluation(s, part, 0)
		if part != nbbnn.CleanPart {
			test.Images = cmp.Or(config.Data.Validation, dataSize(config).Train)
		}
		operations += testOperations(config, test, 1)
	}
	return operations
}

func (m sweepTests) done(s Setup, run *nbbnn.Run) bool {
	for _, part := range m.parts {
		if !run.Evaluated(m.evaluation(s, part, run.Config().Seed)) {
			return false
		}
	}
	return m.noLevels || m.levelMeasurement.done(s, run)
}

func (m sweepTests) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	result := &r.Runs[run]
	result.Parts = map[nbbnn.Part]score.Cell{}
	for _, part := range m.parts {
		cells, err := result.Run.Evaluate(ctx, m.evaluation(r.Setup, part, result.Seed), progress)
		if err != nil {
			return err
		}
		result.Parts[part] = cells[0]
	}
	if m.noLevels {
		return nil
	}
	return m.levelMeasurement.measure(ctx, r, run, progress)
}

func (m sweepTests) describe(s Setup) string {
	if !m.noLevels {
		return m.levelMeasurement.describe(s)
	}
	return fmt.Sprintf("%s of images as they are, %s", counted(len(m.parts), "set"), counted(s.Evaluation.Samples, "sample"))
}

func (m sweepTests) test(r *Result) string {
	if !m.noLevels {
		return m.levelMeasurement.test(r)
	}
	return fmt.Sprintf("%s, %s", m.describe(r.Setup), counted(len(r.Setup.Seeds), "seed"))
}

func (m sweepTests) table(r *Result) (viz.Table, error) {
	sweeps := slices.DeleteFunc(slices.Clone(m.sweeps), func(s sweep) bool { return s.row != "" && !slices.Contains(r.rows(), s.row) })
	if len(sweeps) == 1 && sweeps[0].row == "" {
		sweeps = sweeps[0].withControls(r)
	}
	return sweepTable(r, sweeps, m.splits...)
}

// report adds a row for each run and split to the table of the CSV file.
func (m sweepTests) report(r *Result, data *Report) error {
	if !m.noLevels {
		if err := m.levelMeasurement.report(r, data); err != nil {
			return err
		}
	}
	header := []string{"method", "components", "mode", "gamma", "seed", "split"}
	var metrics []score.Metric
	for _, name := range r.measured(NLL, Error, ScaledNLL) {
		metric := sweep{metric: name}.measure()
		metrics, header = append(metrics, metric), append(header, metric.Column)
	}
	data.csv = [][]string{header}
	for _, run := range r.Runs {
		for _, on := range m.splits {
			row, err := on.row(metrics, run)
			if err != nil {
				return err
			}
			data.csv = append(data.csv, row)
		}
	}
	return nil
}

// row returns a run's values on a split, after what tells the run from the others.
func (s split) row(metrics []score.Metric, run RunResult) ([]string, error) {
	config := run.Config()
	row := []string{
		Method{Name: run.Method, Row: run.Row}.title(), strconv.Itoa(config.Posterior.Components), string(config.Posterior.Mode), strconv.FormatFloat(config.Objective.Gamma, 'g', -1, 64),
		strconv.FormatUint(run.Seed, 10), s.name,
	}
	for _, metric := range metrics {
		value, err := s.of(metric, run)
		if err != nil {
			return nil, err
		}
		row = append(row, decimal(value))
	}
	return row, nil
}
