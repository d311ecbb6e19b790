package paper

import (
	"cmp"
	"context"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// componentScores compares predictions of a run at one severity, in the mean over corruptions and
// over pairs of components. Of K components, predictions that are compared for their answers have K
// passes each, and those whose likelihood counts 2 K.
type componentScores [componentScoreCount]float64

// The scores. The shares are of images to which two predictions give different answers, in percent,
// and the divergences Jensen and Shannon's between them.
const (
	oneComponent     = iota // NLL of one component, nats
	allComponents           // of all of them
	twoTrainings            // of all components of two trainings
	halvesDiffer            // share of two halves of one component's draws
	componentsDiffer        // of two components
	trainingsDiffer         // of two trainings
	halvesApart             // divergence of two halves of one component's draws, nats
	componentsApart         // of two components
	trainingsApart          // of two trainings
	componentScoreCount
)

// componentSeverities are the levels at which components are compared, on this many images at most.
var componentSeverities = []int{0, 3, 5}

const componentImages = 250

// compareComponents returns the scores of a run and another training under a suite at a severity.
func compareComponents(ctx context.Context, e nbbnn.Evaluation, run, other *nbbnn.Run, severity int) (mean componentScores, err error) {
	suite, err := corrupt.SuiteByName(e.Suite)
	if err != nil {
		return mean, err
	}
	corruptions := suite.Corruptions
	if severity == 0 {
		corruptions = []string{score.Clean}
	}
	k := run.Config().Posterior.Components
	e.Images = min(componentImages, e.Images)
	for _, corruption := range corruptions {
		e.Samples = 2 * k * k
		own, labels, err := run.Predict(ctx, e, corruption, severity)
		if err != nil {
			return mean, err
		}
		e.Samples = 2 * k
		theirs, _, err := other.Predict(ctx, e, corruption, severity)
		if err != nil {
			return mean, err
		}
		scores, err := scoreComponents(componentDraws{own, k}, componentDraws{theirs, k}, labels)
		if err != nil {
			return mean, err
		}
		for i, value := range scores {
			mean[i] += value / float64(len(corruptions))
		}
	}
	return mean, nil
}

// componentDraws is a prediction whose sample s is draw s / k of component s mod k.
type componentDraws struct {
	score.Prediction
	k int
}

// of returns the prediction of count draws, from the first on, of the components from one on.
func (c componentDraws) of(first, count, component, components int) score.Prediction {
	var samples []int
	for draw := first; draw < first+count; draw++ {
		for i := range components {
			samples = append(samples, draw*c.k+component+i)
		}
	}
	return c.Only(samples...)
}

// scoreComponents compares 2 k draws of each of k components, and two of another training.
func scoreComponents(own, other componentDraws, labels []uint8) (s componentScores, err error) {
	k := own.k
	nll := func(into int, share float64, predictions ...score.Prediction) {
		joined, failed := score.JoinPredictions(predictions...)
		if failed == nil {
			var cell score.Cell
			cell, failed = joined.Cell(score.Condition{}, labels)
			s[into] += share * cell.NLL
		}
		err = cmp.Or(err, failed)
	}
	apart := func(into int, share float64, a, b score.Prediction) {
		differing, divergence, failed := score.Disagreement(a, b)
		s[into] += share * 100 * differing
		s[into+halvesApart-halvesDiffer] += share * divergence
		err = cmp.Or(err, failed)
	}
	for i := range k {
		each := 1 / float64(k)
		nll(oneComponent, each, own.of(0, 2*k, i, 1))
		nll(allComponents, each, own.of(2*i, 2, 0, k)) // k disjoint groups of draws
		apart(halvesDiffer, each, own.of(0, k, i, 1), own.of(k, k, i, 1))
		for j := range k {
			if j != i {
				apart(componentsDiffer, each/float64(k-1), own.of(0, k, i, 1), own.of(k, k, j, 1))
			}
		}
	}
	for draw := range 2 {
		nll(twoTrainings, 0.5, own.of(draw, 1, 0, k), other.of(draw, 1, 0, k))
		apart(trainingsDiffer, 0.5, own.of(draw, 1, 0, k), other.of(draw, 1, 0, k))
	}
	return s, err
}
