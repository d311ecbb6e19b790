package baseline

import "cmp"

// Passes returns how many forward and backward passes of each image a step takes, without the
// samples of latents: the cost of a step in steps of MAP, but for noise and averages.
func (m Method) Passes() int {
	d, _ := m.definition()
	return cmp.Or(d.passes, 1)
}

// Copies returns how many copies of the weights the filled method keeps in a checkpoint after a
// number of epochs, besides the weights and the buffers of their update.
func (m Method) Copies(epochs int) int {
	d, _ := m.definition()
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
