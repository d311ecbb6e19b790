package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// components asks whether the K components of a posterior are more than one model, as arXiv
// 2601.16936 asks of the members of a BatchEnsemble. Everything is compared at equal passes, and
// two trainings are the measure of two models.
var components = Figure{
	Key: "components",
	Title: "The components of a posterior, compared with the draws of one of them and with two " +
		"trainings",
	headline: headline{
		Shows:    "NLL and answers of the components of a posterior",
		Claimed:  "Four components predict better than one at equal passes",
		Opposite: "Four components predict worse than one at equal passes",
		Between:  "in NLL under corruption between four components and one at equal passes",
	},
	Runs:    componentsRuns,
	collect: componentMeasurement{},
	draw:    drawComponents,
	claims: []claim{
		componentClaim("four components have a lower NLL under corruption than one at equal passes",
			"four - one, nats", belowZero, allComponents, oneComponent).asPrimary(0),
		componentClaim("two components answer differently more often than halves of one's draws",
			"two components - halves of one, points", aboveZero, componentsDiffer, halvesDiffer),
		componentClaim("two components answer differently less often than two trainings",
			"two components - two trainings, points", belowZero, componentsDiffer,
			trainingsDiffer).sharing(),
		componentClaim("two trainings have a lower NLL under corruption than four components at "+
			"equal passes", "two trainings - four components, nats", belowZero, twoTrainings,
			allComponents).sharing(),
	},
}

// componentsRuns has no entropy, and the gamma / K that validation images choose in Figure 6, whose
// runs it shares.
func componentsRuns(scale Scale) Setup {
	setup := sweepRuns(scale, nbbnn.Paper("vgg16", dataset.CIFAR100))
	setup.Methods = withGammas(4, 0, 32)
	return setup
}

// componentMeasurement tests each run as tests does, and compares its components. The other
// training is the method's next seed.
type componentMeasurement struct{ tests }

// kept returns the place of a run's comparison, which depends on the other training.
func (componentMeasurement) kept(s Setup, run *nbbnn.Run) kept {
	config := run.Config()
	config.Seed = nextSeed(s.Seeds, config.Seed)
	return kept{"components", "scores", []any{config.RunName(), s.evaluation(run.Config().Seed),
		componentSeverities, componentImages}}
}

// nextSeed returns the seed after another one, and the first after the last.
func nextSeed(seeds []uint64, seed uint64) uint64 {
	return seeds[(slices.Index(seeds, seed)+1)%len(seeds)]
}

func (m componentMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return m.tests.done(s, run) && m.kept(s, run).isKept(run)
}

func (m componentMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	k, tested := config.Posterior.Components, s.Evaluation
	tested.Samples, tested.Images = 2*k*(k+1), componentImages
	return m.tests.operations(s, config) + estimate.Test(config, tested, 17)
}

func (m componentMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) (err error) {
	if err := m.tests.measure(ctx, r, run, progress); err != nil {
		return err
	}
	result := &r.Runs[run]
	other := slices.IndexFunc(r.Runs, func(o RunResult) bool {
		return o.Method == result.Method && o.Seed == nextSeed(r.Setup.Seeds, result.Seed)
	})
	result.Components, err = keptOr(result.Run.Run, m.kept(r.Setup, result.Run.Run),
		func() (all []componentScores, err error) {
			for _, severity := range componentSeverities {
				scores, err := compareComponents(ctx, r.Setup.evaluation(result.Seed),
					result.Run.Run,
					r.Runs[other].Run.Run, severity)
				if err != nil {
					return nil, err
				}
				all = append(all, scores)
			}
			return all, nil
		})
	return err
}

// corruptedScores returns for each run of a method the mean of a score over the corrupted levels.
func corruptedScores(r *Result, method string, of int) (values []float64) {
	for _, run := range r.of(method) {
		sum := 0.0
		for _, scores := range run.Components[1:] {
			sum += scores[of]
		}
		values = append(values, sum/float64(len(run.Components)-1))
	}
	return values
}

// componentClaim compares two scores under corruption, in the mean over the methods. The name ends
// with the unit.
func componentClaim(text, name string, side direction, first, second int) claim {
	name, unit, _ := strings.Cut(name, ", ")
	var ofMethods contrast = func(r *Result) (effects []Effect) {
		for _, method := range r.methodNames() {
			values := differences(corruptedScores(r, method, first),
				corruptedScores(r, method, second))
			effects = append(effects, newEffect(method, unit, side, values))
		}
		return effects
	}
	return weAsk(text, ofMethods.averaged(name+", severities 3 and 5, mean over γ"))
}

// sharing widens intervals as contrast.sharing does: a seed's other training is the next seed's,
// whose own difference it is in, too.
func (c claim) sharing() claim {
	c.Effects = c.Effects.sharing()
	return c
}

// numbers has a line for each method and severity along the scores.
func (componentMeasurement) numbers(r *Result) numbers {
	n := numbers{at: "severity"}
	scores := []string{
		"NLL of one component", "of four", "of two trainings",
		"different answers of halves of one, %", "of two components, %", "of two trainings, %",
		"divergence of halves of one", "divergence of two components",
		"divergence of two trainings",
	}
	for _, method := range r.methodNames() {
		for place, severity := range componentSeverities {
			l := r.line(method, method, scores, 3, r.series(method, func(run RunResult) []float64 {
				return run.Components[place][:]
			}))
			l.Curve = fmt.Sprint(severity)
			n.lines = append(n.lines, l)
		}
	}
	return n
}

// drawComponents draws for each gamma what four components and a second training change in NLL, and
// how often two predictions give different answers.
func drawComponents(r *Result) (*viz.Figure, error) {
	gains := viz.DifferencePlot{Quantity: "NLL − that of one component (nats)", Claimed: -1,
		Caption: "8 passes each; dots: seeds, bars: 95 % intervals"}
	answers := viz.DifferencePlot{Quantity: "images with different answers (%)",
		Caption: "4 passes each; dots: seeds, bars: 95 % intervals"}
	for _, method := range r.methodNames() {
		add := func(to *viz.DifferencePlot, name string, values []float64) {
			to.Differences = append(to.Differences, newEffect(method+": "+name, "", belowZero,
				values).drawn())
		}
		one := corruptedScores(r, method, oneComponent)
		add(&gains, "its four components", differences(corruptedScores(r, method, allComponents),
			one))
		add(&gains, "two trainings", differences(corruptedScores(r, method, twoTrainings), one))
		add(&answers, "halves of one", corruptedScores(r, method, halvesDiffer))
		add(&answers, "two components", corruptedScores(r, method, componentsDiffer))
		add(&answers, "two trainings", corruptedScores(r, method, trainingsDiffer))
	}
	var b board
	b.row()
	b.add(viz.Differences(gains))
	b.add(viz.Differences(answers))
	return b.arranged(sideBySide)
}

// componentScores compares predictions of a run at one severity, in the mean over corruptions and
// pairs of components. Of K components, predictions compared by their answers have K passes each,
// and predictions compared by likelihood 2 K.
type componentScores [componentScoreCount]float64

// The scores. Shares are of images to which two predictions give different answers, in percent;
// divergences are Jensen and Shannon's between the two.
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

// compareComponents returns mean scores of a run and another training over a suite's corruptions.
func compareComponents(ctx context.Context, e nbbnn.Evaluation, run, other *nbbnn.Run,
	severity int) (mean componentScores, err error) {
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
	return only(c.Prediction, samples...)
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
		differing, divergence := disagreement(a, b)
		s[into] += share * 100 * differing
		s[into+halvesApart-halvesDiffer] += share * divergence
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
