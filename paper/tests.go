package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tests measures each run on clean images and under a suite of corruptions, and on parts of the
// training images. A set-up with ensembles tests each method's, too, whose curves are called "ens
// METHOD".
type tests struct {
	parts    []nbbnn.Part
	noLevels bool // the images of the parts are all that is tested

	// changes holds how the tests of a method differ: methods may share a trained run and differ in
	// how it predicts.
	changes map[string]func(*nbbnn.Evaluation)

	sweeps []sweep // in the table; none have a table of levels
	splits []split // of the sweeps, and of the CSV file
}

// evaluations returns the tests of a method's run: of the levels, then of the parts.
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
	if err := checkImages(config, 0, s.Evaluation.Images); err != nil {
		return err
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
		return fmt.Sprintf("%s of images as they are, %s", counted(len(m.parts), "set"),
			counted(s.Evaluation.Samples, "sample"))
	}
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return s.Evaluation.Suite
	}
	var configs []nbbnn.Config
	for _, method := range s.Methods {
		configs = append(configs, s.config(method, 0))
	}
	return s.Evaluation.Suite + ": " + report.Test(suite, s.Evaluation.Images,
		report.SamplesTaken(configs, s.Evaluation.Samples))
}

func (m tests) operations(s Setup, config nbbnn.Config) (operations float64) {
	for _, e := range m.evaluations(s, "", config.Seed) {
		cells := 1
		switch suite, _ := corrupt.SuiteByName(s.Evaluation.Suite); e.Part {
		case nbbnn.TestPart:
			cells = estimate.CellsOf(suite) * (1 + len(memberSeeds(s, config.Seed)))
		case nbbnn.CleanPart:
		default:
			e.Images = cmp.Or(config.Data.Validation, dataSize(config).Train)
		}
		operations += estimate.Test(config, e, cells)
	}
	return operations
}

// done reports whether the run has the tests of all methods that share it.
func (m tests) done(s Setup, run *nbbnn.Run) bool {
	seed := run.Config().Seed
	for _, method := range s.Methods {
		if m.changes != nil &&
			s.config(method, seed).WithDefaults().Hash() != run.Config().Hash() {
			continue
		}
		if slices.ContainsFunc(m.evaluations(s, method.Name, seed), func(e nbbnn.Evaluation) bool {
			return !run.Evaluated(e)
		}) {
			return false
		}
		if m.changes == nil {
			break // the tests are the same for all methods
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
	if r.Figure.benchmark {
		// the zero Cost if the card has none
		result.Cost, _ = nbbnn.CostOf(result.Run.Run, result.Cells)
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

// numbers has the curves of the sweeps, or the levels of each data set one below the other.
func (m tests) numbers(r *Result) (n numbers) {
	if len(m.sweeps) > 0 {
		return sweepNumbers(r, m.sweeps, m.splits)
	}
	n.at = "level"
	all := withEnsembles(r)
	for _, name := range all.rows() {
		for _, l := range all.row(name).levelLines(all.measured(reported...)...) {
			l.What = withRow(name, l.What)
			n.lines = append(n.lines, l)
		}
	}
	return n
}
