package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nbbnn/workbench/internal/random"
)

// Projection maps vectors to their first principal components.
type Projection struct {
	Mean  []float64   // [values], the centre
	Axes  [][]float64 // [components][values], of length one; the largest value of each is positive
	Share []float64   // [components], of the whole variance, 0 to 1, falling
}

// leastShare is the share of the variance up to which a component is rounding.
const leastShare = 1e-12

// NewProjection fits a number of components to draws, [draws][values], for example a layer's
// outputs for one image under many draws of the latents (METHOD.md section 7). The draws must vary
// in at least two directions. If they vary in fewer directions than components, the projection has
// fewer.
func NewProjection(draws [][]float64, components int) (*Projection, error) {
	if err := checkDraws(draws); err != nil {
		return nil, err
	}
	if len(draws) < 3 || len(draws[0]) < 2 {
		return nil, errors.New("viz: a projection needs at least 3 draws of 2 values: give more")
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
		return nil, errors.New("viz: draws too large for a projection: their squares overflow: " +
			"scale them down")
	}
	axes, squares := principalAxes(draws, p.Mean, components)
	for i, square := range squares {
		if square <= leastShare*total {
			break
		}
		p.Axes, p.Share = append(p.Axes, upright(axes[i])), append(p.Share, square/total)
	}
	if len(p.Axes) < 2 {
		return nil, fmt.Errorf("viz: %d draws of %d values vary in fewer than two directions: "+
			"give draws of random outputs", len(draws), len(draws[0]))
	}
	return p, nil
}

// checkDraws returns an error unless draws have one length and are all numbers.
func checkDraws(draws [][]float64) (err error) {
	for i, draw := range draws {
		owner := fmt.Sprintf("draw %d", i)
		err = cmp.Or(err, paired(owner, "values", len(draw), "in draw 0", len(draws[0])),
			within(owner, "value", draw, numbers))
	}
	return err
}

// Project returns the components of vectors, [points][components].
func (p *Projection) Project(points ...[]float64) ([][]float64, error) {
	projected := make([][]float64, len(points))
	for i, point := range points {
		if err := paired(fmt.Sprintf("point %d", i), "values", len(point), "in the projection",
			len(p.Mean)); err != nil {
			return nil, err
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

// lanczos is the scatter matrix S of draws, the sum of the outer products of their differences from
// the mean, in a basis in which it is tridiagonal. The largest eigenvalues of the small matrix soon
// equal S's. The basis is kept orthogonal.
type lanczos struct {
	draws            [][]float64
	mean             []float64
	basis            [][]float64
	diagonal, beside []float64 // beside[j] is between columns j and j + 1
	rng              *rand.Rand
}

// principalAxes returns the directions of the largest sums of squares of draws, [draws][values],
// around their mean, and these sums, falling: at most the given number of them.
func principalAxes(draws [][]float64, mean []float64, components int) (axes [][]float64,
	squares []float64) {
	// columns between two tests, residual over the largest eigenvalue
	const patience, settled = 10, 1e-10
	l := &lanczos{draws: draws, mean: mean, rng: random.New(0, random.PrincipalAxes, 0)}
	l.turn(make([]float64, len(mean)))
	for most := min(len(draws), len(mean)); ; {
		for range min(patience, most-len(l.diagonal)) {
			l.grow()
		}
		axes, squares, residual := l.leading(components)
		if size := len(l.diagonal); size == most || size >= components &&
			residual <= settled*squares[0] {
			return axes, squares
		}
	}
}

// grow adds a column. If S leads nowhere out of the basis, the next vector is a random one.
func (l *lanczos) grow() {
	last := len(l.diagonal)
	next := l.times(l.basis[last])
	l.diagonal = append(l.diagonal, floats.Dot(next, l.basis[last]))
	length := l.turn(next)
	if length <= 1e-14*floats.Max(l.diagonal) {
		l.basis, length = l.basis[:last+1], 0
		l.turn(make([]float64, len(next)))
	}
	l.beside = append(l.beside, length)
}

// turn appends a vector to the basis, without its parts along the others, and returns the length of
// the rest. It replaces zero by a random vector.
func (l *lanczos) turn(vector []float64) float64 {
	if floats.Norm(vector, 2) == 0 {
		for j := range vector {
			vector[j] = l.rng.NormFloat64()
		}
	}
	for range 2 { // once loses digits
		for _, direction := range l.basis {
			floats.AddScaled(vector, -floats.Dot(vector, direction), direction)
		}
	}
	length := floats.Norm(vector, 2)
	if length > 0 {
		floats.Scale(1/length, vector)
	}
	l.basis = append(l.basis, vector)
	return length
}

// times returns S v.
func (l *lanczos) times(v []float64) []float64 {
	result, centre := make([]float64, len(v)), floats.Dot(l.mean, v)
	for _, draw := range l.draws {
		along := floats.Dot(draw, v) - centre
		for j, value := range draw {
			result[j] += along * (value - l.mean[j])
		}
	}
	return result
}

// leading returns the leading eigenvectors of S that the basis holds, with their eigenvalues,
// falling, and the largest residual.
func (l *lanczos) leading(components int) (axes [][]float64, squares []float64, residual float64) {
	size := len(l.diagonal)
	matrix := mat.NewSymDense(size, nil)
	for j, value := range l.diagonal {
		matrix.SetSym(j, j, value)
		if j > 0 {
			matrix.SetSym(j-1, j, l.beside[j-1])
		}
	}
	var eigen mat.EigenSym
	var vectors mat.Dense
	eigen.Factorize(matrix, true) // doesn't fail for numbers
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	for i := size - 1; i >= max(0, size-components); i-- {
		axis := make([]float64, len(l.mean))
		for j := range size {
			floats.AddScaled(axis, vectors.At(j, i), l.basis[j])
		}
		axes, squares = append(axes, axis), append(squares, values[i])
		residual = max(residual, math.Abs(l.beside[size-1]*vectors.At(size-1, i)))
	}
	return axes, squares, residual
}
