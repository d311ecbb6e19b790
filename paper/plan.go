package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Plan says what a figure is made of and what is still to be trained.
type Plan struct {
	Methods    []string
	Seeds      []uint64
	Test       string  // in words, such as "8 corruptions x 5 levels + clean, 500 images, 16 samples"
	Runs       int     // of the figure
	Trained    int     // of them are trained to the end
	Evaluated  int     // of them are evaluated, too
	Operations float64 // floating-point operations of the training and the evaluation that are missing
	Memory     float64 // bytes that the largest run needs, estimated
}

// Missing says whether there's something to do.
func (p Plan) Missing() bool { return p.Evaluated < p.Runs }

// Plan looks at the runs of the figure, computes nothing and creates nothing. It returns an error when the set-up can't be run.
func (f Figure) Plan(scale Scale, options Options) (Plan, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return Plan{}, err
	}
	suite, err := corrupt.SuiteByName(setup.Evaluation.Suite)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Methods: f.methodNames(), Seeds: setup.Seeds, Runs: len(f.Methods) * len(setup.Seeds),
		Test: TestText(suite, setup.Evaluation),
	}
	if setup.isImplicit() {
		plan.Test = setup.implicitText()
	}
	cells := 1 + len(suite.Corruptions)*(score.LevelCount-1)
	for _, seed := range setup.Seeds {
		for _, method := range f.Methods {
			config := setup.config(method, seed).WithDefaults()
			if err := plan.add(options.withDefaults().Runs, config, setup, cells); err != nil {
				return Plan{}, err
			}
		}
	}
	return plan, nil
}

// add counts a run and what it lacks.
func (p *Plan) add(runs string, config nbbnn.Config, setup Setup, cells int) error {
	p.Memory = max(p.Memory, memory(config))
	trained, evaluated, err := progressOf(runs, config, setup)
	if err != nil {
		return err
	}
	if trained {
		p.Trained++
	} else {
		p.Operations += trainingOperations(config)
	}
	if evaluated {
		p.Evaluated++
	} else {
		p.Operations += setup.evaluationOperations(config, cells)
	}
	return nil
}

// progressOf says how far a run is. Opening a run would create it, so one without a directory isn't opened.
func progressOf(runs string, config nbbnn.Config, setup Setup) (trained, evaluated bool, err error) {
	if _, err := os.Stat(filepath.Join(runs, config.RunName())); errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return false, false, err
	}
	if setup.isImplicit() {
		return run.Complete(), run.HasImplicitCorruptions(setup.Implicit), nil
	}
	return run.Complete(), run.Evaluated(setup.Evaluation), nil
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

// String is such as "4 runs: M16 and M32, seeds 1 2".
func (p Plan) String() string {
	text := fmt.Sprintf("%d runs: %s, %s", p.Runs, join(p.Methods), seedsText(p.Seeds))
	if p.Runs == 1 {
		text = fmt.Sprintf("1 run: %s, %s", join(p.Methods), seedsText(p.Seeds))
	}
	switch {
	case !p.Missing():
		return text + " · nothing left to do"
	case p.Trained == 0:
		return text
	default:
		return fmt.Sprintf("%s · %d trained already", text, p.Trained)
	}
}
