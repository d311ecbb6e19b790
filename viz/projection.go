package viz

import (
	"errors"
	"fmt"
	"math"
)

// Projection maps vectors to their first two principal components.
type Projection struct {
	Mean  []float64    // [values], the centre
	Axes  [2][]float64 // [component][values], of length one; the largest value of each is positive
	Share [2]float64   // of the whole variance, 0 to 1
}

// NewProjection fits a projection to draws, [draws][values], such as a layer's outputs for one image under many draws of the
// latents (METHOD.md section 7). The draws must vary in at least two directions.
func NewProjection(draws [][]float64) (*Projection, error) {
	if err := checkDraws(draws); err != nil {
		return nil, err
	}
	p := &Projection{Mean: meanOf(draws)}
	centred := make([][]float64, len(draws))
	total := 0.0
	for i, draw := range draws {
		centred[i] = p.centre(draw)
		total += dot(centred[i], centred[i])
	}
	axes, squares := principalAxes(centred)
	if math.IsInf(total, 0) {
		return nil, errors.New("viz: draws too large for a projection: their squares overflow: scale them down")
	}
	if len(axes) < 2 || squares[1] <= 1e-24*total {
		return nil, fmt.Errorf("viz: %d draws of %d values vary in fewer than two directions: give draws of random outputs", len(draws), len(draws[0]))
	}
	for i := range p.Axes {
		p.Axes[i], p.Share[i] = upright(axes[i]), squares[i]/total
	}
	return p, nil
}

// checkDraws returns an error unless there are draws of one length, all numbers.
func checkDraws(draws [][]float64) error {
	if len(draws) < 3 || len(draws[0]) < 2 {
		return errors.New("viz: a projection needs at least 3 draws of 2 values: give more")
	}
	for i, draw := range draws {
		if len(draw) != len(draws[0]) {
			return fmt.Errorf("viz: draw %d has %d values and draw 0 has %d: give all the same", i, len(draw), len(draws[0]))
		}
		for _, value := range draw {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return fmt.Errorf("viz: draw %d holds the value %g: leave it out", i, value)
			}
		}
	}
	return nil
}

// Project returns the two components of vectors, [points][values].
func (p *Projection) Project(points ...[]float64) ([][2]float64, error) {
	projected := make([][2]float64, len(points))
	for i, point := range points {
		if len(point) != len(p.Mean) {
			return nil, fmt.Errorf("viz: point %d has %d values and the projection %d: give outputs of the same layer", i, len(point), len(p.Mean))
		}
		centred := p.centre(point)
		projected[i] = [2]float64{dot(centred, p.Axes[0]), dot(centred, p.Axes[1])}
	}
	return projected, nil
}

// centre returns the vector minus the mean.
func (p *Projection) centre(point []float64) []float64 {
	result := make([]float64, len(point))
	for j, value := range point {
		result[j] = value - p.Mean[j]
	}
	return result
}

// meanOf returns the mean of vectors.
func meanOf(vectors [][]float64) []float64 {
	mean := make([]float64, len(vectors[0]))
	for _, vector := range vectors {
		for j, value := range vector {
			mean[j] += value / float64(len(vectors))
		}
	}
	return mean
}

// dot returns the scalar product of two vectors.
func dot(a, b []float64) (sum float64) {
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

// upright returns the vector or its opposite, whichever has a positive value of the largest size.
func upright(vector []float64) []float64 {
	largest := 0.0
	for _, value := range vector {
		if math.Abs(value) > math.Abs(largest) {
			largest = value
		}
	}
	result := make([]float64, len(vector))
	for i, value := range vector {
		result[i] = math.Copysign(1, largest) * value
	}
	return result
}
