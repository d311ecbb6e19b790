package nbbnn

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/stream"
)

// newStore creates the variables of a network with their initial values. Every layer draws from its own stream, so the
// values depend on the seed and the architecture alone.
func newStore(a architecture, config Config) (*model.Store, error) {
	store := model.NewStore()
	for index, l := range a.layers {
		random := stream.New(config.Seed, stream.Initialisation, uint64(index))
		values := initialTheta(random, l, config.Network.Form)
		dimensions := latentDimensions(config.Posterior.Mode, l.in, l.out)
		mean, rho := initialPosterior(random, config.Posterior.Components, dimensions, config.Posterior.InitStd)
		shape := []int{config.Posterior.Components, dimensions}
		values = append(values, variable{meanPath(l), mean, shape}, variable{rhoPath(l), rho, shape})
		for _, v := range values {
			if _, err := store.CreateVariable(v.path, tensors.FromFlatDataAndDimensions(v.values, v.shape...)); err != nil {
				return nil, err
			}
		}
	}
	return store, addMomentum(store, a)
}

// variable is a named array of float32 values.
type variable struct {
	path   string
	values []float32
	shape  []int
}

// initialTheta draws a layer's weights and bias. The published form is uniform within 1/sqrt(fan-in), for the bias too; the
// narrow form is normal with variance 2/fan-in and has zero biases, without which narrow networks don't start to learn
// (METHOD.md 4.2).
func initialTheta(random *rand.Rand, l layer, form Form) []variable {
	fanIn := float64(l.fanIn())
	draw := func() float64 { return random.NormFloat64() * math.Sqrt(2/fanIn) }
	drawBias := func() float64 { return 0 }
	if form == Published {
		draw = func() float64 { return (2*random.Float64() - 1) / math.Sqrt(fanIn) }
		drawBias = draw
	}
	theta := []variable{{weightPath(l), fill(l.fanIn()*l.out, draw), l.weightShape()}}
	if l.bias {
		theta = append(theta, variable{biasPath(l), fill(l.out, drawBias), []int{l.out}})
	}
	return theta
}

func fill(count int, draw func() float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(draw())
	}
	return values
}
