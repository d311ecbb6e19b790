package curve

import (
	"math"
	"slices"
)

// Process returns the mean and the standard deviation of the exact Gaussian process at the places:
// of the network with infinitely many nodes, whose weights have the same prior (Neal 1996; the
// kernel of a ReLU is by Cho and Saul, NeurIPS 2009).
func Process(points []Point, noise float64, places []float64) (mean, std []float64) {
	var all []float64
	for _, p := range points {
		all = append(all, p.X)
	}
	all = append(all, places...)
	mean = make([]float64, len(all))
	covariance := make([][]float64, len(all))
	for i, x := range all {
		for _, y := range all {
			covariance[i] = append(covariance[i], kernel(x, y))
		}
	}
	for i, p := range points { // each conditions the rest left by earlier ones
		row, surprise := slices.Clone(covariance[i]), p.Y-mean[i]
		for j := range all {
			gain := row[j] / (row[i] + noise*noise)
			mean[j] += gain * surprise
			for k := range all {
				covariance[j][k] -= gain * row[k]
			}
		}
	}
	for i := range places {
		i += len(points)
		std = append(std, math.Sqrt(max(0, covariance[i][i])))
	}
	return mean[len(points):], std
}

// kernel is the covariance of the network's values at two places under the prior.
func kernel(x, y float64) float64 {
	const bias = biasStd * biasStd
	xx, xy, yy := bias+2*x*x, bias+2*x*y, bias+2*y*y
	for _, gain := range []float64{2, 1} {
		length := math.Sqrt(xx * yy)
		angle := math.Acos(min(1, max(-1, xy/length)))
		xy = bias + gain*length*(math.Sin(angle)+(math.Pi-angle)*math.Cos(angle))/(2*math.Pi)
		xx, yy = bias+gain*xx/2, bias+gain*yy/2
	}
	return xy
}
