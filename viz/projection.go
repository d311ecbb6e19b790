package viz

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/random"
)

// Projection maps vectors to their first two principal components.
type Projection struct {
	Mean  []float64    // [values], the centre
	Axes  [2][]float64 // [component][values], of length one; the largest value of each is positive
	Share [2]float64   // of the whole variance, 0 to 1
}

// NewProjection fits a projection to draws, [draws][values], such as a layer's outputs for one
// image under many draws of the latents (METHOD.md section 7). The draws must vary in at least two
// directions.
func NewProjection(draws [][]float64) (*Projection, error) {
	if err := checkDraws(draws); err != nil {
		return nil, err
	}
	p := &Projection{Mean: meanOf(draws)}
	centred := mat.NewDense(len(draws), len(p.Mean), nil)
	for i, draw := range draws {
		centred.SetRow(i, p.centre(draw))
	}
	total := math.Pow(mat.Norm(centred, 2), 2)
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, errors.New("viz: draws too large for a projection: their squares overflow: scale them down")
	}
	axes, squares := principalAxes(centred)
	if total == 0 || squares[1] <= 1e-24*total {
		return nil, fmt.Errorf("viz: %d draws of %d values vary in fewer than two directions: give draws of random outputs", len(draws), len(draws[0]))
	}
	for i := range p.Axes {
		p.Axes[i], p.Share[i] = upright(axes[i]), squares[i]/total
	}
	return p, nil
}

// mostValues is the number of values up to which all principal components are computed at once.
const mostValues = 256

// principalAxes returns the two directions of the largest sums of squares of centred draws, [draws,
// values], and these sums.
func principalAxes(draws *mat.Dense) (axes [2][]float64, squares [2]float64) {
	count, values := draws.Dims()
	if values > mostValues || values > count {
		return leadingAxes(draws)
	}
	var components stat.PC
	var vectors mat.Dense
	components.PrincipalComponents(draws, nil)
	components.VectorsTo(&vectors)
	variances := components.VarsTo(nil)
	for i := range axes {
		axes[i], squares[i] = mat.Col(nil, i, &vectors), variances[i]*float64(count-1)
	}
	return axes, squares
}

// leadingAxes is principalAxes for draws of many values, by subspace iteration: a few directions,
// orthonormal, are multiplied by the draws' covariance until the two largest sums of squares stay
// as they are.
func leadingAxes(draws *mat.Dense) (axes [2][]float64, squares [2]float64) {
	count, values := draws.Dims()
	const most = 1000 // iterations
	rng := random.New(0, random.PrincipalAxes, 0)
	directions := mat.NewDense(values, min(8, count, values), nil)
	directions.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, directions)
	for range most {
		before := squares[0] + squares[1]
		var basis, along, rotation, rotated mat.Dense
		var of, to mat.SVD
		of.Factorize(directions, mat.SVDThin)
		of.UTo(&basis)
		along.Mul(draws, &basis)
		to.Factorize(&along, mat.SVDThin)
		to.VTo(&rotation)
		rotated.Mul(&basis, &rotation)
		for i, value := range to.Values(nil)[:2] {
			axes[i], squares[i] = mat.Col(nil, i, &rotated), value*value
		}
		if now := squares[0] + squares[1]; math.Abs(now-before) <= 1e-15*now {
			break
		}
		directions.Mul(draws.T(), &along)
	}
	return axes, squares
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
