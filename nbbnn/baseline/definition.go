package baseline

import (
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// definition is one of the methods that train an ordinary network.
type definition struct {
	name Name
	// rateFactor is the method's first learning rate as a multiple of the network's; 0 means 1.
	rateFactor float64
	// passes is the number of forward and backward passes of each image of a step; 0 means 1.
	passes int
	// momentum is the default; 0 means that of all networks.
	momentum float64
	// fill replaces the options that are zero by their defaults.
	fill func(m Method, at target) Method
	// check returns an error for options that the method can't have; nil means that it has none.
	check func(m Method, at target) error
	// training returns how a Stepper trains the method; nil means with Nesterov momentum.
	training func(m Method, at target) network.StepperOptions
	// copies returns how many further copies of the weights a checkpoint keeps; nil means none.
	copies func(m Method, epochs int) int
	// samples returns how many samples a prediction has if some number is asked for; nil means 1.
	samples func(m Method, asked int) int
	// kept returns how many snapshots a training of some epochs has after the first of them; nil if
	// samples are drawn.
	kept func(m Method, epoch, epochs int) int
	// fixed lists the fixed latents that predictions can be made with.
	fixed []network.Latents
	// weights returns the posterior of the weights from the variables of a checkpoint; nil means
	// that the network's own weights predict.
	weights func(m Method, at target, state []network.Tensor) (weights, error)
}

// target describes the training that a method is applied to.
type target struct {
	settings network.Settings // filled, but for what the method itself decides
	data     string           // name of the data set
	images   int              // of the training set; 0 before it's known
}

// hasManyClasses reports whether the methods' authors publish their settings for many classes for
// the data set: those for CIFAR-10 hold for all others.
func (t target) hasManyClasses() bool {
	return t.data == dataset.CIFAR100 || t.data == dataset.TinyImageNet
}

// definitions returns the methods in the order of Names.
func definitions() []definition {
	return []definition{
		{name: MAP},
		samDefinition(SAM),
		samDefinition(ASAM),
		swagDefinition(),
		csghmcDefinition(),
		mcDropoutDefinition(),
		dampDefinition(),
	}
}

// definitionOf returns what a method does. The node-BNN and unknown names have none.
func definitionOf(m Method) (d definition, found bool) {
	all := definitions()
	i := slices.IndexFunc(all, func(d definition) bool { return d.name == m.Name })
	if i < 0 {
		return definition{}, false
	}
	return all[i], true
}
