package network

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Estimate is a Monte-Carlo estimate of a quantity.
type Estimate struct {
	Value         float64
	StandardError float64 // of Value, from the spread of the draws
	Draws         int
}

// EstimateEntropy returns a Monte-Carlo estimate of the entropy, nats, of the equally weighted
// mixture of K Gaussians with the given means and standard deviations, both [K][D]. It's unbiased,
// so it shows how loose the bounds of EntropyBound are. The entropies of the components are exact
// and only their overlap is sampled, with the same number of draws from each component.
func EstimateEntropy(mean, sigma [][]float64, draws int, seed uint64) (Estimate, error) {
	if err := checkMixture(mean, sigma); err != nil {
		return Estimate{}, err
	}
	components := len(mean)
	each := (draws + components - 1) / components
	if each < 2 {
		return Estimate{}, fmt.Errorf("nbbnn: %d draws for %d components: give at least two for "+
			"each",
			draws, components)
	}
	estimate, variance := Estimate{Draws: each * components}, 0.0
	for k := range components {
		overlap := score.Summarise(sampleOverlap(mean, sigma, k, each, seed))
		estimate.Value += (ownEntropy(sigma[k]) - overlap.Mean) / float64(components)
		variance += overlap.Std * overlap.Std / float64(each)
	}
	estimate.StandardError = math.Sqrt(variance) / float64(components)
	return estimate, nil
}

func checkMixture(mean, sigma [][]float64) error {
	if len(mean) == 0 || len(mean) != len(sigma) {
		return fmt.Errorf("nbbnn: %d means and %d standard deviations make no mixture: "+
			"give one row of both for each component",
			len(mean), len(sigma))
	}
	for k := range mean {
		if len(mean[k]) == 0 || len(mean[k]) != len(mean[0]) || len(sigma[k]) != len(mean[0]) {
			return fmt.Errorf("nbbnn: component %d has %d means and %d standard deviations, "+
				"the first %d: give all the same",
				k, len(mean[k]), len(sigma[k]), len(mean[0]))
		}
		for d, s := range sigma[k] {
			if !(s > 0) || math.IsInf(s, 0) || math.IsNaN(mean[k][d]) || math.IsInf(mean[k][d], 0) {
				return fmt.Errorf("nbbnn: component %d has mean %g and standard deviation %g in "+
					"dimension %d: give finite numbers and positive deviations",
					k, mean[k][d], s, d)
			}
		}
	}
	return nil
}

// ownEntropy returns the entropy of one Gaussian.
func ownEntropy(sigma []float64) (nats float64) {
	for _, s := range sigma {
		nats += 0.5 + logRoot2Pi + math.Log(s)
	}
	return nats
}

// sampleOverlap returns log(q/q_k) at draws from component k of the mixture q.
func sampleOverlap(mean, sigma [][]float64, k, draws int, seed uint64) []float64 {
	rng := random.New(seed, random.Entropy, uint64(k))
	values, logs := make([]float64, draws), make([]float64, len(mean))
	z := make([]float64, len(mean[k]))
	for i := range values {
		own := 0.0 // log density of component k, up to a constant that all components share
		for d := range z {
			epsilon := rng.NormFloat64()
			z[d] = mean[k][d] + sigma[k][d]*epsilon
			own -= epsilon*epsilon/2 + math.Log(sigma[k][d])
		}
		for r := range mean {
			logs[r] = own
			if r != k {
				logs[r] = scaledLogDensity(z, mean[r], sigma[r])
			}
		}
		values[i] = score.MeanPredictive(logs, 1)[0] - own // the logarithm of the mean density
	}
	return values
}

// scaledLogDensity returns the log density of a Gaussian without its factor of 2 pi.
func scaledLogDensity(z, mean, sigma []float64) (sum float64) {
	for d := range z {
		u := (z[d] - mean[d]) / sigma[d]
		sum -= u*u/2 + math.Log(sigma[d])
	}
	return sum
}
