package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// example returns a network away from its start, with a batch and its noise.
func example() (net Network, batch []Point, epsilon [][][]float64, o Objective) {
	random := rand.New(rand.NewPCG(4, 0))
	net = NewNetwork(random, 0.3)
	for _, layer := range net {
		for i := range layer.B {
			layer.B[i] = 0.2 * random.NormFloat64()
			layer.Mu[i] += 0.1 * random.NormFloat64()
			layer.Rho[i] += 0.1 * random.NormFloat64()
		}
	}
	batch = Pinwheel(random, 7, 0.3)
	for range batch {
		epsilon = append(epsilon, net.Noise(random))
	}
	return net, batch, epsilon, Objective{Gamma: 4, Beta: 0.7, PriorStd: 0.25, Images: 11}
}

// parameters are all parameters of a network, by name.
func parameters(net Network) map[string][]float64 {
	all := map[string][]float64{}
	for l, layer := range net {
		all[fmt.Sprint("b", l)], all[fmt.Sprint("mu", l)], all[fmt.Sprint("rho", l)] = layer.B, layer.Mu, layer.Rho
		for i, row := range layer.W {
			all[fmt.Sprintf("W%d row %d", l, i)] = row
		}
	}
	return all
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// The closed forms of two nodes with the means 1.1 and 0.8.
func TestEntropiesOfTwoNodes(t *testing.T) {
	rho := func(sigma float64) float64 { return math.Log(math.Expm1(sigma)) }
	net := Network{{Mu: []float64{1.1, 0.8}, Rho: []float64{rho(0.25), rho(0.4)}}}
	entropy, cross := net.Entropies(0.3)
	near(t, "H[q]", entropy, 0.5352919734, 1e-9)
	near(t, "H[q, p]", cross, 0.9438203466, 1e-9)
	near(t, "KL", cross-entropy, 0.4085283732, 1e-9)
}

func TestGradientIsThatOfDifferences(t *testing.T) {
	net, batch, epsilon, o := example()
	_, grad := net.Loss(batch, epsilon, o)
	by := parameters(grad)
	const h = 1e-6
	for name, values := range parameters(net) {
		for i, value := range values {
			values[i] = value + h
			above, _ := net.Loss(batch, epsilon, o)
			values[i] = value - h
			below, _ := net.Loss(batch, epsilon, o)
			values[i] = value
			near(t, fmt.Sprintf("gradient by %s[%d]", name, i), by[name][i], (above-below)/(2*h), 1e-7)
		}
	}
}

// The library draws the latent variables, computes the objective and differentiates it; both agree
// on the same noise.
func TestAgreesWithTheLibrary(t *testing.T) {
	net, batch, epsilon, o := example()
	loss, grad := net.Loss(batch, epsilon, o)
	values := libraryLoss(t, net, batch, epsilon, o)
	near(t, "loss", loss, values[0].Value().(float64), 1e-10)
	for l, layer := range grad {
		weights := values[1+4*l].Value().([][]float64) // [in, out]
		for i, row := range layer.W {
			for j := range row {
				near(t, fmt.Sprintf("gradient by W of layer %d", l), row[j], weights[j][i], 1e-10)
			}
			near(t, "gradient by b", layer.B[i], values[2+4*l].Value().([]float64)[i], 1e-10)
			near(t, "gradient by mu", layer.Mu[i], values[3+4*l].Value().([][]float64)[0][i], 1e-10)
			near(t, "gradient by rho", layer.Rho[i], values[4+4*l].Value().([][]float64)[0][i], 1e-10)
		}
	}
}

// libraryLoss returns the library's loss, followed by its gradients by the weights, biases, means
// and rho of each layer.
func libraryLoss(t *testing.T, net Network, batch []Point, epsilon [][][]float64, o Objective) []*tensors.Tensor {
	t.Helper()
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := NewExec(e.Backend, func(args []*Node) []*Node {
		f, truth, args := args[0], args[1], args[2:]
		noise, trained := args[:len(net)], args[len(net):]
		var means, sigmas []*Node
		for l := range net {
			w, b, mu, rho := trained[4*l], trained[4*l+1], trained[4*l+2], trained[4*l+3]
			f = Add(Dot(f, w).Product(), ExpandAxes(b, 0))
			f = Mul(f, network.SampleLatents(mu, rho, noise[l]))
			if l < len(net)-1 {
				f = MaxScalar(f, 0)
			}
			means, sigmas = append(means, mu), append(sigmas, network.StandardDeviation(rho))
		}
		nll := Neg(ReduceAllMean(ReduceSum(Mul(truth, Sub(f, Log(ReduceAndKeep(Exp(f), ReduceSum, -1)))), -1)))
		terms := network.ObjectiveTerms(means, sigmas, o.PriorStd, network.Objective{Gamma: o.Gamma})
		loss := network.Loss(nll, terms, o.Gamma, Const(f.Graph(), o.Beta), o.Images)
		return append([]*Node{loss}, Gradient(loss, trained...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := exec.Call(libraryInputs(net, batch, epsilon)...)
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// libraryInputs are the points, their classes as one-hot vectors, the noise of each layer, and the
// parameters of each.
func libraryInputs(net Network, batch []Point, epsilon [][][]float64) []any {
	x, truth, noise := [][]float64{}, [][]float64{}, make([][][]float64, len(net))
	for b, point := range batch {
		hot := make([]float64, 3)
		hot[point.Class] = 1
		x, truth = append(x, point.X), append(truth, hot)
		for l := range net {
			noise[l] = append(noise[l], epsilon[b][l])
		}
	}
	inputs := []any{x, truth}
	for l := range net {
		inputs = append(inputs, noise[l])
	}
	for l, layer := range net {
		transposed := make([][]float64, sizes[l])
		for j := range transposed {
			for i := range layer.W {
				transposed[j] = append(transposed[j], layer.W[i][j])
			}
		}
		inputs = append(inputs, transposed, layer.B, [][]float64{layer.Mu}, [][]float64{layer.Rho})
	}
	return inputs
}

// More entropy costs likelihood on clean points, and pays under strong noise.
func TestEntropyPaysUnderNoise(t *testing.T) {
	var clean, noisy [2]float64
	for i, gamma := range []float64{0, 30} {
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 1))
			train, net := Pinwheel(random, 90, 0), NewNetwork(random, 0.16)
			net.Train(random, train, Objective{Gamma: gamma, PriorStd: 0.16, Images: len(train)})
			clean[i] += net.NLL(random, Pinwheel(random, 300, 0), 16) / 3
			noisy[i] += net.NLL(random, Pinwheel(random, 300, 0.75), 16) / 3
		}
	}
	if clean[0] >= clean[1] || noisy[0] <= noisy[1] {
		t.Errorf("without extra entropy %.3f and %.3f on clean and noisy points, with it %.3f and %.3f", clean[0], noisy[0], clean[1], noisy[1])
	}
}
