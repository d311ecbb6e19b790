package network

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// LayerPosterior is the posterior of one layer's latents: K equally weighted Gaussians in D
// dimensions.
type LayerPosterior struct {
	Name  string      // of the layer
	Mean  [][]float64 // [K][D]; in mode both the inputs' come before the outputs'
	Sigma [][]float64 // [K][D], standard deviations
}

// LayerPosteriors returns the posterior of each layer, in the order of the forward pass, from the
// variables of a network with filled settings. A network without latents has none.
func (s Settings) LayerPosteriors(variables []Tensor) ([]LayerPosterior, error) {
	if s.Posterior.Mode == Deterministic {
		return nil, nil
	}
	values := byPath(variables)
	var all []LayerPosterior
	// The number of classes is in the shapes of the tensors.
	for _, l := range s.Network.Architecture(1).noisy() {
		mean, rho := values[meanPath(l)], values[rhoPath(l)]
		if len(mean.Shape) != 2 || len(rho.Shape) != 2 {
			return nil, fmt.Errorf("has no posterior of layer %s", l.name)
		}
		all = append(all, LayerPosterior{
			Name:  l.name,
			Mean:  matrix(mean, func(x float64) float64 { return x }),
			Sigma: matrix(rho, softplus),
		})
	}
	return all, nil
}

// softplus computes standardDeviation of one number.
func softplus(rho float64) float64 { return max(rho, 0) + math.Log1p(math.Exp(-math.Abs(rho))) }

// matrix returns the values of a tensor of two axes, each changed by a function.
func matrix(tensor Tensor, change func(x float64) float64) [][]float64 {
	rows, columns, values := make([][]float64, tensor.Shape[0]), tensor.Shape[1], tensor.Floats()
	for i := range rows {
		rows[i] = make([]float64, columns)
		for j := range rows[i] {
			rows[i][j] = change(float64(values[i*columns+j]))
		}
	}
	return rows
}

// JoinPosterior returns the posterior of all layers together, whose k-th component joins every
// layer's: means and standard deviations [K][D of all layers]. In the scope "joint" the
// objective bounds its entropy.
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

// Fold returns the ordinary network that equals a network of these filled settings with fixed
// latents, from its variables: W'[.., i, o] = z_i W[.., i, o] s_o and b' = b s in every layer
// (METHOD.md 1.1), and batch normalisation as it was. The posterior and the buffers of the update
// rule are left out. The error says which layer doesn't fit.
func (s Settings) Fold(stored []Tensor, latents Latents) (kept []Tensor, err error) {
	values := byPath(stored)
	if s.Posterior.Mode != Deterministic && latents == MeanLatents {
		// The number of classes is in the shapes of the tensors.
		for _, l := range s.Network.Architecture(1).noisy() {
			if err := foldLayer(values, l, s.Posterior.Mode); err != nil {
				return nil, err
			}
		}
	}
	for path, tensor := range values {
		if isWeight(path) {
			kept = append(kept, tensor)
		}
	}
	return kept, nil
}

// foldLayer multiplies a layer's weights and bias by the average of its component means.
func foldLayer(values map[string]Tensor, l layer, mode Mode) error {
	weights, mean := values[weightPath(l)], values[meanPath(l)]
	if len(weights.Shape) < 2 || len(mean.Shape) != 2 {
		return fmt.Errorf("layer %s has no weights or no posterior", l.name)
	}
	in, out := weights.Shape[len(weights.Shape)-2], weights.Shape[len(weights.Shape)-1]
	if mean.Shape[1] != latentDimensions(mode, in, out) {
		return fmt.Errorf("layer %s has %d latents, want %d",
			l.name, mean.Shape[1], latentDimensions(mode, in, out))
	}
	z, s := sides(averageRows(mean), mode, in, out)
	values[weightPath(l)] = scaled(weights, func(i int) float64 { return z[i/out%in] * s[i%out] })
	if bias, ok := values[biasPath(l)]; ok {
		values[biasPath(l)] = scaled(bias, func(i int) float64 { return s[i] })
	}
	return nil
}

// sides splits a layer's latents by its inputs and its outputs; a side without latents has ones.
func sides(latents []float64, mode Mode, in, out int) (z, s []float64) {
	switch mode {
	case Input:
		return latents, slices.Repeat([]float64{1}, out)
	case Both:
		return latents[:in], latents[in:]
	}
	return slices.Repeat([]float64{1}, in), latents
}

// averageRows returns the mean of the rows of a matrix.
func averageRows(tensor Tensor) []float64 {
	rows, columns := tensor.Shape[0], tensor.Shape[1]
	means := make([]float64, columns)
	for i, value := range tensor.Floats() {
		means[i%columns] += float64(value) / float64(rows)
	}
	return means
}

// scaled returns a tensor with every value multiplied by its factor.
func scaled(tensor Tensor, factor func(i int) float64) Tensor {
	values := tensor.Floats()
	for i, value := range values {
		values[i] = float32(float64(value) * factor(i))
	}
	return safetensors.FromFloats(tensor.Name, values, tensor.Shape...)
}
