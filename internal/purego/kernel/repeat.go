//go:build amd64

package kernel

// Repeat writes every row of input, so many numbers, for each of its copies, which are adjacent.
func Repeat(rows int, output, input []float32) {
	size := len(input) / rows
	copies := len(output) / len(input)
	Parallel(Workers(), rows, func(_, row int) {
		from := input[row*size:][:size]
		for copied := range copies {
			copy(output[(row*copies+copied)*size:][:size], from)
		}
	})
}

// SumCopies writes the sum of the adjacent copies of each row.
func SumCopies(rows int, output, input []float32) {
	size := len(output) / rows
	copies := len(input) / len(output)
	Parallel(Workers(), rows, func(_, row int) {
		sums := output[row*size:][:size]
		copy(sums, input[row*copies*size:])
		for copied := 1; copied < copies; copied++ {
			addTo(sums, input[(row*copies+copied)*size:][:size])
		}
	})
}

// addTo adds values to sums, of the same length.
func addTo(sums, values []float32) {
	vectors := len(sums) / rowLanes
	if vectors > 0 {
		addRows(&sums[0], &sums[0], &values[0], vectors, 1)
	}
	for i := vectors * rowLanes; i < len(sums); i++ {
		sums[i] += values[i]
	}
}
