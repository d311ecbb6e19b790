package nbbnn

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// explainLoss returns the error of a call of the stepper whose loss isn't finite. It names the
// first place in the forward pass that isn't finite, which it finds by repeating the steps since
// the checkpoint one by one.
func (t *trainer) explainLoss(ctx context.Context, broken network.NotFiniteError) error {
	kept := "nothing was saved yet"
	if exists(t.run.checkpointPath()) {
		kept = fmt.Sprintf("the checkpoint of epoch %d is kept", t.saved)
	}
	place, at := "", broken.Position
	if found, position, err := t.findNotFinite(ctx, broken); err == nil && found != "" {
		place, at = ", first in "+found, position
	}
	return worded{fmt.Sprintf("nbbnn: the loss is %v at epoch %d, step %d%s: %s; %s",
		broken.Losses.NLL, at.Epoch+1, at.Step+1, place, kept, t.run.config.rateAdvice(place)), broken}
}

// findNotFinite repeats the training from the checkpoint, or from the beginning without one.
func (t *trainer) findNotFinite(ctx context.Context, broken network.NotFiniteError) (place string, at network.Position, err error) {
	if exists(t.run.checkpointPath()) {
		_, err = t.loadCheckpoint()
	} else {
		err = t.stepper.Restart()
	}
	if err != nil {
		return "", at, err
	}
	return t.stepper.FindNotFinite(ctx, broken.Position, broken.Losses.Steps)
}

// posteriorPrefix begins the names of the posterior's tensors.
const posteriorPrefix = "phi."

// Above these values, far above the published ones, the posterior is suspected before the weights
// are.
const (
	largePosteriorRate = 1
	largeGamma         = 1000
)

// unusual names a setting far above or below the usual ones, which is suspected first; "" if there
// is none.
func (c Config) unusual() string {
	for _, s := range []struct {
		flag               string
		value, least, most float64 // 0 isn't set
	}{
		{"rho", c.Method.Rho, 0, 10}, {"damp-std", c.Method.Std, 0, 10}, {"swag-rate", c.Method.Rate, 0, 1},
		{"temperature", c.Method.Temperature, 0, 100},
		{"init-std", c.Posterior.InitStd, 1e-4, 10}, {"prior-std", c.Posterior.PriorStd, 1e-4, 10},
	} {
		if s.value > s.most {
			return fmt.Sprintf("try a lower --%s (now %g)", s.flag, s.value)
		}
		if s.value != 0 && s.value < s.least {
			return fmt.Sprintf("try a higher --%s (now %g)", s.flag, s.value)
		}
	}
	return ""
}

// rateAdvice says what to lower when training broke in a place, which names a parameter or layer or
// is "".
func (c Config) rateAdvice(place string) string {
	if cause := c.unusual(); cause != "" {
		return cause
	}
	t := c.Training
	posterior := strings.Contains(place, posteriorPrefix) || t.PosteriorLearningRate > largePosteriorRate || c.Objective.Gamma > largeGamma
	if c.Posterior.Mode == Deterministic || !posterior {
		return fmt.Sprintf("try a lower learning rate (now %g)", t.LearningRate)
	}
	return fmt.Sprintf("try a lower learning rate of the posterior (now %g; compressing the schedule raises it) or a lower gamma (now %g)",
		t.PosteriorLearningRate, c.Objective.Gamma)
}
