package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposeBlocks writes the transposition that packs kernels for input gradients. It's AVX2 only:
// memory sets its speed.
func transposeBlocks() {
	function("transposeBlocks", "func(output, input *float32, outputStride, inputStride uintptr, "+
		"blocks int)",
		"transposes the given number of blocks of 8 by 8 numbers: columns of eight rows of the "+
			"input, one block after\n"+
			"another, become rows of the output. Strides are in bytes.")
	output, input, blocks := load("output"), load("input"), load("blocks")
	outputStride, inputStride := load("outputStride"), load("inputStride")
	Label("block")
	rows := avx2.newVectors(8)
	from := GP64()
	MOVQ(input, from)
	for i, row := range rows {
		VMOVUPS(Mem{Base: from}, row)
		if i < len(rows)-1 {
			ADDQ(inputStride, from)
		}
	}
	for _, row := range transposed(rows) {
		VMOVUPS(row, Mem{Base: output})
		ADDQ(outputStride, output)
	}
	ADDQ(I32(vectorBytes), input)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	finish()
}

// transposed returns the columns of eight rows: pairs of rows are mixed by one number, then by two,
// then by four.
func transposed(rows []reg.VecVirtual) []reg.VecVirtual {
	var pairs, fours, columns []reg.VecVirtual
	for i := 0; i < 8; i += 2 {
		low, high := YMM(), YMM()
		VUNPCKLPS(rows[i+1], rows[i], low)
		VUNPCKHPS(rows[i+1], rows[i], high)
		pairs = append(pairs, low, high)
	}
	for i := 0; i < 8; i += 4 {
		for _, j := range []int{i, i + 1} {
			low, high := YMM(), YMM()
			VSHUFPS(U8(0x44), pairs[j+2], pairs[j], low)
			VSHUFPS(U8(0xEE), pairs[j+2], pairs[j], high)
			fours = append(fours, low, high)
		}
	}
	for _, halves := range []U8{0x20, 0x31} {
		for i := range 4 {
			column := YMM()
			VPERM2F128(halves, fours[i+4], fours[i], column)
			columns = append(columns, column)
		}
	}
	return columns
}
