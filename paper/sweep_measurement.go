package paper

import (
	"cmp"
	"context"
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
}

// sweepMeasurement measures sweeps on some splits, which need a part of the training images.
func sweepMeasurement(sweeps []sweep, part nbbnn.Part, splits ...split) Measurement {
	return sweepTests{sweeps: sweeps, parts: []nbbnn.Part{part}, splits: splits}
}

// evaluation is the test of a part: its images as they are.
func (sweepTests) evaluation(s Setup, part nbbnn.Part) nbbnn.Evaluation {
	return nbbnn.Evaluation{Suite: s.Evaluation.Suite, Samples: s.Evaluation.Samples, Seed: s.Evaluation.Seed, Part: part}
}

func (m sweepTests) operations(s Setup, config nbbnn.Config) float64 {
	operations := m.levelMeasurement.operations(s, config)
	for range m.parts {
		images := cmp.Or(config.Data.Validation, dataSize(config).Train)
		operations += testOperations(config, nbbnn.Evaluation{Samples: s.Evaluation.Samples, Images: images}, 1)
	}
	return operations
}

func (m sweepTests) done(s Setup, run *nbbnn.Run) bool {
	for _, part := range m.parts {
		if !run.Evaluated(m.evaluation(s, part)) {
			return false
		}
	}
	return m.levelMeasurement.done(s, run)
}

func (m sweepTests) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	result := &r.Runs[run]
	result.Parts = map[nbbnn.Part]score.Cell{}
	for _, part := range m.parts {
		cells, err := result.Run.Evaluate(ctx, m.evaluation(r.Setup, part), progress)
		if err != nil {
			return err
		}
		result.Parts[part] = cells[0]
	}
	return m.levelMeasurement.measure(ctx, r, run, progress)
}

func (m sweepTests) table(r *Result) (viz.Table, error) {
	sweeps := m.sweeps
	if len(sweeps) == 1 {
		sweeps = sweeps[0].withControls(r)
	}
	return sweepTable(r, sweeps, m.splits...)
}

// report adds a row for each run and split to the table of the CSV file.
func (m sweepTests) report(r *Result, data *Report) error {
	if err := m.levelMeasurement.report(r, data); err != nil {
		return err
	}
	header := []string{"method", "components", "mode", "gamma", "seed", "split"}
	var metrics []score.Metric
	for _, name := range r.measured(NLL, Error, ScaledNLL) {
		metric := sweep{metric: name}.measure()
		metrics, header = append(metrics, metric), append(header, metric.Column)
	}
	data.table = [][]string{header}
	for _, run := range r.Runs {
		for _, on := range m.splits {
			row, err := on.row(metrics, run)
			if err != nil {
				return err
			}
			data.table = append(data.table, row)
		}
	}
	return nil
}

// row returns a run's values on a split, after what tells the run from the others.
func (s split) row(metrics []score.Metric, run RunResult) ([]string, error) {
	config := run.Config()
	row := []string{
		run.Method, strconv.Itoa(config.Posterior.Components), string(config.Posterior.Mode), strconv.FormatFloat(config.Objective.Gamma, 'g', -1, 64),
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
