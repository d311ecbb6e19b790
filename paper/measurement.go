package paper

import (
	"context"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Measurement is a kind of figure: what is measured on each trained run, and how its numbers are
// written. Its implementations are levelMeasurement, implicitMeasurement and historyMeasurement.
type Measurement interface {
	// validate checks the measurement of a run with a filled configuration.
	validate(s Setup, config nbbnn.Config) error

	// describe says what is measured, such as "8 corruptions x 5 levels + clean, 16 samples".
	describe(s Setup) string

	// operations returns the floating-point operations of measuring one run.
	operations(s Setup, config nbbnn.Config) float64

	// done reports whether a trained run keeps the whole measurement.
	done(s Setup, run *nbbnn.Run) bool

	// measure computes the missing part of a run's measurement and puts all of it into the result.
	measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error

	// test says what a measured result was measured on, for captions.
	test(r *Result) string

	// table returns the numbers of a measured result for a terminal.
	table(r *Result) (viz.Table, error)

	// report adds the numbers of a measured result to its report.
	report(r *Result, report *Report) error
}
