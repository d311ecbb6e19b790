package curve

import "math"

// Process returns the mean and the standard deviation of the exact Gaussian process at the places:
// of the network with infinitely many nodes, whose weights have the same prior (Neal 1996; the
// kernel of a ReLU is by Cho and Saul, NeurIPS 2009).
func Process(points []Point, noise float64, places []float64) (mean, std []float64) {
	n := len(points)
	covariance := make([][]float64, n)
	targets := make([]float64, n)
	for i, p := range points {
		covariance[i] = make([]float64, n)
		for j, q := range points {
			covariance[i][j] = kernel(p.X, q.X)
		}
		covariance[i][i] += noise * noise
		targets[i] = p.Y
	}
	root := cholesky(covariance)
	whitened := forwardSolve(root, targets)
	for _, x := range places {
		row := make([]float64, n)
		for i, p := range points {
			row[i] = kernel(x, p.X)
		}
		row = forwardSolve(root, row)
		m, variance := 0.0, kernel(x, x)
		for i, value := range row {
			m += value * whitened[i]
			variance -= value * value
		}
		mean, std = append(mean, m), append(std, math.Sqrt(max(0, variance)))
	}
	return mean, std
}

// kernel is the covariance of the network's values at two places under the prior.
func kernel(x, y float64) float64 {
	const bias = biasStd * biasStd
	xx, xy, yy := bias+2*x*x, bias+2*x*y, bias+2*y*y
	for layer := range 2 {
		gain := 2.0
		if layer == 1 {
			gain = 1
		}
		length := math.Sqrt(xx * yy)
		angle := math.Acos(min(1, max(-1, xy/length)))
		xy = bias + gain*length*(math.Sin(angle)+(math.Pi-angle)*math.Cos(angle))/(2*math.Pi)
		xx, yy = bias+gain*xx/2, bias+gain*yy/2
	}
	return xy
}

// cholesky returns the lower triangle L with L L' = a.
func cholesky(a [][]float64) [][]float64 {
	root := make([][]float64, len(a))
	for i := range a {
		root[i] = make([]float64, len(a))
		for j := range i + 1 {
			rest := a[i][j]
			for k := range j {
				rest -= root[i][k] * root[j][k]
			}
			if i == j {
				root[i][i] = math.Sqrt(rest)
			} else {
				root[i][j] = rest / root[j][j]
			}
		}
	}
	return root
}

// forwardSolve returns x with root x = b, for a lower triangle.
func forwardSolve(root [][]float64, b []float64) (x []float64) {
	for i, rest := range b {
		for k, value := range x {
			rest -= root[i][k] * value
		}
		x = append(x, rest/root[i][i])
	}
	return x
}
