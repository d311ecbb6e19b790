package curve

import (
	"math"
	"math/rand/v2"
	"slices"
)

// gaussians are independent numbers N(mean, softplus(rho)²), or only the means if rho is nil, with
// the state to learn them.
type gaussians struct {
	mean, rho []float64
	sigma     []float64 // softplus(rho)
	priorMean float64
	priorStd  []float64
	gamma     float64 // of the extra entropy
	share     float64 // of the draws that use them

	byMean, byRho []float64 // derivatives of the loss
	means, rhos   adam
}

func newGaussians(mean []float64, priorMean float64, priorStd []float64) *gaussians {
	return &gaussians{mean: mean, priorMean: priorMean, priorStd: priorStd, share: 1,
		byMean: make([]float64, len(mean))}
}

// random makes the numbers random, with a share of the prior's deviation at the start.
func (g *gaussians) random(share float64) *gaussians {
	for _, std := range g.priorStd {
		g.rho, g.sigma = append(g.rho, math.Log(math.Expm1(share*std))), append(g.sigma, share*std)
	}
	g.byRho = make([]float64, len(g.rho))
	return g
}

func softplus(rho float64) float64 { return math.Log1p(math.Exp(rho)) }
func sigmoid(rho float64) float64  { return 1 / (1 + math.Exp(-rho)) }

// draw returns mean + sigma epsilon, and epsilon, which is nil if nothing is random.
func (g *gaussians) draw(random *rand.Rand) (values, epsilon []float64) {
	if g.rho == nil {
		return g.mean, nil
	}
	values, epsilon = slices.Clone(g.mean), make([]float64, len(g.mean))
	for i := range values {
		epsilon[i] = random.NormFloat64()
		values[i] += g.sigma[i] * epsilon[i]
	}
	return values, epsilon
}

// add adds the derivatives by a draw, to byMean and, by sigma, to byRho.
func (g *gaussians) add(byValue, epsilon []float64) {
	for i, d := range byValue {
		g.byMean[i] += d
		if epsilon != nil {
			g.byRho[i] += d * epsilon[i]
		}
	}
}

// step adds the derivatives of H[q, p] - (gamma + 1) H[q], and goes down the gradient.
func (g *gaussians) step() {
	for i, mean := range g.mean {
		variance := g.priorStd[i] * g.priorStd[i]
		g.byMean[i] += g.share * (mean - g.priorMean) / variance
		if g.rho != nil {
			sigma := g.sigma[i]
			g.byRho[i] = (g.byRho[i] + g.share*(sigma/variance-(g.gamma+1)/sigma)) * sigmoid(
				g.rho[i])
		}
	}
	g.means.step(g.mean, g.byMean)
	g.rhos.step(g.rho, g.byRho)
	for i, rho := range g.rho {
		g.sigma[i] = softplus(rho)
	}
	clear(g.byMean)
	clear(g.byRho)
}

// adam is a rule of descent with the moments of the gradient (Kingma and Ba, ICLR 2015).
type adam struct {
	first, second []float64
	steps         float64
}

func (a *adam) step(values, gradient []float64) {
	const rate, firstDecay, secondDecay, least = 0.01, 0.9, 0.999, 1e-8
	if a.steps == 0 {
		a.first, a.second = make([]float64, len(values)), make([]float64, len(values))
	}
	a.steps++
	size := rate * math.Sqrt(1-math.Pow(secondDecay, a.steps)) / (1 - math.Pow(firstDecay, a.steps))
	for i, g := range gradient {
		a.first[i] += (1 - firstDecay) * (g - a.first[i])
		a.second[i] += (1 - secondDecay) * (g*g - a.second[i])
		values[i] -= size * a.first[i] / (math.Sqrt(a.second[i]) + least)
	}
}
