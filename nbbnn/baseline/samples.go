package baseline

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// Samples returns the number of samples of a prediction of a network without latents if some number
// is asked for: 1 if its weights alone predict, because all samples would be the same.
func (m Method) Samples(asked int) int {
	d, found := m.definition()
	if !found || d.samples == nil {
		return 1
	}
	return d.samples(m, asked)
}

// SamplesAfter is Samples for the weights after a number of epochs of a training: a method that keeps
// snapshots has fewer of them then. It is asked if there is no snapshot yet.
func (m Method) SamplesAfter(epoch int, s network.Settings, asked int) int {
	d, found := m.definition()
	if !found || d.kept == nil {
		return m.Samples(asked)
	}
	kept := d.kept(m, epoch, s.Training.Epochs)
	if kept == 0 {
		return asked
	}
	return min(asked, kept)
}

// HasSeveralWeights reports whether predictions take several sets of weights, so that the network of
// Run.Model alone predicts something else.
func (m Method) HasSeveralWeights() bool {
	d, found := m.definition()
	return found && d.weights != nil
}

// CheckLatents returns an error if a prediction of a network without latents can't be made with
// fixed latents, of which SWAG's mean is one.
func (m Method) CheckLatents(latents network.Latents) error {
	d, found := m.definition()
	if !found || latents == "" || slices.Contains(d.fixed, latents) {
		return nil
	}
	return fmt.Errorf("nbbnn: latents %q can't be fixed in a network of the method %s, which has none: "+
		"leave them out",
		latents, m.Name)
}
