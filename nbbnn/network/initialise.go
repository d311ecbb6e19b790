package network

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/random"
)

// newStore creates the variables of a network with their initial values. Every layer draws from its
// own stream, so the values depend only on the seed and the architecture.
func newStore(a Architecture, settings Settings) (*model.Store, error) {
	store := model.NewStore()
	for index, l := range a.layers {
		rng := random.New(settings.Seed, random.Initialisation, uint64(index))
		var values []variable
		if a.graph == nil { // always first: existing runs drew in this order
			values = initialTheta(rng, l)
		}
		values = append(values, initialPhi(rng, l, settings)...)
		if err := addVariables(store, values); err != nil {
			return nil, err
		}
	}
	if a.graph != nil {
		return store, a.graph.addVariables(store)
	}
	for _, n := range a.normalisations {
		if err := addVariables(store, n.initial()); err != nil {
			return nil, err
		}
	}
	return store, nil
}

func addVariables(store *model.Store, variables []variable) error {
	for _, v := range variables {
		value := tensors.FromFlatDataAndDimensions(v.values, v.shape...)
		if _, err := store.CreateVariable(v.path, value); err != nil {
			return err
		}
	}
	return nil
}

// variable is a named array of float32 values.
type variable struct {
	path   string
	values []float32
	shape  []int
}

// initialTheta draws a layer's weights and bias.
func initialTheta(rng *rand.Rand, l layer) []variable {
	normal := func(fan int) func() float64 {
		return func() float64 { return rng.NormFloat64() * math.Sqrt(2/float64(fan)) }
	}
	drawBias := func() float64 { return 0 }
	var draw func() float64
	switch l.start {
	case Uniform:
		draw = func() float64 { return (2*rng.Float64() - 1) / math.Sqrt(float64(l.fanIn())) }
		drawBias = draw
	case HeFanOut:
		draw = normal(l.kernel * l.kernel * l.out)
	case HeNormal:
		draw = normal(l.fanIn())
	}
	theta := []variable{{weightPath(l), fill(l.fanIn()*l.out, draw), l.weightShape()}}
	if l.bias {
		theta = append(theta, variable{biasPath(l), fill(l.out, drawBias), []int{l.out}})
	}
	return theta
}

// initialPhi draws the posterior of a layer's latents.
func initialPhi(rng *rand.Rand, l layer, settings Settings) []variable {
	posterior := settings.Posterior
	dimensions := latentDimensions(posterior.Mode, l.in, l.out)
	if dimensions == 0 || l.certain {
		return nil
	}
	mean, rho := initialPosterior(rng, posterior.Components, dimensions, posterior.InitStd)
	if settings.FrozenWeights && posterior.Components == 1 {
		mean = slices.Repeat([]float32{1}, dimensions) // N(1, InitStd^2)
		rho = slices.Repeat([]float32{float32(inverseSoftplus(posterior.InitStd))}, dimensions)
	}
	shape := []int{posterior.Components, dimensions}
	return []variable{{meanPath(l), mean, shape}, {rhoPath(l), rho, shape}}
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

// inverseSoftplus returns rho with softplus(rho) = sigma, for sigma > 0.
func inverseSoftplus(sigma float64) float64 {
	return sigma + math.Log(-math.Expm1(-sigma))
}

// smallestSigma keeps rho finite if the folded normal lands on zero.
const smallestSigma = 1e-6

// initial returns the parameters of a batch normalisation that changes nothing, and running
// statistics of mean 0, variance 1.
func (n normalisation) initial() []variable {
	zeros, ones := make([]float32, n.channels), slices.Repeat([]float32{1}, n.channels)
	shape := []int{n.channels}
	return []variable{
		{n.scalePath(), ones, shape}, {n.shiftPath(), zeros, shape},
		{n.meanPath(), zeros, shape}, {n.variancePath(), ones, shape},
	}
}

func fill(count int, draw func() float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(draw())
	}
	return values
}
