package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
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

// Result is what the runs of a figure gave.
type Result struct {
	Figure Figure
	Scale  Scale
	Setup  Setup
	Runs   []RunResult // in the order of Figure.Open
}

// RunResult is what one run gave.
type RunResult struct {
	Run
	History []nbbnn.Epoch // before training, then after each epoch
	Cells   score.Cells   // one for each corruption and severity; nil before Figure.Evaluate
	Levels  score.Levels  // means over the corruptions; zero before Figure.Evaluate

	Implicit []nbbnn.ImplicitCorruption // of a figure on them; nil before Figure.Evaluate
}

// collect reads the histories of trained runs.
func (f Figure) collect(scale Scale, runs []Run) (*Result, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return nil, err
	}
	result := &Result{Figure: f, Scale: scale, Setup: setup}
	for _, run := range runs {
		history, err := run.History()
		if err != nil {
			return nil, err
		}
		if len(history) == 0 {
			return nil, fmt.Errorf("paper: %s has no epochs in train.jsonl: remove the directory and train again", run.Directory())
		}
		result.Runs = append(result.Runs, RunResult{Run: run, History: history})
	}
	return result, nil
}

// evaluate computes what is missing of a run's cells, or of its implicit corruptions.
func (r *RunResult) evaluate(ctx context.Context, setup Setup, progress nbbnn.Progress) (err error) {
	if setup.isImplicit() {
		r.Implicit, err = r.ImplicitCorruptions(ctx, setup.Implicit, progress)
		return err
	}
	if r.Cells, err = r.Run.Evaluate(ctx, setup.Evaluation, progress); err != nil {
		return err
	}
	r.Levels, err = r.Cells.Levels()
	return err
}

// Evaluated says whether the runs have been evaluated.
func (r *Result) Evaluated() bool { return evaluated(r.Runs) }

// of returns one method's runs, in the order of the seeds.
func (r *Result) of(method string) (runs []RunResult) {
	for _, run := range r.Runs {
		if run.Method == method {
			runs = append(runs, run)
		}
	}
	return runs
}

// series returns a curve of each of the method's runs, [seeds][points].
func (r *Result) series(method string, curve func(RunResult) []float64) (series [][]float64) {
	for _, run := range r.of(method) {
		series = append(series, curve(run))
	}
	return series
}

// Entropy is the entropy of the posterior, nats, at the start and after each epoch.
func (r RunResult) Entropy() []float64 {
	entropy := make([]float64, len(r.History))
	for i, epoch := range r.History {
		entropy[i] = epoch.Entropy
	}
	return entropy
}

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

// LastEpoch is the last line of the history.
func (r RunResult) LastEpoch() nbbnn.Epoch { return r.History[len(r.History)-1] }
