// Command micro is the method in one file, with one Gaussian a node. The rest is efficiency.
//
//	go run notebooks/micro/main.go
//
// It trains two networks on points of a plane, with the entropy coefficients gamma = 0 and 30, and
// prints their negative log-likelihood under noise on the inputs. Equations are those of Trinh,
// Heinonen, Acerbi and Kaski, "Tackling covariate shift with node-based Bayesian neural networks",
// ICML 2022.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Point is an input with its class.
type Point struct {
	X     []float64 // [2]
	Class int       // from 0
}

// Layer is a dense layer. Each of its outputs has a random factor, the latent variable s, with the
// posterior q = N(mu, sigma^2), sigma = softplus(rho).
type Layer struct {
	W          [][]float64 // [out][in]
	B, Mu, Rho []float64   // [out]
}

// Network is a perceptron with a ReLU, max(x, 0), between layers. Its gradient is a Network, too.
type Network []Layer

// Objective holds the constants of the gamma-ELBO.
type Objective struct {
	Gamma    float64 // coefficient of the extra entropy; 0 is the ELBO
	Beta     float64 // weight of the KL divergence H[q, p] - H[q]
	PriorStd float64 // of the prior p = N(1, PriorStd^2)
	Images   int     // N, number of training points
}

func softplus(rho float64) float64 { return math.Log1p(math.Exp(rho)) }
func sigmoid(rho float64) float64  { return 1 / (1 + math.Exp(-rho)) } // derivative of softplus

// sizes are those of the input, of two hidden layers, and of the output: a logit for each class.
var sizes = []int{2, 16, 16, 3}

// zeros returns a network whose parameters are all zero.
func zeros() (net Network) {
	for l, out := range sizes[1:] {
		layer := Layer{B: make([]float64, out), Mu: make([]float64, out), Rho: make([]float64, out)}
		for range out {
			layer.W = append(layer.W, make([]float64, sizes[l]))
		}
		net = append(net, layer)
	}
	return net
}

// NewNetwork draws weights of variance 2/inputs; all means are one, all standard deviations sigma.
func NewNetwork(random *rand.Rand, sigma float64) Network {
	net := zeros()
	for l, layer := range net {
		for i, row := range layer.W {
			for j := range row {
				row[j] = random.NormFloat64() * math.Sqrt(2/float64(sizes[l]))
			}
			layer.Mu[i], layer.Rho[i] = 1, math.Log(math.Expm1(sigma)) // softplus(rho) = sigma
		}
	}
	return net
}

// Noise draws a standard normal epsilon for each node.
func (n Network) Noise(random *rand.Rand) [][]float64 {
	epsilon := make([][]float64, len(n))
	for l, layer := range n {
		for range layer.B {
			epsilon[l] = append(epsilon[l], random.NormFloat64())
		}
	}
	return epsilon
}

// activations of a layer are its input f, a = W f + b, the latent variables s, and h = a s.
type activations struct{ f, a, s, h []float64 }

// Forward computes the logits for x and one draw of the latent variables (equation 1):
//
//	s = mu + sigma epsilon,  h = (W f + b) s,  f = max(h, 0) in the next layer
func (n Network) Forward(x []float64, epsilon [][]float64) (logits []float64, passed []activations) {
	f := x
	for l, layer := range n {
		p := activations{f: f}
		f = nil
		for i, row := range layer.W {
			a := layer.B[i]
			for j, w := range row {
				a += w * p.f[j]
			}
			s := layer.Mu[i] + softplus(layer.Rho[i])*epsilon[l][i]
			p.a, p.s, p.h = append(p.a, a), append(p.s, s), append(p.h, a*s)
			f = append(f, max(a*s, 0))
		}
		passed = append(passed, p)
	}
	return passed[len(passed)-1].h, passed
}

// backward adds the gradient of a scalar to grad; dh holds its derivatives by the logits.
func (n Network) backward(grad Network, passed []activations, epsilon [][]float64, dh []float64) {
	for l := len(n) - 1; l >= 0; l-- {
		p, df := passed[l], make([]float64, len(passed[l].f))
		for i, row := range n[l].W {
			da, ds := dh[i]*p.s[i], dh[i]*p.a[i]
			grad[l].B[i] += da
			grad[l].Mu[i] += ds
			grad[l].Rho[i] += ds * epsilon[l][i] * sigmoid(n[l].Rho[i])
			for j, w := range row {
				grad[l].W[i][j] += da * p.f[j]
				if p.f[j] > 0 { // where the ReLU in front of the layer lets it through
					df[j] += da * w
				}
			}
		}
		dh = df
	}
}

// logSoftmax returns the log-probabilities of the classes.
func logSoftmax(logits []float64) (logs []float64) {
	sum := 0.0
	for _, logit := range logits {
		sum += math.Exp(logit)
	}
	for _, logit := range logits {
		logs = append(logs, logit-math.Log(sum))
	}
	return logs
}

// Entropies returns the entropy H[q] and the cross-entropy H[q, p] with the prior p = N(1,
// priorStd^2) of every node, in nats.
func (n Network) Entropies(priorStd float64) (entropy, cross float64) {
	halfLog2Pi := math.Log(2*math.Pi) / 2
	for _, layer := range n {
		for i, mu := range layer.Mu {
			sigma := softplus(layer.Rho[i])
			entropy += math.Log(sigma) + halfLog2Pi + 0.5
			squares := sigma*sigma + (mu-1)*(mu-1)
			cross += squares/(2*priorStd*priorStd) + math.Log(priorStd) + halfLog2Pi
		}
	}
	return entropy, cross
}

// Loss returns minus the gamma-ELBO (equation 2) divided by the number of training points, with its
// gradient, for a batch and one draw of the latent variables for each of its points:
//
//	loss = mean of -log p(y | x, s) + beta/N (H[q, p] - (gamma + 1) H[q])
func (n Network) Loss(batch []Point, epsilon [][][]float64, o Objective) (loss float64, grad Network) {
	grad = zeros()
	for b, point := range batch {
		logits, passed := n.Forward(point.X, epsilon[b])
		logs, dh := logSoftmax(logits), make([]float64, len(logits))
		for class, log := range logs {
			dh[class] = math.Exp(log) / float64(len(batch)) // softmax minus one for the true class
		}
		dh[point.Class] -= 1 / float64(len(batch))
		loss -= logs[point.Class] / float64(len(batch))
		n.backward(grad, passed, epsilon[b], dh)
	}
	scale := o.Beta / float64(o.Images)
	for l, layer := range n {
		for i, mu := range layer.Mu {
			sigma, variance := softplus(layer.Rho[i]), o.PriorStd*o.PriorStd
			grad[l].Mu[i] += scale * (mu - 1) / variance
			grad[l].Rho[i] += scale * (sigma/variance - (o.Gamma+1)/sigma) * sigmoid(layer.Rho[i])
		}
	}
	entropy, cross := n.Entropies(o.PriorStd)
	return loss + scale*(cross-(o.Gamma+1)*entropy), grad
}

// Train goes down the gradient, a point at a time in random order.
func (n Network) Train(random *rand.Rand, points []Point, o Objective) {
	const epochs, rate, posteriorRate = 60, 0.02, 0.2
	for epoch := range epochs {
		o.Beta = min(1, float64(epoch)/(epochs/2)) // the data first
		for _, i := range random.Perm(len(points)) {
			_, grad := n.Loss(points[i:i+1], [][][]float64{n.Noise(random)}, o)
			for l, layer := range n {
				for k, row := range layer.W {
					step(row, grad[l].W[k], rate)
				}
				step(layer.B, grad[l].B, rate)
				step(layer.Mu, grad[l].Mu, posteriorRate)
				step(layer.Rho, grad[l].Rho, posteriorRate)
			}
		}
	}
}

func step(x, grad []float64, rate float64) {
	for i := range x {
		x[i] -= rate * grad[i]
	}
}

// NLL returns the mean of -log p(y | x) in nats, where p(y | x) is the mean softmax over draws.
func (n Network) NLL(random *rand.Rand, points []Point, draws int) (nats float64) {
	for _, point := range points {
		p := 0.0
		for range draws {
			logits, _ := n.Forward(point.X, n.Noise(random))
			p += math.Exp(logSoftmax(logits)[point.Class]) / float64(draws)
		}
		nats -= math.Log(p) / float64(len(points))
	}
	return nats
}

// Pinwheel draws points of three classes, the arms of a wheel, and corrupts them by noise of a
// standard deviation.
func Pinwheel(random *rand.Rand, count int, std float64) (points []Point) {
	for i := range count {
		radius, angle := 1+0.3*random.NormFloat64(), 0.15*random.NormFloat64()
		angle += radius + 2*math.Pi*float64(i%3)/3
		x := radius*math.Cos(angle) + std*random.NormFloat64()
		y := radius*math.Sin(angle) + std*random.NormFloat64()
		points = append(points, Point{X: []float64{x, y}, Class: i % 3})
	}
	return points
}

func main() {
	train := Pinwheel(rand.New(rand.NewPCG(1, 0)), 90, 0)
	fmt.Println("NLL      level 0      1      2      3      4      5   entropy")
	for _, gamma := range []float64{0, 30} {
		random := rand.New(rand.NewPCG(2, 0))
		net := NewNetwork(random, 0.16)
		net.Train(random, train, Objective{Gamma: gamma, PriorStd: 0.16, Images: len(train)})
		fmt.Printf("γ = %-4g ", gamma)
		for level := range 6 {
			test := Pinwheel(rand.New(rand.NewPCG(3, uint64(level))), 300, 0.15*float64(level))
			fmt.Printf("%7.3f", net.NLL(random, test, 16))
		}
		entropy, _ := net.Entropies(1)
		fmt.Printf("   %7.1f\n", entropy)
	}
}
