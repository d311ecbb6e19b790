package network

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset/augment"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/engine"
)

// maxComponents is the most components of a posterior: with more, the distances between all pairs
// no longer fit in memory.
const maxComponents = 256

// Limits far beyond what a computer can hold, below which no count of bytes overflows.
const (
	maxWidth = 1 << 16
	maxBatch = 1 << 24
)

// Validate returns an error that names the first value that no network can have, and the cure.
// Zeros that mean a default are valid.
func (s Settings) Validate() error {
	s = s.WithDefaults()
	return check.First(
		s.Network.validate(),
		s.Posterior.validate(),
		s.Objective.validate(),
		s.Training.validate(),
		s.validateFrozen(), // before validateTwin, whose cure leaves nothing to train
		s.validateTwin(),
		check.BelowOne("probability of dropout", s.Dropout),
		s.Pixels.Validate(),
	)
}

// validateFrozen checks that something is trained.
func (s Settings) validateFrozen() error {
	if s.FrozenWeights && s.Posterior.Mode == Deterministic {
		return fmt.Errorf("nbbnn: mode %q has no latents to train with frozen weights: "+
			"give mode %q, %q or %q", Deterministic, Output, Input, Both)
	}
	return nil
}

func (n Network) validate() error {
	return check.First(
		n.validateName(),
		check.Known("form", n.Form, Published, Narrow),
		check.Known("precision", n.Precision, float32Precision, BFloat16),
		n.validateForm(),
		check.AtLeastOne("network width", n.Width),
		check.AtMost("network width", n.Width, maxWidth),
		n.validateFingerprint(),
	)
}

// validateForm checks that only the network that has a second form gets it.
func (n Network) validateForm() error {
	if n.Form == Narrow && n.Name != defaultNetwork {
		return fmt.Errorf("nbbnn: %s has no form %q: leave the form out; only %s has one",
			n.Name, n.Form, defaultNetwork)
	}
	return nil
}

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
		check.Known("divergence", o.Divergence, "", ComponentDivergence),
		check.Known("extra entropy", o.ExtraEntropy, "", MeanComponentEntropy, SumComponentEntropy),
	)
}

func (t Training) validate() error {
	return check.First(
		check.AtLeastOne("number of epochs", t.Epochs),
		check.AtLeastOne("batch size", t.Batch),
		check.AtMost("batch size", t.Batch, maxBatch),
		check.AtLeastOne("number of samples", t.Samples),
		check.AtMost("number of samples", t.Samples, check.MostSamples),
		check.Positive("learning rate", t.LearningRate),
		check.Positive("posterior learning rate", t.PosteriorLearningRate),
		check.BelowOne("momentum", t.Momentum),
		check.BelowOne("weight decay", t.WeightDecay),
		check.NotNegative("number of annealing epochs", float64(t.BetaEpochs)),
		check.Exclusive("momentum", t.Momentum, t.NoMomentum),
		check.Exclusive("weight decay", t.WeightDecay, t.NoWeightDecay),
		check.Exclusive("number of annealing epochs", float64(t.BetaEpochs), t.NoAnnealing),
		check.Known("augmentation", t.Augmentation, "", augment.Name),
		t.validateAugmentation(),
	)
}

// validateAugmentation checks that augmentation isn't asked for and switched off.
func (t Training) validateAugmentation() error {
	if t.NoAugmentation && t.Augmentation != "" {
		return fmt.Errorf("nbbnn: augmentation is %q, and no_augmentation (--no-augmentation) switches it off: "+
			"set no_augmentation to false, or leave augmentation out",
			t.Augmentation)
	}
	return nil
}

// validateTwin checks that a network without latents isn't asked for what only latents have.
func (s Settings) validateTwin() error {
	if s.Posterior.Mode != Deterministic {
		if s.Dropout != 0 {
			return fmt.Errorf("nbbnn: dropout %g is for networks without latents: give mode %q",
				s.Dropout, Deterministic)
		}
		return nil
	}
	if s.Posterior.Components != 1 || s.Objective.Gamma != 0 {
		return fmt.Errorf("nbbnn: mode %q has no latents, "+
			"but %d components and gamma %g are asked for: give 1 component and gamma 0, or another mode",
			Deterministic, s.Posterior.Components, s.Objective.Gamma)
	}
	return nil
}

// check returns an error if an engine can't compute in the precision.
func (p Precision) check(e *engine.Engine) error {
	if p != float32Precision && !e.IsXLA() {
		return fmt.Errorf("nbbnn: precision %s needs an XLA engine, and this is %s: "+
			"leave the precision out, or set GOMLX_BACKEND=xla:cuda",
			p, e.Name)
	}
	return nil
}
