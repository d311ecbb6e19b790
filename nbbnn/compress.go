package nbbnn

import (
	"fmt"
	"math"
)

// Compress returns the configuration with its schedule squeezed into so many epochs: the ramp of beta keeps its share of
// them, and the learning rate of the posterior grows by the factor by which the training shrinks, so that the posterior
// still travels as far (METHOD.md 4.1). The learning rate of the weights follows the epochs by itself.
func (c Config) Compress(epochs int) (Config, error) {
	if epochs < 1 {
		return c, fmt.Errorf("nbbnn: a training can't be compressed to %d epochs: give 1 or more", epochs)
	}
	c.Training = c.WithDefaults().Training
	share := float64(epochs) / float64(c.Training.Epochs)
	c.Training.Epochs = epochs
	c.Training.PosteriorLearningRate /= share
	if !c.Training.NoAnnealing {
		c.Training.BetaEpochs = max(1, int(math.Round(share*float64(c.Training.BetaEpochs))))
	}
	return c, nil
}
