package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Predict returns what a trained run says about the images of one cell of an evaluation, with their labels: of the clean ones
// for severity 0 and Clean, or of those under a corruption at a severity of 1 to 5. It's for what the cells don't hold, such
// as risk and coverage; nothing is kept.
func (r *Run) Predict(ctx context.Context, evaluation Evaluation, corruption string, severity int) (score.Prediction, []uint8, error) {
	evaluation = r.fillEvaluation(evaluation)
	if err := evaluation.Validate(r.config.Posterior.Components); err != nil {
		return score.Prediction{}, nil, err
	}
	if err := checkSpot(corruption, severity); err != nil {
		return score.Prediction{}, nil, err
	}
	e, err := newEvaluator(r.directory, r.config.RunName(), evaluation)
	if err != nil {
		return score.Prediction{}, nil, err
	}
	if err := e.openRun(ctx, r, evaluation.Samples); err != nil {
		return score.Prediction{}, nil, stopped(err)
	}
	images, err := e.corrupted(ctx, score.Condition{Corruption: corruption, Severity: severity})
	if err != nil {
		return score.Prediction{}, nil, stopped(err)
	}
	prediction, err := e.predict(ctx, images)
	return prediction, images.Labels, stopped(err)
}

func checkSpot(corruption string, severity int) error {
	if severity == 0 && corruption == score.Clean {
		return nil
	}
	if severity < 1 || severity >= score.LevelCount {
		return fmt.Errorf("nbbnn: %s has no severity %d: give 1 to 5, or 0 with %q", corruption, severity, score.Clean)
	}
	return check.Known("corruption", corruption, corrupt.Names()...)
}
