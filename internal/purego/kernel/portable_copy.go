package kernel

// portableCopyBlocks copies rows of a number of blocks of four numbers. Strides are in bytes.
func portableCopyBlocks(output, input *float32, outputStride, inputStride uintptr, blocks, rows int) {
	for row := range uintptr(rows) {
		copy(numbersAt(output, row*outputStride, blocks*blockNumbers), numbersAt(input, row*inputStride, blocks*blockNumbers))
	}
}

// portableTransposeBlocks transposes a number of blocks of 8 by 8 numbers: columns of eight rows of
// the input, one block after another, become rows of the output. Strides are in bytes.
func portableTransposeBlocks(output, input *float32, outputStride, inputStride uintptr, blocks int) {
	for column := range blocks * rowLanes {
		to := numbersAt(output, uintptr(column)*outputStride, rowLanes)
		for row := range to {
			to[row] = *moved(input, uintptr(row)*inputStride+uintptr(column*numberBytes))
		}
	}
}
