package viz

import (
	"math"

	"github.com/nbbnn/workbench/internal/stream"
)

// principalBlock is the number of directions that are found together: more than the two that are wanted find those sooner.
const principalBlock = 8

// principalAxes returns the directions of the largest sums of squares of centred rows, [rows][values], and these sums, the
// largest first: eigenvectors of the rows' Gram matrix by subspace iteration with a rotation in each step.
func principalAxes(rows [][]float64) (axes [][]float64, squares []float64) {
	rng := stream.New(0, stream.PrincipalAxes, 0)
	axes = make([][]float64, min(principalBlock, len(rows)-1, len(rows[0])))
	for i := range axes {
		axes[i] = make([]float64, len(rows[0]))
		for j := range axes[i] {
			axes[i][j] = rng.NormFloat64()
		}
	}
	axes = orthonormal(axes)
	const most = 1000
	before := 0.0
	for range most {
		products := timesGram(rows, axes)
		var rotation [][]float64
		squares, rotation = eigen(between(axes, products))
		axes = orthonormal(combine(rotation, products))
		if len(axes) < 2 {
			return axes, squares
		}
		now := squares[0] + squares[1]
		if math.Abs(now-before) <= 1e-15*now {
			break
		}
		before = now
	}
	return axes, squares
}

// between returns the scalar products of each vector of a with each of b.
func between(a, b [][]float64) [][]float64 {
	products := make([][]float64, len(a))
	for i, left := range a {
		for _, right := range b {
			products[i] = append(products[i], dot(left, right))
		}
	}
	return products
}

// timesGram returns the axes times the sum over rows of the row's outer product with itself.
func timesGram(rows, axes [][]float64) [][]float64 {
	products := make([][]float64, len(axes))
	for i, axis := range axes {
		products[i] = make([]float64, len(axis))
		for _, row := range rows {
			along := dot(row, axis)
			for j, value := range row {
				products[i][j] += along * value
			}
		}
	}
	return products
}

// combine returns the sums of vectors with the weights of each row.
func combine(weights, vectors [][]float64) [][]float64 {
	result := make([][]float64, len(weights))
	for i, row := range weights {
		result[i] = make([]float64, len(vectors[0]))
		for k, weight := range row {
			for j, value := range vectors[k] {
				result[i][j] += weight * value
			}
		}
	}
	return result
}
