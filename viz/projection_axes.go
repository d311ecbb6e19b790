package viz

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/random"
)

// mostValues is the number of values up to which all principal components are computed at once.
const mostValues = 256

// principalAxes returns the directions of the largest sums of squares of draws, [draws][values],
// around their mean, and these sums, falling: at most the given number of them.
func principalAxes(draws [][]float64, mean []float64, components int) (axes [][]float64, squares []float64) {
	if count, values := len(draws), len(mean); values > mostValues || values > count {
		return newBidiagonal(draws, mean).axes(components)
	}
	centred := mat.NewDense(len(draws), len(mean), nil)
	for i, draw := range draws {
		for j, value := range draw {
			centred.Set(i, j, value-mean[j])
		}
	}
	var pc stat.PC
	var vectors mat.Dense
	pc.PrincipalComponents(centred, nil)
	pc.VectorsTo(&vectors)
	variances := pc.VarsTo(nil)
	for i := range min(components, len(variances)) {
		axes = append(axes, mat.Col(nil, i, &vectors))
		squares = append(squares, variances[i]*float64(len(draws)-1))
	}
	return axes, squares
}

// bidiagonal is the matrix of centred draws, A, in the bases of Golub and Kahan's Lanczos
// bidiagonalisation: A right = left B, where B has the diagonal alpha and beta above it. The
// largest singular values of B soon are those of A, with far fewer columns. All vectors are kept
// orthogonal.
type bidiagonal struct {
	draws       [][]float64
	mean        []float64
	left, right [][]float64
	alpha, beta []float64 // beta[j] is between columns j and j + 1
}

// newBidiagonal starts from a fixed random direction.
func newBidiagonal(draws [][]float64, mean []float64) *bidiagonal {
	rng := random.New(0, random.PrincipalAxes, 0)
	start := make([]float64, len(mean))
	for j := range start {
		start[j] = rng.NormFloat64()
	}
	normalise(start)
	return &bidiagonal{draws: draws, mean: mean, right: [][]float64{start}}
}

// axes adds columns until the leading singular values have settled, and returns them.
func (b *bidiagonal) axes(components int) (axes [][]float64, squares []float64) {
	const patience, settled = 10, 1e-9 // columns between two tests, residual over the largest singular value
	most := min(len(b.draws), len(b.mean))
	for more := true; more; {
		for range patience {
			if more = len(b.alpha) < most && b.grow(); !more {
				break
			}
		}
		if b.settled(components, settled) {
			break
		}
	}
	return b.leading(components)
}

// grow adds a column. It returns false if the draws vary in no further direction.
func (b *bidiagonal) grow() bool {
	j := len(b.alpha)
	u := b.times(b.right[j])
	without(u, b.left)
	alpha := normalise(u)
	if j > 0 && alpha <= 1e-14*b.alpha[0] || alpha == 0 {
		return false
	}
	b.left, b.alpha = append(b.left, u), append(b.alpha, alpha)
	v := b.transposed(u)
	without(v, b.right)
	beta := normalise(v)
	b.right, b.beta = append(b.right, v), append(b.beta, beta)
	return beta > 1e-14*b.alpha[0]
}

// times returns A v.
func (b *bidiagonal) times(v []float64) []float64 {
	result, centre := make([]float64, len(b.draws)), dot(b.mean, v)
	for i, draw := range b.draws {
		result[i] = dot(draw, v) - centre
	}
	return result
}

// transposed returns u A.
func (b *bidiagonal) transposed(u []float64) []float64 {
	result := make([]float64, len(b.mean))
	for i, draw := range b.draws {
		for j, value := range draw {
			result[j] += u[i] * (value - b.mean[j])
		}
	}
	return result
}

// decomposition returns the singular value decomposition of B.
func (b *bidiagonal) decomposition() (svd mat.SVD, ok bool) {
	size := len(b.alpha)
	if size == 0 {
		return svd, false
	}
	matrix := mat.NewDense(size, size, nil)
	for j, alpha := range b.alpha {
		matrix.Set(j, j, alpha)
		if j+1 < size {
			matrix.Set(j, j+1, b.beta[j])
		}
	}
	return svd, svd.Factorize(matrix, mat.SVDThin)
}

// settled reports whether the residuals of the leading singular vectors are small.
func (b *bidiagonal) settled(components int, tolerance float64) bool {
	svd, ok := b.decomposition()
	if !ok || len(b.alpha) < components {
		return false
	}
	var left mat.Dense
	svd.UTo(&left)
	last := len(b.alpha) - 1
	for i := range components {
		if b.beta[last]*math.Abs(left.At(last, i)) > tolerance*svd.Values(nil)[0] {
			return false
		}
	}
	return true
}

// leading returns the leading right singular vectors and the squares of their values.
func (b *bidiagonal) leading(components int) (axes [][]float64, squares []float64) {
	svd, ok := b.decomposition()
	if !ok {
		return nil, nil
	}
	var right mat.Dense
	svd.VTo(&right)
	for i, value := range svd.Values(nil)[:min(components, len(b.alpha))] {
		axis := make([]float64, len(b.mean))
		for j := range b.alpha {
			for k, entry := range b.right[j] {
				axis[k] += right.At(j, i) * entry
			}
		}
		axes, squares = append(axes, axis), append(squares, value*value)
	}
	return axes, squares
}

// without subtracts from a vector its parts along orthonormal directions, twice: once loses digits.
func without(vector []float64, directions [][]float64) {
	for range 2 {
		for _, direction := range directions {
			along := dot(vector, direction)
			for j, value := range direction {
				vector[j] -= along * value
			}
		}
	}
}

// normalise scales a vector to length one and returns the length that it had.
func normalise(vector []float64) float64 {
	length := math.Sqrt(dot(vector, vector))
	if length > 0 {
		for j := range vector {
			vector[j] /= length
		}
	}
	return length
}
