package viz

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Projection maps vectors to their first principal components.
type Projection struct {
	Mean  []float64   // [values], the centre
	Axes  [][]float64 // [components][values], of length one; the largest value of each is positive
	Share []float64   // [components], of the whole variance, 0 to 1, falling
}

// leastShare is the share of the variance up to which a component is rounding.
const leastShare = 1e-12

// NewProjection fits a number of components to draws, [draws][values], such as a layer's outputs
// for one image under many draws of the latents (METHOD.md section 7). The draws must vary in at
// least two directions. If they vary in fewer directions than components, the projection has only
// those.
func NewProjection(draws [][]float64, components int) (*Projection, error) {
	if err := checkDraws(draws); err != nil {
		return nil, err
	}
	if components < 2 {
		return nil, fmt.Errorf("viz: a projection to %d components: give at least 2", components)
	}
	p := &Projection{Mean: meanOf(draws)}
	var total float64
	for _, draw := range draws {
		centred := p.centre(draw)
		total += floats.Dot(centred, centred)
	}
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, errors.New("viz: draws too large for a projection: their squares overflow: scale them down")
	}
	axes, squares := principalAxes(draws, p.Mean, components)
	for i, square := range squares {
		if square <= leastShare*total {
			break
		}
		p.Axes, p.Share = append(p.Axes, upright(axes[i])), append(p.Share, square/total)
	}
	if len(p.Axes) < 2 {
		return nil, fmt.Errorf("viz: %d draws of %d values vary in fewer than two directions: give draws of random outputs", len(draws), len(draws[0]))
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

// Project returns the components of vectors, [points][components].
func (p *Projection) Project(points ...[]float64) ([][]float64, error) {
	projected := make([][]float64, len(points))
	for i, point := range points {
		if len(point) != len(p.Mean) {
			return nil, fmt.Errorf("viz: point %d has %d values and the projection %d: give outputs of the same layer", i, len(point), len(p.Mean))
		}
		centred := p.centre(point)
		for _, axis := range p.Axes {
			projected[i] = append(projected[i], floats.Dot(centred, axis))
		}
	}
	return projected, nil
}

// centre returns the vector minus the mean.
func (p *Projection) centre(point []float64) []float64 {
	return floats.SubTo(make([]float64, len(point)), point, p.Mean)
}

func meanOf(vectors [][]float64) []float64 {
	mean := make([]float64, len(vectors[0]))
	for _, vector := range vectors {
		for j, value := range vector {
			mean[j] += value / float64(len(vectors))
		}
	}
	return mean
}

// upright returns the vector or its opposite, whichever has a positive value of the largest size.
func upright(vector []float64) []float64 {
	if -floats.Min(vector) > floats.Max(vector) {
		floats.Scale(-1, vector)
	}
	return vector
}
