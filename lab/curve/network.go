package curve

import (
	"math"
	"math/rand/v2"
)

// shape holds the numbers of nodes of the layers, from the one input to the one output.
type shape []int

// twoLayers returns the shape of a network with two hidden layers.
func twoLayers(hidden int) shape { return shape{1, hidden, hidden, 1} }

// weights returns the number of weights and biases.
func (s shape) weights() (count int) {
	for l, nodes := range s[1:] {
		count += nodes * (s[l] + 1)
	}
	return count
}

// nodes returns the number of nodes after the input.
func (s shape) nodes() (count int) {
	for _, nodes := range s[1:] {
		count += nodes
	}
	return count
}

// pass has the input f of each layer, and a = W f + b of each node.
type pass struct {
	inputs [][]float64
	sums   []float64
}

// forward returns the network's value at x. Each node is multiplied by its factor, and a ReLU
// stands between layers:
//
//	h = (W f + b) s,  f = max(h, 0) in the next layer
//
// The weights of a node stand together, its bias behind them.
func (s shape) forward(weights, factors []float64, x float64) (y float64, p pass) {
	f := []float64{x}
	for _, nodes := range s[1:] {
		p.inputs = append(p.inputs, f)
		outputs := make([]float64, nodes)
		for i := range outputs {
			a := weights[len(f)]
			for j, value := range f {
				a += weights[j] * value
			}
			y = a * factors[0]
			outputs[i], p.sums = max(y, 0), append(p.sums, a)
			weights, factors = weights[len(f)+1:], factors[1:]
		}
		f = outputs
	}
	return y, p
}

// backward returns the derivatives of dy times the output by the weights and by the factors.
func (s shape) backward(weights, factors []float64, p pass, dy float64) (byWeights,
	byFactors []float64) {
	byWeights, byFactors = make([]float64, len(weights)), make([]float64, len(factors))
	dh, w, n := []float64{dy}, len(weights), len(factors)
	for l := len(s) - 2; l >= 0; l-- {
		f := p.inputs[l]
		df := make([]float64, len(f))
		w, n = w-len(dh)*(len(f)+1), n-len(dh)
		for i, d := range dh {
			da, row := d*factors[n+i], w+i*(len(f)+1)
			byFactors[n+i] = d * p.sums[n+i]
			byWeights[row+len(f)] = da
			for j, value := range f {
				byWeights[row+j] = da * value
				if value > 0 { // the ReLU lets it through
					df[j] += da * weights[row+j]
				}
			}
		}
		dh = df
	}
	return byWeights, byFactors
}

const biasStd = 1 // of the prior

// priorStds returns the standard deviations of the prior of weights and biases, whose means are 0.
func (s shape) priorStds() (stds []float64) {
	for l, nodes := range s[1:] {
		for range nodes {
			for range s[l] {
				stds = append(stds, math.Sqrt(s.gain(l)/float64(s[l])))
			}
			stds = append(stds, biasStd)
		}
	}
	return stds
}

// gain is 2 in a layer in front of a ReLU, which halves the mean of squares, and 1 in the last.
func (s shape) gain(layer int) float64 {
	if layer == len(s)-2 {
		return 1
	}
	return 2
}

// drawWeights draws weights from the prior.
func (s shape) drawWeights(random *rand.Rand) []float64 {
	weights := s.priorStds()
	for i := range weights {
		weights[i] *= random.NormFloat64()
	}
	return weights
}
