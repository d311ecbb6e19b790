package methods

import (
	"cmp"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/methods/own"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// definition is one of the methods that train an ordinary network, or one that Define has added.
type definition struct {
	name  baseline.Name
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

// definitions holds the built-in methods. Applying the first changes nothing.
var definitions = []definition{
	{name: baseline.NodeBNN, title: "node-BNN"},
	{name: baseline.MAP, title: "MAP"},
	samDefinition(baseline.SAM, "SAM"),
	samDefinition(baseline.ASAM, "ASAM"),
	swagDefinition(),
	csghmcDefinition(),
	mcDropoutDefinition(),
	dampDefinition(),
}

// definitionOf returns a method's definition, an empty one if unknown.
func definitionOf(m Method) (d definition) {
	for _, d := range definitions {
		if d.name == m.Name {
			return d
		}
	}
	defined, found := own.Methods.Find(string(m.Name))
	if !found {
		return d
	}
	d.name, d.fingerprint = m.Name, defined.Fingerprint
	if defined.Training != nil {
		d.training = func(_ Method, at target) network.StepperOptions {
			return defined.Training(at.settings, at.images)
		}
	}
	return d
}

// IsOwn reports whether a program has added the method.
func IsOwn(m Method) bool { return definitionOf(m).fingerprint != "" }

// IsLoop reports whether the method was added without Training: a loop of the program trains.
func IsLoop(m Method) bool { return IsOwn(m) && definitionOf(m).training == nil }

// Undefined returns an error unless this program has the method that a filled configuration was
// made with: another program defines it, or it has changed. What the run's weights predict needs no
// method.
func Undefined(m Method) error {
	return own.Methods.Undefined(string(m.Name), m.Fingerprint, definitionOf(m).fingerprint,
		"the method "+string(m.Name)+" has")
}

// isOrdinary reports whether the method trains only networks without latents.
func (d definition) isOrdinary() bool {
	return d.name != "" && d.name != baseline.NodeBNN && d.fingerprint == ""
}

// Passes returns how many forward and backward passes of each image a step takes, without the
// samples of latents: the cost of a step in steps of MAP, without noise and averages.
func Passes(m Method) int {
	d := definitionOf(m)
	return cmp.Or(d.passes, 1)
}

// Copies returns how many copies of the weights the filled method keeps in a checkpoint after a
// number of epochs, besides the weights and the buffers of their update.
func Copies(m Method, epochs int) int {
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
func Samples(m Method, s network.Settings, epoch, asked int) int {
	d := definitionOf(m)
	switch {
	case d.draws:
		return asked
	case d.kept == nil:
		return 1
	}
	samples := min(asked, Copies(m, 0))
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
func HasSeveralWeights(m Method) bool {
	d := definitionOf(m)
	return d.weights != nil
}
