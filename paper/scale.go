package paper

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
)

// Scale says how much of a figure's experiment is done.
type Scale string

// The scales. All of them run the same code.
const (
	Smoke Scale = "smoke" // Shapes10 (bright) and narrow networks: a minute or two on any laptop; it judges no claim
	Desk  Scale = "desk"  // all images, augmented, at a quarter of the width: hours on two cores
	Paper Scale = "paper" // everything as in the paper: days on a GPU
)

// Scales returns all scales, the smallest first.
func Scales() []Scale { return []Scale{Smoke, Desk, Paper} }

// ParseScale returns the scale with the given name.
func ParseScale(name string) (Scale, error) {
	if name == "laptop" {
		return "", errors.New(`paper: the scale "laptop" was replaced by "desk", which trains on all images: choose desk (hours in the background) or smoke (a minute)`)
	}
	var names []string
	for _, scale := range Scales() {
		if string(scale) == name {
			return scale, nil
		}
		names = append(names, string(scale))
	}
	return "", fmt.Errorf("paper: unknown scale %q%s: the scales are %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// judges reports whether claims are decided at the scale. The smoke scale was chosen among others
// by looking at its figures, so it only shows what they look like.
func (s Scale) judges() bool { return s != Smoke }

// hasLongRuns reports whether a run takes so long that each seed is finished before the next
// begins.
func (s Scale) hasLongRuns() bool { return s != Smoke }

// compressed returns the learning rate of the posterior that lets it travel as far in the steps of
// a configuration as in those of the published one: rate x steps is kept (METHOD.md 4.1), with
// three significant digits.
func compressed(config, published nbbnn.Config) float64 {
	rate := published.Training.PosteriorLearningRate * float64(steps(published)) / float64(steps(config))
	digits := math.Pow(10, 2-math.Floor(math.Log10(rate)))
	return math.Round(rate*digits) / digits
}

// steps returns the training steps of a configuration. The last, partial batch of an epoch is
// dropped.
func steps(config nbbnn.Config) int {
	config = config.WithDefaults()
	return config.Training.Epochs * ((dataSize(config).Train - config.Data.Validation) / config.Training.Batch)
}
