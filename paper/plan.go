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

// trainingOperations counts a multiplication and an addition in the forward pass and in each of the two gradients
// (METHOD.md section 6).
func trainingOperations(config nbbnn.Config) float64 {
	training := config.Training
	images := atMost(config.Data.Train, 50_000)
	return 6 * multiplications(config.Network) * float64(training.Samples*images*training.Epochs)
}

func testOperations(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	images := atMost(evaluation.Images, atMost(config.Data.Test, 10_000))
	return 2 * multiplications(config.Network) * float64(evaluation.Samples*images*cells)
}

// atMost reads a number of images, of which 0 means all.
func atMost(count, all int) int {
	if count == 0 {
		return all
	}
	return min(count, all)
}

// multiplications is the number of multiply-adds of one forward pass of All-CNN-C over an image of 32x32 pixels in ten
// classes: 278,814,720 at the published width (METHOD.md 1.3).
func multiplications(network nbbnn.Network) float64 {
	width := float64(network.Width)
	return 28_928*width + 29_952*width*width
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
