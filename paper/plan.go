package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
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

// Plan looks at the runs of the figure and computes nothing. It returns an error when the set-up can't be run.
func (f Figure) Plan(scale Scale, options Options) (Plan, error) {
	setup := f.Setup(scale)
	suite, err := corrupt.SuiteByName(setup.Evaluation.Suite)
	if err != nil {
		return Plan{}, err
	}
	runs, err := f.Open(scale, options)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Seeds: setup.Seeds, Runs: len(runs), Test: TestText(suite, setup.Evaluation)}
	for _, method := range f.Methods {
		plan.Methods = append(plan.Methods, method.Name)
	}
	for _, run := range runs {
		plan.add(run, suite, setup.Evaluation)
	}
	return plan, nil
}

// add counts a run and what it lacks.
func (p *Plan) add(run Run, suite corrupt.Suite, evaluation nbbnn.Evaluation) {
	p.Memory = max(p.Memory, memory(run.Config()))
	card, err := run.Card()
	if !run.Complete() || err != nil {
		p.Operations += trainingOperations(run.Config())
	} else {
		p.Trained++
	}
	if card.Evaluation != nil && card.Evaluation.Evaluation == evaluation {
		p.Evaluated++
		return
	}
	cells := 1 + len(suite.Corruptions)*(nbbnn.LevelCount-1)
	p.Operations += testOperations(run.Config(), evaluation, cells)
}

// TestText describes an evaluation, such as "8 corruptions x 5 levels + clean, 500 images, 16 samples".
func TestText(suite corrupt.Suite, evaluation nbbnn.Evaluation) string {
	images := "all"
	if evaluation.Images > 0 {
		images = fmt.Sprint(evaluation.Images)
	}
	return fmt.Sprintf("%d corruptions x %d levels + clean, %s images, %d samples",
		len(suite.Corruptions), nbbnn.LevelCount-1, images, evaluation.Samples)
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
