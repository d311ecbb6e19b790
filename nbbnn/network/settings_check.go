package network

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/engine"
)

// Validate returns an error that names the first value that no network can have, and the cure.
// Zeros that mean a default are valid.
func (s Settings) Validate() error {
	s = s.WithDefaults()
	return cmp.Or(
		check.Ranges(s),
		s.Network.validate(),
		check.Known("mode", s.Posterior.Mode, Output, Input, Both, Deterministic),
		check.Known("law", s.Posterior.Law, "", signLaw),
		s.Objective.validate(),
		s.Training.validate(),
		s.validateFrozen(), // before validateTwin, whose cure leaves nothing to train
		s.validateTwin(),
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
	return cmp.Or(
		n.validateName(),
		check.Known("form", n.Form, Published, Narrow),
		check.Known("precision", n.Precision, float32Precision, "float32", bfloat16),
		n.validateForm(),
		n.Undefined(),
		n.Architecture(1).problem, // for example latents of layers that it lacks
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

func (o Objective) validate() error {
	return cmp.Or(
		check.Known("bound", o.Bound, ReferenceBound, ExactBound),
		check.Known("scope", o.Scope, layerScope, jointScope),
		check.Known("divergence", o.Divergence, "", componentDivergence),
		check.Known("extra entropy", o.ExtraEntropy, "", meanComponentEntropy, sumComponentEntropy),
	)
}

func (t Training) validate() error {
	return cmp.Or(
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
		return fmt.Errorf("nbbnn: augmentation is %q, and no_augmentation (--no-augmentation) "+
			"switches it off: set no_augmentation to false, or leave augmentation out",
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
	if s.Network.Latents != "" {
		return fmt.Errorf("nbbnn: mode %q has no latents, but layers for them are chosen, %s: "+
			"leave those out, or give another mode",
			Deterministic, s.Network.Latents)
	}
	if s.Posterior.Components != 1 || s.Objective.Gamma != 0 {
		return fmt.Errorf("nbbnn: mode %q has no latents, but %d components and gamma %g are "+
			"asked for: give 1 component and gamma 0, or another mode",
			Deterministic, s.Posterior.Components, s.Objective.Gamma)
	}
	return nil
}

// checkPrecision returns an error if an engine can't compute in a precision.
func checkPrecision(p string, e *engine.Engine) error {
	if p != float32Precision && !e.IsXLA() {
		return fmt.Errorf("nbbnn: precision %s needs an XLA engine, and this is %s: "+
			"leave the precision out, or set GOMLX_BACKEND=xla:cuda",
			p, e.Name)
	}
	return nil
}
