package paper

import (
	"context"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// crossTest holds the scores of one network on images with implicit corruptions: its own and the
// other methods' of the same seed. By metric: NLL in nats, Error 0 to 1, and ScaledNLL with the
// temperature of the run's test under corruption, if it has one.
type crossTest map[string]crossScores

type crossScores struct {
	Clean float64 `json:"clean"` // on the images without corruption
	// by the source of the corruptions, one value for each lambda
	By map[string][]float64 `json:"by"`
}

// crossMeasurement searches the implicit corruptions of each run and tests the run on all methods'
// corruptions, if there are several.
type crossMeasurement struct{ implicitMeasurement }

// kept returns the place of a run's cross-test, which depends on the other runs of the same seed
// and on the temperature of the run's tests.
func (m crossMeasurement) kept(s Setup, run *nbbnn.Run) kept {
	others := map[string]string{}
	for _, method := range s.Methods {
		others[method.Name] = s.config(method, run.Config().Seed).WithDefaults().RunName()
	}
	settings := s.filledImplicit()
	return kept{"cross", "test", []any{others, settings, settings.First, settings.Images,
		s.Evaluation.Samples, m.temperature(s, run), len(noiseFrees)}}
}

// temperature returns the temperature of one of the run's tests under corruption; 0 if it has none.
// The test has as many samples, and all images of the cross-test, so the temperature was fitted to
// none of them.
func (crossMeasurement) temperature(s Setup, run *nbbnn.Run) float64 {
	card, err := run.Card()
	if err != nil {
		return 0
	}
	settings := s.filledImplicit()
	for _, e := range card.Evaluations() {
		plain := e.Part == nbbnn.TestPart && e.IsPlain() && e.Samples == s.Evaluation.Samples
		if plain && e.Temperature > 0 &&
			(e.Images == 0 || e.Images >= settings.First+settings.Images) {
			return e.Temperature
		}
	}
	return 0
}

func (m crossMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return m.implicitMeasurement.done(s, run) && (len(s.Methods) < 2 || m.kept(s, run).isKept(run))
}

func (m crossMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	tested := nbbnn.Evaluation{Images: settings.Images, Samples: s.Evaluation.Samples}
	cells := 1 + len(noiseFrees)*len(s.Methods)*settings.Draws*len(settings.Lambda)
	return m.implicitMeasurement.operations(s, config) + estimate.Test(config, tested, cells)
}

func (m crossMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) (err error) {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil ||
		len(r.Setup.Methods) < 2 {
		return err
	}
	tested := &r.Runs[run]
	tested.cross, err = keptOr(tested.Run.Run, m.kept(r.Setup, tested.Run.Run),
		func() (crossTest, error) {
			return m.crossTest(ctx, r, *tested, progress)
		})
	return err
}

// crossTest predicts the clean images and all of their corruptions.
func (m crossMeasurement) crossTest(ctx context.Context, r *Result, tested RunResult,
	progress nbbnn.Progress) (crossTest, error) {
	settings := r.Setup.filledImplicit()
	data, err := r.Setup.testImages(ctx, settings.First+settings.Images)
	if err != nil {
		return nil, err
	}
	images := data.Test.Slice(settings.First, settings.First+settings.Images)
	temperature := m.temperature(r.Setup, tested.Run.Run)
	cellOf := func(prediction score.Prediction, err error) (score.Cell, error) {
		if err != nil {
			return score.Cell{}, err
		}
		cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, images.Labels)
		if err != nil || temperature == 0 {
			return cell, err
		}
		cell.Temperature = temperature
		return prediction.Scaled(cell, images.Labels)
	}
	clean, err := cellOf(tested.PredictImages(ctx, images, r.Setup.Evaluation.Samples))
	if err != nil {
		return nil, err
	}
	test := newCrossTest(clean)
	for _, other := range r.Runs {
		if other.Seed != tested.Seed {
			continue
		}
		for _, n := range noiseFrees {
			corruptions, err := other.ImplicitCorruptions(ctx, n.settings(r.Setup), progress)
			if err != nil {
				return nil, err
			}
			for i, lambda := range settings.Lambda {
				for _, pixels := range byDraw(corruptions, lambda) {
					cell, err := cellOf(tested.PredictValues(ctx, pixels, images.Height,
						images.Width, r.Setup.Evaluation.Samples))
					if err != nil {
						return nil, err
					}
					test.add(n.source(other.Method), i, cell, settings.Draws)
				}
			}
		}
	}
	return test, nil
}

// source names a method's corruptions that were found with the network.
func (n noiseFree) source(method string) string {
	if n == expected {
		return method
	}
	return method + ", " + n.name
}

// newCrossTest has the scores of the clean images.
func newCrossTest(clean score.Cell) crossTest {
	test := crossTest{}
	for _, name := range []string{NLL, Error, ScaledNLL} {
		if name != ScaledNLL || clean.Temperature > 0 {
			test[name] = crossScores{metricOf(name).Value(clean), map[string][]float64{}}
		}
	}
	return test
}

// add adds the scores of one of some draws to the means of a source and of the lambda at a place.
func (t crossTest) add(source string, place int, cell score.Cell, draws int) {
	for name, scores := range t {
		if place == len(scores.By[source]) {
			scores.By[source] = append(scores.By[source], 0)
		}
		scores.By[source][place] += metricOf(name).Value(cell) / float64(draws)
	}
}

// byDraw returns the corrupted images of one lambda, all images of a draw together.
func byDraw(corruptions []implicit.Corruption, lambda float64) (draws [][]float32) {
	for _, c := range corruptions { // by image, then by draw
		if c.Lambda != lambda {
			continue
		}
		if c.Draw == len(draws) {
			draws = append(draws, nil)
		}
		draws[c.Draw] = append(draws[c.Draw], c.Corrupted()...)
	}
	return draws
}

// crossPicture draws a row for each network on its own corruptions and on the others': what they
// cost in NLL, on average over the lambdas.
func crossPicture(r *Result) (*viz.Figure, error) {
	p := viz.DifferencePlot{Quantity: "cost in NLL, mean over λ (nats)",
		Caption: "dots: seeds; bars: 95 % intervals"}
	own, foreign := crossCurves(r, expected)
	for _, c := range slices.SortedStableFunc(slices.Values(slices.Concat(own, foreign)),
		func(a, b crossCurve) int { return strings.Compare(a.method, b.method) }) {
		if c.by == "" {
			continue
		}
		row := c.meanCost(r, NLL).drawn()
		if len(r.measured(ScaledNLL)) > 0 {
			row.Scaled = &viz.Difference{Mean: c.meanCost(r, ScaledNLL).Mean}
		}
		if theirs := c.published(r); theirs != nil {
			clean := crossCurve{c.method, ""}.published(r)
			row.Paper = new(stat.Mean(theirs, nil) - stat.Mean(clean, nil))
		}
		p.Differences = append(p.Differences, row)
	}
	return viz.Differences(p)
}

// meanCost returns the cost of a line on average over the lambdas.
func (c crossCurve) meanCost(r *Result, metric string) Effect {
	var each []float64
	for _, costs := range c.cost(r, metricOf(metric)) {
		each = append(each, stat.Mean(costs, nil))
	}
	return newEffect(c.name(), "nats", aboveZero, each)
}
