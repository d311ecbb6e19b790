package paper

import (
	"context"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Answer is the likeliest class of an image under the mean predictive, with its probability.
type Answer struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	Right       bool    `json:"right"`
}

// String is such as "horse 98 %", with a question mark after a wrong class.
func (a Answer) String() string {
	mark := ""
	if !a.Right {
		mark = "?"
	}
	return fmt.Sprintf("%s%s %.0f %%", a.Class, mark, 100*a.Probability)
}

// answeredMeasurement is implicitMeasurement with the answers to the first image, clean and with
// the corruptions of its first draw.
type answeredMeasurement struct{ implicitMeasurement }

// kept is where the answers of a run are kept.
func (answeredMeasurement) kept(s Setup) kept {
	settings := s.filledImplicit()
	return kept{"implicit", "answers", []any{settings, settings.First, s.Evaluation.Samples}}
}

func (m answeredMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	left := stoppedDescent(s.Implicit).WithDefaults(config.Posterior.Components)
	return m.implicitMeasurement.operations(s, config) + implicitOperations(config, left)
}

func (m answeredMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return m.kept(s).isKept(run) && m.implicitMeasurement.done(s, run) && run.HasImplicitCorruptions(stoppedDescent(s.Implicit))
}

func (m answeredMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) (err error) {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	measured := &r.Runs[run]
	if measured.Stopped, err = measured.ImplicitCorruptions(ctx, stoppedDescent(r.Setup.Implicit), progress); err != nil {
		return err
	}
	measured.Answers, err = keptOr(measured.Run.Run, m.kept(r.Setup), func() ([]Answer, error) { return answersTo(ctx, r.Setup, *measured) })
	return err
}

// answersTo predicts the first image and the corruptions of its first draw. All of them are
// predicted by the same draws of the latents.
func answersTo(ctx context.Context, s Setup, run RunResult) (answers []Answer, err error) {
	data, err := s.testImages(ctx, s.Implicit.First+1)
	if err != nil {
		return nil, err
	}
	shown := run.Implicit[:len(s.filledImplicit().Lambda)]
	images := [][]float32{implicit.Corruption{
		Clean: shown[0].Clean, Change: make([]float32, len(shown[0].Change)),
	}.Corrupted()}
	for _, c := range shown {
		images = append(images, c.Corrupted())
	}
	for _, image := range images { // one at a time: draws depend on the place of an image
		prediction, err := run.PredictValues(ctx, image, shown[0].Height, shown[0].Width, s.Evaluation.Samples)
		if err != nil {
			return nil, err
		}
		class, probability := likeliest(prediction.Image(0), prediction.Classes)
		right := class == int(data.Test.Labels[s.Implicit.First])
		answers = append(answers, Answer{data.Classes[class], probability, right})
	}
	return answers, nil
}

// likeliest returns the class with the largest mean probability, from log-probabilities
// [samples, classes].
func likeliest(logProbabilities []float32, classes int) (class int, probability float64) {
	for c, l := range score.MeanPredictive(float64s(logProbabilities), classes) {
		if p := math.Exp(l); p > probability {
			class, probability = c, p
		}
	}
	return class, probability
}
