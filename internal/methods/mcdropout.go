package methods

import (
	"cmp"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Probabilities of dropping an input: of the layers that have dropout, as the hidden dense layers
// of a VGG16, or of all layers but the first if a network has none.
const (
	dropoutOfSome = 0.5
	dropoutOfAll  = 0.1
)

func mcDropoutDefinition() definition {
	return definition{
		name:  baseline.MCDropout,
		title: "MC dropout",
		fill:  fillMCDropout,
		draws: true,
		fixed: []network.Latents{network.OneLatents, network.MeanLatents},
	}
}

func fillMCDropout(m Method, at target) Method {
	probability := dropoutOfAll
	if at.settings.Network.Architecture(1).HasDropout {
		probability = dropoutOfSome
	}
	m.Dropout = cmp.Or(m.Dropout, probability)
	return m
}
