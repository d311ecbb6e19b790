package curve

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Point is a measured value of the curve.
type Point struct{ X, Y float64 }

// What can be random in a network.
const (
	Weights  = "weights"  // each weight is Gaussian
	Nodes    = "nodes"    // each node has a factor, of a mixture of Gaussians
	Dropout  = "dropout"  // each hidden node is left out at times
	Ensemble = "ensemble" // one of several networks answers
)

// Kinds lists what can be random.
func Kinds() []string { return []string{Weights, Nodes, Dropout, Ensemble} }

// Config holds a reader's choices.
type Config struct {
	Kind   string  // the random part
	Hidden int     // nodes of each of two hidden layers
	Gamma  float64 // of the nodes' extra entropy
	K      int     // components of the nodes' mixture, or networks of the ensemble; at least 1
	Noise  float64 // known standard deviation of the measured values
	Seed   uint64
}

const (
	keep         = 0.9 // probability of a node in dropout
	nodePriorStd = 0.5 // of factors, whose prior mean is 1
	startShare   = 0.1 // of the prior's deviation at the start
)

// Model is a network with something random, which learns a curve.
type Model struct {
	shape            shape
	config           Config
	weights, factors []*gaussians // of each network of an ensemble; of each component, or none
	ones             []float64    // factors of nodes that have none
	random           *rand.Rand
	next             int // network or component
}

// New returns a model that has learnt nothing.
func New(c Config) *Model {
	m := &Model{shape: twoLayers(c.Hidden), config: c, random: rand.New(rand.NewPCG(c.Seed, 1))}
	m.ones = slices.Repeat([]float64{1}, m.shape.nodes())
	networks := 1
	if c.Kind == Ensemble {
		networks = c.K
	}
	for range networks {
		m.weights = append(m.weights, newGaussians(m.shape.drawWeights(m.random), 0,
			m.shape.priorStds()))
	}
	if c.Kind == Weights {
		m.weights[0].random(startShare)
	}
	for k := 0; c.Kind == Nodes && k < c.K; k++ {
		m.factors = append(m.factors, m.newFactors())
	}
	return m
}

// newFactors returns the factors of a component, with means around 1.
func (m *Model) newFactors() *gaussians {
	means := slices.Clone(m.ones)
	for i := range means {
		means[i] += startShare * m.random.NormFloat64()
	}
	f := newGaussians(means, 1, slices.Repeat([]float64{nodePriorStd}, len(means))).random(
		startShare)
	f.gamma, f.share = m.config.Gamma, 1/float64(m.config.K)
	return f
}

// SetGamma changes the reward of the nodes' entropy.
func (m *Model) SetGamma(gamma float64) {
	for _, f := range m.factors {
		f.gamma = gamma
	}
}

// Drawn returns the number of random numbers that a function takes.
func (m *Model) Drawn() int {
	return map[string]int{Weights: m.shape.weights(), Nodes: m.shape.nodes(),
		Dropout: m.shape.nodes() - 1, Ensemble: 1}[m.config.Kind]
}

// draw is a network that a model has drawn, and how.
type draw struct {
	weights, factors, epsilon []float64
	ofWeights, ofFactors      *gaussians
}

// Draw draws a function, and returns its weights, too: of each node, then its bias, layer by layer.
func (m *Model) Draw() (f func(x float64) float64, weights []float64) {
	d := m.draw()
	return func(x float64) float64 {
		y, _ := m.shape.forward(d.weights, d.factors, x)
		return y
	}, d.weights
}

// draw lets networks of an ensemble and components of a mixture take turns.
func (m *Model) draw() draw {
	d := draw{factors: m.ones, ofWeights: m.weights[m.next%len(m.weights)]}
	d.weights, d.epsilon = d.ofWeights.draw(m.random)
	if m.factors != nil {
		d.ofFactors = m.factors[m.next%len(m.factors)]
		d.factors, d.epsilon = d.ofFactors.draw(m.random)
	}
	if m.config.Kind == Dropout {
		d.factors = m.dropout()
	}
	m.next++
	return d
}

// dropout draws factors of 0 and 1/keep for the hidden nodes.
func (m *Model) dropout() []float64 {
	factors := slices.Clone(m.ones)
	for i := range factors[1:] {
		factors[i] = 0
		if m.random.Float64() < keep {
			factors[i] = 1 / keep
		}
	}
	return factors
}

// Train makes steps down the gradient of minus the gamma-ELBO, in nats, over all points. Of weights
// that aren't random, the prior's logarithm takes the place of their KL divergence.
func (m *Model) Train(points []Point, steps int) {
	for range steps {
		start := m.next
		for _, point := range points {
			for range m.weights {
				m.learn(point)
			}
		}
		m.next = start + 1 // so that a point meets another component in the next step
		for _, g := range slices.Concat(m.weights, m.factors) {
			g.step()
		}
	}
}

// learn adds the derivatives of the loss at a point, for one draw.
func (m *Model) learn(point Point) {
	d := m.draw()
	y, passed := m.shape.forward(d.weights, d.factors, point.X)
	dy := (y - point.Y) / (m.config.Noise * m.config.Noise)
	byWeights, byFactors := m.shape.backward(d.weights, d.factors, passed, dy)
	if d.ofFactors != nil {
		d.ofFactors.add(byFactors, d.epsilon)
		d.epsilon = nil
	}
	d.ofWeights.add(byWeights, d.epsilon)
}

// Band returns the mean and the standard deviation, over draws, of the functions' values at places.
func (m *Model) Band(places []float64, draws int) (mean, std []float64) {
	mean, std = make([]float64, len(places)), make([]float64, len(places))
	for range draws {
		f, _ := m.Draw()
		for i, x := range places {
			y := f(x)
			mean[i] += y / float64(draws)
			std[i] += y * y / float64(draws)
		}
	}
	for i, m := range mean {
		std[i] = math.Sqrt(max(0, std[i]-m*m))
	}
	return mean, std
}
