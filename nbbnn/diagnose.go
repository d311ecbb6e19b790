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

// rateAdvice says what to lower when training broke in a place, which names a parameter or layer or
// is "".
func (c Config) rateAdvice(place string) string {
	t := c.Training
	posterior := strings.Contains(place, posteriorPrefix) || t.PosteriorLearningRate > largePosteriorRate || c.Objective.Gamma > largeGamma
	if c.Posterior.Mode == Deterministic || !posterior {
		return fmt.Sprintf("try a lower learning rate (now %g)", t.LearningRate)
	}
	return fmt.Sprintf("try a lower learning rate of the posterior (now %g; compressing the schedule raises it) or a lower gamma (now %g)",
		t.PosteriorLearningRate, c.Objective.Gamma)
}
