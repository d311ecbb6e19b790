package kernel

// memoryPasses are the kernels that pass over memory: elementwise operations, sums over rows,
// normalisation, pooling and copies. AVX2 and AVX-512 share those of AVX2, since memory sets their
// speed; NEON has the same ones. The types say what the arguments are; portable_*.go define what each computes.
type memoryPasses struct {
	multiplyRows, addRows, maximumRows elementwiseRows

	multiplySign func(output, gradient, activation *float32, vectors int)

	copyBlocks      func(output, input *float32, outputStride, inputStride uintptr, blocks, rows int)
	transposeBlocks func(output, input *float32, outputStride, inputStride uintptr, blocks int)

	normaliseRows, normaliseRectifyRows       func(output, input, scale, shift *float32, vectors, rows int)
	normaliseAddRows, normaliseAddRectifyRows func(output, input, residual, scale, shift *float32, vectors, rows int)

	poolRows         func(output, top, bottom *float32, vectors, windows int)
	poolGradientRows func(outputTop, outputBottom, gradient, top, bottom *float32, vectors, windows int)
	descend          func(parameter, momentum, gradient, settings *float32, vectors int)

	// The others are tables by the number of vectors that a kernel treats.
	sumRows            [13]sumRows
	sumProductRows     [13]sumProductRows
	rectifiedNoiseRows [5]rectifiedNoiseRows
	momentRows         [5]momentRows

	gradientSumRows, gradientSumRowsRectified [5]gradientSumRows
	gradientSumRowsActivated                  [5]activatedSumRows

	normaliseGradientRows, normaliseGradientRowsRectified [5]normaliseGradientRows
}

// elementwiseRows is an operation on rows of vectors of eight, with one row for all on the right.
type elementwiseRows func(output, left, right *float32, vectors, rows int)

// The signatures of the tables. Rows are stride bytes apart.
type (
	sumRows               func(sums, input *float32, stride uintptr, rows int)
	sumProductRows        func(sums, left, right *float32, stride uintptr, rows int)
	rectifiedNoiseRows    func(output, gradient, input, scale, scaleSums, outputSums *float32, stride uintptr, rows int)
	momentRows            func(sums, squares, input, origin *float32, stride uintptr, rows int)
	gradientSumRows       func(sums, products, gradient, input, coefficients *float32, stride uintptr, rows int)
	activatedSumRows      func(sums, products, masked, gradient, activation, input *float32, stride uintptr, rows int)
	normaliseGradientRows func(output, scaleSums, gradient, input, coefficients *float32, stride uintptr, rows int)
)

// passes are the ones in use.
var passes = Available()[0].passes
