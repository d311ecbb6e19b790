package nbbnn

import (
	"cmp"

	"github.com/nbbnn/workbench/dataset"
)

// WithDefaults returns the configuration with every zero that means a default replaced by it. This filled form is what a run
// keeps and what its hash is taken of, so that leaving a field out and giving its default are the same run.
func (c Config) WithDefaults() Config {
	c.Network = c.Network.withDefaults()
	c.Data.Name = cmp.Or(c.Data.Name, dataset.Shapes10)
	published := publicationOf(c.Network.Name)
	c.Posterior = c.Posterior.withDefaults(published)
	c.Objective.Bound = cmp.Or(c.Objective.Bound, ReferenceBound)
	c.Objective.Scope = cmp.Or(c.Objective.Scope, LayerScope)
	c.Training = c.Training.withDefaults(published, c.Posterior.Mode)
	return c
}

func (n Network) withDefaults() Network {
	n.Name = cmp.Or(n.Name, defaultNetwork)
	width := publicationOf(n.Name).width
	n.Width = cmp.Or(n.Width, width)
	usual := Published
	if n.Name == defaultNetwork && n.Width != width {
		usual = Narrow
	}
	n.Form = cmp.Or(n.Form, usual)
	if n.Precision == "float32" {
		n.Precision = Float32
	}
	return n
}

func (p Posterior) withDefaults(published publication) Posterior {
	p.Components = cmp.Or(p.Components, 1)
	p.Mode = cmp.Or(p.Mode, Output)
	p.InitStd = cmp.Or(p.InitStd, published.initStd)
	p.PriorStd = cmp.Or(p.PriorStd, p.InitStd)
	return p
}

func (t Training) withDefaults(published publication, mode Mode) Training {
	t.Epochs = cmp.Or(t.Epochs, published.epochs)
	t.Batch = cmp.Or(t.Batch, published.batch)
	samples := defaultSamples
	if mode == Deterministic {
		samples = 1
	}
	t.Samples = cmp.Or(t.Samples, samples)
	t.LearningRate = cmp.Or(t.LearningRate, published.rate)
	t.PosteriorLearningRate = cmp.Or(t.PosteriorLearningRate, published.rate)
	if !t.NoMomentum {
		t.Momentum = cmp.Or(t.Momentum, defaultMomentum)
	}
	if !t.NoWeightDecay {
		t.WeightDecay = cmp.Or(t.WeightDecay, defaultWeightDecay)
	}
	if !t.NoAnnealing {
		t.BetaEpochs = cmp.Or(t.BetaEpochs, max(1, 2*t.Epochs/3))
	}
	return t
}
