package baseline

import (
	"cmp"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/registry"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// definition is one of the methods that train an ordinary network, or one that Define has added.
type definition struct {
	name  Name
	title string // in texts and pictures; "" means the name
	// fingerprint of a method that Define has added; "" for built-in ones.
	fingerprint string
	// rateFactor is the method's first learning rate as a multiple of the network's; 0 means 1.
	rateFactor float64
	// passes is the number of forward and backward passes of each image of a step; 0 means 1.
	passes int
	// momentum is the default; 0 means every network's.
	momentum float64
	// fill replaces the options that are zero by their defaults.
	fill func(m Method, at target) Method
	// check returns an error for options that the method can't have; nil means that it has none.
	check func(m Method, at target) error
	// training returns how a Stepper trains the method; nil means with Nesterov momentum.
	training func(m Method, at target) network.StepperOptions
	// copies returns how many further copies of the weights a checkpoint keeps; nil means none.
	copies func(m Method, epochs int) int
	// draws reports that a prediction can have any number of samples.
	draws bool
	// kept returns how many snapshots a training of some epochs has after the first of them: they
	// are the samples. nil means that there are none.
	kept func(m Method, epoch, epochs int) int
	// fixed lists the fixed latents that predictions can be made with.
	fixed []network.Latents
	// weights returns the posterior of the weights from the variables of a checkpoint; nil means
	// that the network's own weights predict.
	weights func(m Method, at target, state []network.Tensor) (weights, error)
}

// target describes the training that a method is applied to.
type target struct {
	settings network.Settings // filled, except what the method decides
	data     string           // name of the data set
	images   int              // of the training set; 0 before it's known
}

// hasManyClasses reports whether the data set takes the authors' settings for many classes; all
// others take the ones for CIFAR-10.
func (t target) hasManyClasses() bool {
	return t.data == dataset.CIFAR100 || t.data == dataset.TinyImageNet
}

// definitions holds the methods in the order of Names. Applying the first changes nothing.
var definitions = newDefinitions()

func newDefinitions() *registry.Registry[definition] {
	return registry.New("baseline.Define", func(d definition) string { return string(d.name) },
		definition{name: NodeBNN, title: "node-BNN"},
		definition{name: MAP, title: "MAP"},
		samDefinition(SAM, "SAM"),
		samDefinition(ASAM, "ASAM"),
		swagDefinition(),
		csghmcDefinition(),
		mcDropoutDefinition(),
		dampDefinition(),
	)
}

// definitionOf returns a method's definition, an empty one if unknown.
func definitionOf(m Method) definition {
	d, _ := definitions.Find(string(m.Name))
	return d
}

// isOrdinary reports whether the method trains only networks without latents.
func (d definition) isOrdinary() bool {
	return d.name != "" && d.name != NodeBNN && d.fingerprint == ""
}

// Passes returns how many forward and backward passes of each image a step takes, without the
// samples of latents: the cost of a step in steps of MAP, without noise and averages.
func (m Method) Passes() int {
	d := definitionOf(m)
	return cmp.Or(d.passes, 1)
}

// Copies returns how many copies of the weights the filled method keeps in a checkpoint after a
// number of epochs, besides the weights and the buffers of their update.
func (m Method) Copies(epochs int) int {
	d := definitionOf(m)
	if d.copies == nil {
		return 0
	}
	return d.copies(m, epochs)
}

// Samples returns the number of samples of a prediction of a network without latents if some number
// is asked for, with the weights after an epoch of a training, 0 for its end: 1 if only its weights
// predict, because all samples would be the same, and at most the snapshots of a method that keeps
// them. If there's none yet, it's as many as at the end.
func (m Method) Samples(s network.Settings, epoch, asked int) int {
	d := definitionOf(m)
	switch {
	case d.draws:
		return asked
	case d.kept == nil:
		return 1
	}
	samples := min(asked, m.Copies(0))
	if epoch == 0 {
		return samples
	}
	if kept := d.kept(m, epoch, s.Training.Epochs); kept > 0 {
		return min(samples, kept)
	}
	return samples
}

// HasSeveralWeights reports whether predictions take several sets of weights, so that Run.Model's
// network by itself predicts something else.
func (m Method) HasSeveralWeights() bool {
	d := definitionOf(m)
	return d.weights != nil
}
