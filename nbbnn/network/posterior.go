package network

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// StandardDeviation returns softplus(rho) = log(1 + exp(rho)), the positive standard deviation that
// the unconstrained parameter rho stands for, of the same shape. It doesn't overflow for rho of any
// size.
func StandardDeviation(rho *Node) *Node {
	return Add(MaxScalar(rho, 0), Log1P(Exp(Neg(Abs(rho)))))
}

// inverseSoftplus returns rho with softplus(rho) = sigma, for sigma > 0.
func inverseSoftplus(sigma float64) float64 {
	return sigma + math.Log(-math.Expm1(-sigma))
}

// latentDimensions returns D of a layer with the given input and output channels.
func latentDimensions(mode Mode, in, out int) int {
	switch mode {
	case Input:
		return in
	case Both:
		return in + out
	case Deterministic:
		return 0
	default:
		return out
	}
}

// Spread of the initial means and standard deviations around their centres (METHOD.md section 2).
const (
	initialMeanSpread  = 0.05
	initialSigmaSpread = 0.02
)

// initialPosterior draws the initial means and rho of K components in D dimensions, both [K, D] row
// by row: means around one, standard deviations from a folded normal around initStd.
func initialPosterior(
	random *rand.Rand, components, dimensions int, initStd float64,
) (mean, rho []float32) {
	mean, rho = make([]float32, components*dimensions), make([]float32, components*dimensions)
	for i := range mean {
		mean[i] = float32(1 + initialMeanSpread*random.NormFloat64())
		sigma := math.Abs(initStd + initialSigmaSpread*random.NormFloat64())
		rho[i] = float32(inverseSoftplus(max(sigma, smallestSigma)))
	}
	return mean, rho
}

// smallestSigma keeps rho finite where the folded normal lands on zero.
const smallestSigma = 1e-6

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
	for _, l := range s.Network.Architecture(1).layers {
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

// softplus is StandardDeviation of one number.
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

// JoinPosterior returns the posterior of all layers together, whose k-th component is that of every
// layer: means and standard deviations [K][D of all layers]. EstimateEntropy of it is what the
// joint scope bounds.
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
