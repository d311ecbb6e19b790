package kernel

// SmallProduct multiplies matrices that are too small for a convolution: left [rows, inner] and right
// [inner, columns], or [columns, inner] if that is transposed. The order of its sums is part of the
// results of kept runs: four products at a time if right is transposed and in the rows after the
// last three, else one by one.
func SmallProduct(output, left, right []float32, inner, columns int, transposed bool) {
	rows, step, next := len(left)/inner, columns, 1 // step leads to the next term, next to the next column
	if transposed {
		step, next = 1, inner
	}
	for row := range rows {
		byFour := transposed || row >= rows/3*3
		for column := range columns {
			output[row*columns+column] = smallSum(left[row*inner:][:inner], right[column*next:], step, byFour)
		}
	}
}

// smallSum adds the products of left and every step-th number of right. The conversions keep
// processors from fusing products with sums.
func smallSum(left, right []float32, step int, byFour bool) (sum float32) {
	term := func(i int) float32 { return float32(left[i] * right[i*step]) }
	i := 0
	if byFour {
		for ; i+3 < len(left); i += 4 {
			sum += term(i) + term(i+1) + term(i+2) + term(i+3)
		}
	}
	for ; i < len(left); i++ {
		sum += term(i)
	}
	return sum
}
