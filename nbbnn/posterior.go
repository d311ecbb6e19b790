package nbbnn

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// StandardDeviation returns softplus(rho) = log(1 + exp(rho)), the positive standard deviation that the unconstrained
// parameter rho stands for, of the same shape. It's safe for rho of any size.
func StandardDeviation(rho *Node) *Node {
	return Add(MaxScalar(rho, 0), Log1P(Exp(Neg(Abs(rho)))))
}

// inverseSoftplus returns rho with softplus(rho) = sigma, for sigma > 0.
func inverseSoftplus(sigma float64) float64 {
	return sigma + math.Log(-math.Expm1(-sigma))
}

// SampleLatents returns one draw of the latent variables per row, [rows, D], from the mixture with means and parameters rho
// [K, D] and standard normal epsilon [rows, D]: row i uses component i mod K (METHOD.md section 2).
func SampleLatents(mean, rho, epsilon *Node) *Node {
	return operation.SampleLatents(mean, rho, epsilon)
}

// splitLatents parts a layer's draws [rows, D] into those of its inputs z [rows, in] and its outputs s [rows, out]; the
// side that the mode leaves without noise is nil.
func splitLatents(latents *Node, mode Mode, in int) (z, s *Node) {
	switch mode {
	case Input:
		return latents, nil
	case Both:
		return Slice(latents, AxisRange(), AxisRange(0, in)), Slice(latents, AxisRange(), AxisRange(in))
	default:
		return nil, latents
	}
}

// latentDimensions is D of a layer with so many input and output channels.
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

// initialPosterior draws the initial means and rho of K components in D dimensions, both [K, D] row by row: means around
// one, standard deviations from a folded normal around initStd.
func initialPosterior(random *rand.Rand, components, dimensions int, initStd float64) (mean, rho []float32) {
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
