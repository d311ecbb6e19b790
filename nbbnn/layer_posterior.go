package nbbnn

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// LayerPosterior is the posterior of one layer's latents: K equally weighted Gaussians in D dimensions.
type LayerPosterior struct {
	Name  string      // of the layer
	Mean  [][]float64 // [K][D]; in mode both the inputs' come before the outputs'
	Sigma [][]float64 // [K][D], standard deviations
}

// Posterior returns the posterior of each layer, in the order of the forward pass, from the run's latest checkpoint. A network
// without latents has none.
func (r *Run) Posterior() ([]LayerPosterior, error) {
	if !exists(r.checkpointPath()) {
		return nil, fmt.Errorf("nbbnn: run %s has no checkpoint yet: train it first (Run.Train)", r.directory)
	}
	if r.config.Posterior.Mode == Deterministic {
		return nil, nil
	}
	stored, _, err := r.readCheckpoint(r.checkpointPath())
	if err != nil {
		return nil, err
	}
	values := byPath(stored)
	var all []LayerPosterior
	for _, l := range newArchitecture(r.config.Network, 1).layers {
		mean, rho := values[meanPath(l)], values[rhoPath(l)]
		if len(mean.Shape) != 2 || len(rho.Shape) != 2 {
			return nil, fmt.Errorf("nbbnn: %s has no posterior of layer %s: remove %s and train again", r.checkpointPath(), l.name, r.directory)
		}
		all = append(all, LayerPosterior{
			Name:  l.name,
			Mean:  matrix(mean, func(x float64) float64 { return x }),
			Sigma: matrix(rho, softplus),
		})
	}
	return all, nil
}

// softplus is StandardDeviation of one number.
func softplus(rho float64) float64 { return max(rho, 0) + math.Log1p(math.Exp(-math.Abs(rho))) }

// matrix returns the values of a tensor of two axes, each changed by a function.
func matrix(tensor safetensors.Tensor, change func(x float64) float64) [][]float64 {
	rows := make([][]float64, tensor.Shape[0])
	columns := tensor.Shape[1]
	for i := range rows {
		rows[i] = make([]float64, columns)
		for j := range rows[i] {
			bits := binary.LittleEndian.Uint32(tensor.Data[4*(i*columns+j):])
			rows[i][j] = change(float64(math.Float32frombits(bits)))
		}
	}
	return rows
}

// JoinPosterior returns the posterior of all layers together, whose k-th component is that of every layer: means and standard
// deviations [K][D of all layers]. EstimateEntropy of it is what the joint scope bounds.
func JoinPosterior(layers []LayerPosterior) (mean, sigma [][]float64) {
	for i, l := range layers {
		if i == 0 {
			mean, sigma = make([][]float64, len(l.Mean)), make([][]float64, len(l.Mean))
		}
		for k := range l.Mean {
			mean[k] = append(mean[k], l.Mean[k]...)
			sigma[k] = append(sigma[k], l.Sigma[k]...)
		}
	}
	return mean, sigma
}
