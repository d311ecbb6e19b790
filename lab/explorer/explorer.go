// Package explorer shows the predictions of several networks for one image, clean and corrupted.
// Three small networks come with it, so that a notebook opens without training one: the first seed
// of README's demo, without noise (MAP), with noise (γ = 0), and with more entropy (γ = 16).
//
//	networks, err := explorer.Open(ctx)
//	figure, err := networks.Figure(ctx, explorer.Question{Image: 3, Corruption: "fog", Severity: 4})
//
// Add puts a network of one's own next to them. The weights of the three are rounded to the 16 bits
// of bfloat16, and were tested as they are. Their cards were written by versions that didn't
// record a commit.
package explorer

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// samples is the number of Monte-Carlo samples of each answer and of each test.
const samples = 16

// Evaluation returns the test whose results come with the networks: all 19 corruptions of 100
// images.
func Evaluation() nbbnn.Evaluation {
	return nbbnn.Evaluation{Suite: "all19", Images: 100, Samples: samples}
}

// Explorer holds networks that answer about the same images.
type Explorer struct {
	Images   dataset.Images // the test images
	Classes  []string       // names, by label
	Networks []Network
}

// Network is a trained network with its measurements.
type Network struct {
	Name  string      // for example "γ = 4"
	Card  nbbnn.Card  // of its training
	Tests score.Cells // in Evaluation; nil if it wasn't tested

	predictor *network.Predictor
}

// Question asks about one test image under a corruption.
type Question struct {
	Image      int    // from 0
	Corruption string // one of Corruptions; not used for severity 0
	Severity   int    // 0, the clean image, to 5
	Network    string // the name of the one asked; "" asks all
}

// Corruptions returns the names of Evaluation's corruptions, from which one chooses.
func Corruptions() []string {
	suite, err := corrupt.SuiteByName(Evaluation().Suite)
	if err != nil {
		panic(err) // the suite is one of ours
	}
	return suite.Corruptions
}

// Add puts a trained run next to the other networks, under a name. If it has the evaluation
// Evaluation, its curves are drawn as well. It must have been trained on the same data, and predict
// with one set of weights: runs of SWAG and cSG-HMC are refused.
func (e *Explorer) Add(ctx context.Context, name string, run *nbbnn.Run) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	if err := e.check(name, card); err != nil {
		return err
	}
	model, err := run.Model(ctx)
	if err != nil {
		return err
	}
	tests, err := run.Cells(Evaluation())
	if err != nil {
		tests = nil // it has no curves
	}
	return e.add(Network{Name: name, Card: card, Tests: tests}, model)
}

// check returns an error for a run that can't answer next to the other networks.
func (e *Explorer) check(name string, card nbbnn.Card) error {
	if have := e.Networks[0].Card.Data; card.Data.Name != have.Name || card.Data.Hash != have.Hash {
		return fmt.Errorf("explorer: %s was trained on %s (%.12s), the others on %s (%.12s): "+
			"train it with the data of explorer.Config",
			name, card.Data.Name, card.Data.Hash, have.Name, have.Hash)
	}
	if methods.HasSeveralWeights(card.Config.Method) {
		return fmt.Errorf("explorer: %s was trained by %s, which predicts with several sets of "+
			"weights: add a run of another method, or ask it with Run.PredictImages",
			name, card.Config.Method.Name)
	}
	return nil
}

// add prepares a network for questions.
func (e *Explorer) add(n Network, model *network.Model) (err error) {
	count := samples
	if n.Card.Config.Posterior.Mode == nbbnn.Deterministic {
		count = 1
	}
	n.predictor, err = model.NewPredictor(1, count, 0)
	e.Networks = append(e.Networks, n)
	return err
}

// Answers returns the image of a question, clean and corrupted, and each network's predictions for
// both.
func (e *Explorer) Answers(ctx context.Context, q Question) (viz.Answers, error) {
	if q.Image < 0 || q.Image >= e.Images.Count() {
		return viz.Answers{}, fmt.Errorf("explorer: image %d: there are %d, from 0", q.Image,
			e.Images.Count())
	}
	clean := e.Images.Slice(q.Image, q.Image+1)
	answers := viz.Answers{
		Classes: e.Classes, Truth: int(clean.Labels[0]),
		Height: clean.Height, Width: clean.Width, Clean: clean.Pixels,
	}
	before, err := e.ask(ctx, q.Network, clean)
	if err != nil || q.Severity == 0 {
		answers.By = before
		return answers, err
	}
	corrupted, err := corruptImage(ctx, clean, q)
	if err != nil {
		return answers, err
	}
	answers.Changed, answers.Change = corrupted.Pixels, q.title()
	answers.By, err = e.ask(ctx, q.Network, corrupted)
	for i := range answers.By {
		answers.By[i].Before = before[i].Probabilities
	}
	return answers, err
}

// corruptImage returns an image under the corruption of a question.
func corruptImage(ctx context.Context, image dataset.Images, q Question) (dataset.Images, error) {
	if err := check.Known("corruption", q.Corruption, Corruptions()...); err != nil {
		return image, fmt.Errorf("explorer: %w", err)
	}
	size := corrupt.Size{Height: image.Height, Width: image.Width}
	pixels, err := corrupt.Apply(ctx, corrupt.Config{Corruption: q.Corruption,
		Severity: q.Severity}, size, image.Pixels)
	image.Pixels = pixels
	return image, err
}

// ask returns the prediction of a named network, or of each for "", for one image.
func (e *Explorer) ask(ctx context.Context, name string,
	image dataset.Images) (answers []viz.Answer,
	err error) {
	for _, n := range e.Networks {
		if name != "" && n.Name != name {
			continue
		}
		prediction, err := n.predictor.Predict(ctx, image)
		if err != nil {
			return nil, err
		}
		answers = append(answers, viz.Answer{Name: n.Name,
			Probabilities: prediction.MeanProbabilities(0)})
	}
	if answers == nil {
		return nil, fmt.Errorf("explorer: no network %q: name one of explorer.Networks", name)
	}
	return answers, nil
}
