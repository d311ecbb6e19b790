package nbbnn

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
)

// Validate returns an error that names the first value that no run can have, and the cure. Zeros that mean a default are
// valid.
func (c Config) Validate() error {
	c = c.WithDefaults()
	if err := check.First(
		c.Network.validate(),
		c.Data.validate(),
		c.Posterior.validate(),
		c.Objective.validate(),
		c.Training.validate(),
	); err != nil {
		return err
	}
	return check.First(fullBatch(c), noLatents(c), fittingImages(c))
}

// fittingImages checks that the network can take the images of the data set, whose size is known before it's there.
func fittingImages(c Config) error {
	size := dataSizeOf(c.Data)
	return newArchitecture(c.Network, size.Classes).checkSide(c.Network.Name, size.Side, size.Side)
}

func (n Network) validate() error {
	return check.First(
		check.Known("network", n.Name, Networks()...),
		check.Known("form", n.Form, Published, Narrow),
		check.Known("precision", n.Precision, Float32, BFloat16),
		n.validateForm(),
		check.AtLeastOne("network width", n.Width),
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
	return check.First(
		check.Known("data set", d.Name, dataset.Names()...),
		check.NotNegative("number of training images", float64(d.Train)),
		check.NotNegative("number of test images", float64(d.Test)),
		check.NotNegative("number of validation images", float64(d.Validation)),
		check.UpToOne("share of noisy labels", d.LabelNoise),
		check.Known("form of label noise", d.NoiseForm, WrongLabels, RandomLabels),
	)
}

// maxComponents is the most components of a posterior: with more, the distances between all pairs of them no longer fit in memory.
const maxComponents = 256

func (p Posterior) validate() error {
	return check.First(
		check.AtLeastOne("number of components", p.Components),
		check.AtMost("number of components", p.Components, maxComponents),
		check.Known("mode", p.Mode, Output, Input, Both, Deterministic),
		check.Positive("initial standard deviation", p.InitStd),
		check.Positive("prior standard deviation", p.PriorStd),
	)
}

func (o Objective) validate() error {
	if !(o.Gamma >= -1) || math.IsInf(o.Gamma, 0) {
		return fmt.Errorf("nbbnn: gamma is %g: give a number from -1, which removes the entropy", o.Gamma)
	}
	return check.First(
		check.Known("bound", o.Bound, ReferenceBound, ExactBound),
		check.Known("scope", o.Scope, LayerScope, JointScope),
		check.Known("divergence", o.Divergence, MixtureDivergence, ComponentDivergence),
		check.Known("extra entropy", o.ExtraEntropy, MixtureEntropy, MeanComponentEntropy, SumComponentEntropy),
	)
}

func (t Training) validate() error {
	return check.First(
		check.AtLeastOne("number of epochs", t.Epochs),
		check.AtLeastOne("batch size", t.Batch),
		check.AtLeastOne("number of samples", t.Samples),
		check.Positive("learning rate", t.LearningRate),
		check.Positive("posterior learning rate", t.PosteriorLearningRate),
		check.BelowOne("momentum", t.Momentum),
		check.BelowOne("weight decay", t.WeightDecay),
		check.NotNegative("number of annealing epochs", float64(t.BetaEpochs)),
		check.Exclusive("momentum", t.Momentum, t.NoMomentum),
		check.Exclusive("weight decay", t.WeightDecay, t.NoWeightDecay),
		check.Exclusive("number of annealing epochs", float64(t.BetaEpochs), t.NoAnnealing),
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
