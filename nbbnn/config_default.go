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
	c.Posterior = c.Posterior.withDefaults()
	c.Objective.Bound = cmp.Or(c.Objective.Bound, ReferenceBound)
	c.Objective.Scope = cmp.Or(c.Objective.Scope, LayerScope)
	c.Training = c.Training.withDefaults()
	return c
}

func (n Network) withDefaults() Network {
	n.Name = cmp.Or(n.Name, defaultNetwork)
	n.Width = cmp.Or(n.Width, publishedWidth)
	usual := Narrow
	if n.Width == publishedWidth {
		usual = Published
	}
	n.Form = cmp.Or(n.Form, usual)
	return n
}

func (p Posterior) withDefaults() Posterior {
	p.Components = cmp.Or(p.Components, 1)
	p.Mode = cmp.Or(p.Mode, Output)
	p.InitStd = cmp.Or(p.InitStd, defaultInitStd)
	p.PriorStd = cmp.Or(p.PriorStd, p.InitStd)
	return p
}

func (t Training) withDefaults() Training {
	t.Epochs = cmp.Or(t.Epochs, defaultEpochs)
	t.Batch = cmp.Or(t.Batch, defaultBatch)
	t.Samples = cmp.Or(t.Samples, defaultSamples)
	t.LearningRate = cmp.Or(t.LearningRate, defaultLearningRate)
	t.PosteriorLearningRate = cmp.Or(t.PosteriorLearningRate, defaultLearningRate)
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
