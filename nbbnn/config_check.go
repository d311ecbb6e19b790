package nbbnn

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/nearest"
)

// Validate returns an error that names the first value that no run can have, and the cure. Zeros that mean a default are
// valid.
func (c Config) Validate() error {
	c = c.WithDefaults()
	if err := firstError(
		c.Network.validate(),
		c.Data.validate(),
		c.Posterior.validate(),
		c.Objective.validate(),
		c.Training.validate(),
	); err != nil {
		return err
	}
	return firstError(fullBatch(c), noLatents(c), fittingImages(c))
}

// fittingImages checks that the network can take the images of the data set, whose size is known before it's there.
func fittingImages(c Config) error {
	size := dataSizeOf(c.Data)
	return newArchitecture(c.Network, size.Classes).checkSide(c.Network.Name, size.Side, size.Side)
}

func (n Network) validate() error {
	return firstError(
		known("network", n.Name, Networks()...),
		known("form", n.Form, Published, Narrow),
		known("precision", n.Precision, Float32, BFloat16),
		n.validateForm(),
		atLeastOne("network width", n.Width),
	)
}

// validateForm checks that only the network that has a second form gets it.
func (n Network) validateForm() error {
	if n.Form == Narrow && n.Name != defaultNetwork {
		return fmt.Errorf("nbbnn: %s has no form %q: leave the form out; only %s has one", n.Name, n.Form, defaultNetwork)
	}
	return nil
}

func (d Data) validate() error {
	return firstError(
		known("data set", d.Name, dataset.Names()...),
		notNegative("number of training images", float64(d.Train)),
		notNegative("number of test images", float64(d.Test)),
		notNegative("number of validation images", float64(d.Validation)),
		upToOne("share of noisy labels", d.LabelNoise),
		known("form of label noise", d.NoiseForm, WrongLabels, RandomLabels),
	)
}

// maxComponents is the most components of a posterior: with more, the distances between all pairs of them no longer fit in memory.
const maxComponents = 256

func (p Posterior) validate() error {
	return firstError(
		atLeastOne("number of components", p.Components),
		atMost("number of components", p.Components, maxComponents),
		known("mode", p.Mode, Output, Input, Both, Deterministic),
		positive("initial standard deviation", p.InitStd),
		positive("prior standard deviation", p.PriorStd),
	)
}

func (o Objective) validate() error {
	if !(o.Gamma >= -1) || math.IsInf(o.Gamma, 0) {
		return fmt.Errorf("nbbnn: gamma is %g: give a number from -1, which removes the entropy", o.Gamma)
	}
	return firstError(
		known("bound", o.Bound, ReferenceBound, ExactBound),
		known("scope", o.Scope, LayerScope, JointScope),
		known("divergence", o.Divergence, MixtureDivergence, ComponentDivergence),
		known("extra entropy", o.ExtraEntropy, MixtureEntropy, MeanComponentEntropy, SumComponentEntropy),
	)
}

func (t Training) validate() error {
	return firstError(
		atLeastOne("number of epochs", t.Epochs),
		atLeastOne("batch size", t.Batch),
		atLeastOne("number of samples", t.Samples),
		positive("learning rate", t.LearningRate),
		positive("posterior learning rate", t.PosteriorLearningRate),
		belowOne("momentum", t.Momentum),
		belowOne("weight decay", t.WeightDecay),
		notNegative("number of annealing epochs", float64(t.BetaEpochs)),
		exclusive("momentum", t.Momentum, t.NoMomentum),
		exclusive("weight decay", t.WeightDecay, t.NoWeightDecay),
		exclusive("number of annealing epochs", float64(t.BetaEpochs), t.NoAnnealing),
	)
}

// fullBatch checks that an epoch has at least one step.
func fullBatch(c Config) error {
	train, cure := dataSizeOf(c.Data).Train-c.Data.Validation, "choose a smaller batch or more images"
	if c.Data.Validation > 0 {
		cure += fmt.Sprintf(", or hold out fewer than %d", c.Data.Validation)
	}
	if train < c.Training.Batch {
		return fmt.Errorf("nbbnn: %d training images make no batch of %d: %s", max(0, train), c.Training.Batch, cure)
	}
	return nil
}

// noLatents checks that a network without latents isn't asked for what only latents have.
func noLatents(c Config) error {
	if c.Posterior.Mode != Deterministic {
		return nil
	}
	if c.Posterior.Components != 1 || c.Objective.Gamma != 0 {
		return fmt.Errorf("nbbnn: mode %q has no latents, but %d components and gamma %g are asked for: give 1 and 0, or another mode",
			Deterministic, c.Posterior.Components, c.Objective.Gamma)
	}
	return nil
}

func known[T ~string](what string, got T, names ...T) error {
	words := make([]string, len(names))
	for i, name := range names {
		if got == name {
			return nil
		}
		words[i] = cmp.Or(string(name), `"" (the default)`)
	}
	return fmt.Errorf("nbbnn: unknown %s %q%s: choose %s", what, got, nearest.Hint(string(got), words), strings.Join(words, ", "))
}

func atLeastOne(what string, got int) error {
	if got < 1 {
		return fmt.Errorf("nbbnn: %s is %d: give 1 or more, or 0 for the default", what, got)
	}
	return nil
}

func atMost(what string, got, most int) error {
	if got > most {
		return fmt.Errorf("nbbnn: %s is %d: give %d or less", what, got, most)
	}
	return nil
}

func positive(what string, got float64) error {
	if !(got > 0) || math.IsInf(got, 0) {
		return fmt.Errorf("nbbnn: %s is %g: give a positive number, or 0 for the default", what, got)
	}
	return nil
}

func notNegative(what string, got float64) error {
	if got < 0 {
		return fmt.Errorf("nbbnn: %s is %g: give a number that isn't negative", what, got)
	}
	return nil
}

func upToOne(what string, got float64) error {
	if !(got >= 0 && got <= 1) {
		return fmt.Errorf("nbbnn: %s is %g: give a number from 0 to 1", what, got)
	}
	return nil
}

func belowOne(what string, got float64) error {
	if !(got >= 0 && got < 1) {
		return fmt.Errorf("nbbnn: %s is %g: give a number above 0 and below 1, or 0 for the default", what, got)
	}
	return nil
}

// exclusive checks that a value isn't given together with the field that switches it off.
func exclusive(what string, got float64, off bool) error {
	if off && got != 0 {
		return fmt.Errorf("nbbnn: %s is %g and switched off at the same time: leave one of the two out", what, got)
	}
	return nil
}

// firstError returns the first error that isn't nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
