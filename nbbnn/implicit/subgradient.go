package implicit

import "math"

// Where f has a kink, the gradient of the objective jumps, and it needn't be near zero at a
// minimiser on the kink: there zero is a mean of the gradients on all sides. So a search looks at
// the shortest weighted mean of the gradients at points close to each other, Goldstein's
// subgradient, which is zero at every minimiser and is the gradient itself away from kinks.

const (
	nearbyPoints = 16   // that a search remembers
	nearbyRadius = 0.01 // distance of points that are close to a change, relative to its length
)

// nearby holds the latest points of a search.
type nearby []point

// add remembers a point, and forgets the oldest of many.
func (n *nearby) add(p point) {
	*n = append(*n, p)
	if len(*n) > nearbyPoints {
		*n = (*n)[1:]
	}
}

// subgradient returns the shortest mean of the gradients at a point and its neighbours.
func (n nearby) subgradient(at point, lambda float64) []float64 {
	gradients := [][]float64{at.slope(lambda)}
	limit := nearbyRadius * norm(at.change)
	for _, other := range n {
		if apart := distance(at.change, other.change); apart > 0 && apart <= limit {
			gradients = append(gradients, other.slope(lambda))
		}
	}
	mean := make([]float64, len(at.change))
	for i, weight := range shortestMean(gradients) {
		addScaled(mean, weight, gradients[i])
	}
	return mean
}

// norm returns the length of a vector.
func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func distance(a, b []float64) float64 {
	sum := 0.0
	for i, value := range a {
		sum += (value - b[i]) * (value - b[i])
	}
	return math.Sqrt(sum)
}

// shortestMean returns the weights, 0 to 1, of the shortest weighted mean of vectors.
// Each round moves weight from the vector whose product with the mean is the largest to the one
// with the smallest, until both are nearly equal.
func shortestMean(vectors [][]float64) (weights []float64) {
	const rounds, precision = 2000, 1e-4
	count := len(vectors)
	gram := make([][]float64, count)
	for i := range vectors {
		gram[i] = make([]float64, count)
		for j := range i + 1 {
			gram[i][j] = dot(vectors[i], vectors[j])
			gram[j][i] = gram[i][j]
		}
	}
	weights = make([]float64, count)
	products := make([]float64, count) // with the mean
	weights[0] = 1
	copy(products, gram[0])
	for range rounds {
		from, to := extremes(weights, products)
		gap := products[from] - products[to]
		if gap <= precision*products[from] {
			break
		}
		curvature := gram[from][from] - 2*gram[from][to] + gram[to][to]
		moved := min(weights[from], gap/curvature)
		weights[from] -= moved
		weights[to] += moved
		for i := range products {
			products[i] += moved * (gram[i][to] - gram[i][from])
		}
	}
	return weights
}

// extremes returns the vector with weight whose product with the mean is the largest, and the one
// with the smallest product.
func extremes(weights, products []float64) (from, to int) {
	from = -1
	for i, product := range products {
		if weights[i] > 0 && (from < 0 || product > products[from]) {
			from = i
		}
		if product < products[to] {
			to = i
		}
	}
	return from, to
}
