package baseline

import (
	"cmp"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// Passes returns how many forward and backward passes of each image a step takes, without the
// samples of latents: the cost of a step in steps of MAP, but for noise and averages.
func (m Method) Passes() int {
	d, _ := definitionOf(m)
	return cmp.Or(d.passes, 1)
}

// Copies returns how many copies of the weights the filled method keeps in a checkpoint after a
// number of epochs, besides the weights and the buffers of their update.
func (m Method) Copies(epochs int) int {
	d, _ := definitionOf(m)
	if d.copies == nil {
		return 0
	}
	return d.copies(m, epochs)
}

// Stored returns how many copies of the weights predictions with the filled method need after a
// number of epochs: with SWAG the mean, the mean of squares and the deviations, with CSGHMC the
// snapshots, otherwise 1.
func (m Method) Stored(epochs int) int {
	if !m.HasSeveralWeights() {
		return 1
	}
	return m.Copies(epochs)
}

// Renormalises reports whether each sample of a prediction needs a pass over the training images
// first, if the network has batch normalisation: running statistics of drawn weights aren't known.
func (m Method) Renormalises() bool { return m.Name == SWAG }

// Samples returns the number of samples of a prediction of a network without latents if some number
// is asked for: 1 if its weights alone predict, because all samples would be the same.
func (m Method) Samples(asked int) int {
	d, found := definitionOf(m)
	if !found || d.samples == nil {
		return 1
	}
	return d.samples(m, asked)
}

// SamplesAfter is Samples for the weights after a number of epochs of a training: a method that
// keeps snapshots has fewer of them then. It is asked if there is no snapshot yet.
func (m Method) SamplesAfter(epoch int, s network.Settings, asked int) int {
	d, found := definitionOf(m)
	if !found || d.kept == nil {
		return m.Samples(asked)
	}
	kept := d.kept(m, epoch, s.Training.Epochs)
	if kept == 0 {
		return asked
	}
	return min(asked, kept)
}

// HasSeveralWeights reports whether predictions take several sets of weights, so that the network
// of Run.Model alone predicts something else.
func (m Method) HasSeveralWeights() bool {
	d, found := definitionOf(m)
	return found && d.weights != nil
}
