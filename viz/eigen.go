package viz

import (
	"math"
	"slices"
)

// orthonormal makes vectors orthogonal to those before them and of length one, and leaves out those that depend on them.
func orthonormal(vectors [][]float64) [][]float64 {
	var basis [][]float64
	for _, vector := range vectors {
		length := math.Sqrt(dot(vector, vector))
		vector = across(across(vector, basis), basis) // twice, against rounding
		left := math.Sqrt(dot(vector, vector))
		if left <= 1e-12*length || left == 0 {
			continue
		}
		for j := range vector {
			vector[j] /= left
		}
		basis = append(basis, vector)
	}
	return basis
}

// across returns the part of a vector that is orthogonal to an orthonormal basis.
func across(vector []float64, basis [][]float64) []float64 {
	vector = slices.Clone(vector)
	for _, direction := range basis {
		along := dot(vector, direction)
		for j := range vector {
			vector[j] -= along * direction[j]
		}
	}
	return vector
}

// eigen returns the eigenvalues of a small symmetric matrix, the largest first, and the eigenvectors as rows, by Jacobi's
// rotations.
func eigen(matrix [][]float64) (values []float64, vectors [][]float64) {
	size := len(matrix)
	vectors = make([][]float64, size)
	for i := range vectors {
		vectors[i] = make([]float64, size)
		vectors[i][i] = 1
	}
	const sweeps = 30 // Jacobi's method needs fewer than ten
	for range sweeps {
		for p := range size {
			for q := p + 1; q < size; q++ {
				rotate(matrix, vectors, p, q)
			}
		}
	}
	order := make([]int, size)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if matrix[a][a] > matrix[b][b] {
			return -1
		}
		return 1
	})
	sorted := make([][]float64, size)
	for i, from := range order {
		values, sorted[i] = append(values, matrix[from][from]), vectors[from]
	}
	return values, sorted
}

// rotate turns the axes p and q of a symmetric matrix so that its entry between them vanishes, and the vectors with them.
func rotate(matrix, vectors [][]float64, p, q int) {
	if matrix[p][q] == 0 {
		return
	}
	angle := 0.5 * math.Atan2(2*matrix[p][q], matrix[p][p]-matrix[q][q])
	sin, cos := math.Sincos(angle)
	for k := range matrix {
		matrix[k][p], matrix[k][q] = cos*matrix[k][p]+sin*matrix[k][q], cos*matrix[k][q]-sin*matrix[k][p]
	}
	for k := range matrix {
		matrix[p][k], matrix[q][k] = cos*matrix[p][k]+sin*matrix[q][k], cos*matrix[q][k]-sin*matrix[p][k]
		vectors[p][k], vectors[q][k] = cos*vectors[p][k]+sin*vectors[q][k], cos*vectors[q][k]-sin*vectors[p][k]
	}
}
