package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// squareTransform is a linear map of a square of vectors to another one, applied to the columns and
// then to the rows: a transform of Winograd's convolution F(4x4, 3x3) with the points 0, a, -a, b,
// -b and infinity.
type squareTransform struct {
	name, doc string
	from, to  int // sides of the squares
	constants int
	finishes  bool // adds a bias, multiplies by a scale and raises values to a floor
	apply     func(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual
}

var transforms = []squareTransform{
	{
		name: "winogradInput", from: 6, to: 6, constants: 6, apply: applyInput,
		doc: "maps 6 by 6 pixels of the input to 36 frequencies; constants are a, b, a^2, b^2, " +
			"a^2 + b^2, a^2 b^2.",
	},
	{
		name: "winogradOutput", from: 6, to: 4, constants: 6, finishes: true, apply: applyOutput,
		doc: "maps 36 frequencies to 4 by 4 pixels of the output, adds bias, multiplies by scale " +
			"and takes the maximum with\n" +
			"a floor; constants are a, b, a^2, b^2, a^3, b^3 and the floor.",
	},
	{
		name: "winogradGradient", from: 4, to: 6, constants: 6, apply: applyGradient,
		doc: "maps 4 by 4 pixels of the output's gradient to 36 frequencies; constants are a, b, " +
			"a^2, b^2, a^3, b^3.",
	},
	{
		name: "winogradKernel", from: 3, to: 6, constants: 7, apply: applyKernel,
		doc: "maps the 3 by 3 taps of a kernel to 36 frequencies; constants are, for the weights " +
			"k, l and m of the points 0, a\n" +
			"and b, k, l, l a, l a^2, m, m b, m b^2.",
	},
	{
		name: "winogradKernelGradient", from: 6, to: 3, constants: 7, apply: applyKernelGradient,
		doc: "maps 36 frequencies to the gradients of 3 by 3 taps; constants are those of " +
			"winogradKernel.",
	},
}

const (
	transformSignature = "func(input *float32, inputOffsets *uintptr, output *float32, " +
		"outputOffsets *uintptr, constants, work *float32, vectors int)"
	finishingSignature = "func(input *float32, inputOffsets *uintptr, output *float32, " +
		"outputOffsets *uintptr, constants, work *float32, vectors int, bias, scale *float32)"
)

func (t squareTransform) write(s instructionSet) {
	signature := transformSignature
	if t.finishes {
		signature = finishingSignature
	}
	function(t.name+s.name, signature, "%s\nIt maps the given number of vectors one after "+
		"another. offsets say, in bytes, where the\n"+
		"squares' elements lie, row by row; work has room for %d vectors.", t.doc, t.from*t.to)
	f := transformRegisters{squareTransform: t, set: s, input: load("input"),
		output: load("output"), work: load("work")}
	f.inputOffsets, f.outputOffsets = load("inputOffsets"), load("outputOffsets")
	f.loadConstants(load("constants"))
	vectors := load("vectors")
	Label("vector")
	f.transformColumns()
	f.transformRows()
	f.advance()
	DECQ(vectors)
	JNZ(LabelRef("vector"))
	finish()
}

// transformRegisters live through the loop of a transform.
type transformRegisters struct {
	squareTransform
	set                         instructionSet
	input, output, work         reg.Register
	inputOffsets, outputOffsets reg.Register
	bias, scale                 reg.Register
	values                      []reg.VecVirtual
	floor                       reg.VecVirtual
}

func (f *transformRegisters) loadConstants(from reg.Register) {
	f.values = f.set.newVectors(f.constants)
	for i, value := range f.values {
		VBROADCASTSS(Mem{Base: from, Disp: 4 * i}, value)
	}
	if f.finishes {
		f.bias, f.scale, f.floor = load("bias"), load("scale"), f.set.newVector()
		VBROADCASTSS(Mem{Base: from, Disp: 4 * f.constants}, f.floor)
	}
}

// transformColumns maps the columns of the input; work gets them as rows by columns.
func (f *transformRegisters) transformColumns() {
	for column := range f.from {
		in := f.set.newVectors(f.from)
		for row, value := range in {
			VMOVUPS(f.at(f.input, f.inputOffsets, row*f.from+column), value)
		}
		for row, value := range f.apply(in, f.values, f.set) {
			VMOVUPS(value, f.workAt(row, column))
		}
	}
}

// transformRows maps the rows that transformColumns left.
func (f *transformRegisters) transformRows() {
	for row := range f.to {
		in := f.set.newVectors(f.from)
		for column, value := range in {
			VMOVUPS(f.workAt(row, column), value)
		}
		for column, value := range f.apply(in, f.values, f.set) {
			f.finish(value)
			VMOVUPS(value, f.at(f.output, f.outputOffsets, row*f.to+column))
		}
	}
}

func (f *transformRegisters) finish(value reg.VecVirtual) {
	if f.finishes {
		VADDPS(Mem{Base: f.bias}, value, value)
		VMULPS(Mem{Base: f.scale}, value, value)
		// the last source in Intel's order comes back for a NaN, which stays
		VMAXPS(value, f.floor, value)
	}
}

func (f *transformRegisters) at(base, offsets reg.Register, element int) Mem {
	offset := GP64()
	MOVQ(Mem{Base: offsets, Disp: 8 * element}, offset)
	return Mem{Base: base, Index: offset, Scale: 1}
}

func (f *transformRegisters) workAt(row, column int) Mem {
	return Mem{Base: f.work, Disp: (row*f.from + column) * f.set.bytes}
}

func (f *transformRegisters) advance() {
	pointers := []reg.Register{f.input, f.output}
	if f.finishes {
		pointers = append(pointers, f.bias, f.scale)
	}
	for _, pointer := range pointers {
		ADDQ(I32(f.set.bytes), pointer)
	}
}

// The transforms of one row may change in, and return the result. The points come in pairs of
// opposite sign, whose results are the sum and the difference of the same even and odd part.

func applyInput(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, sum, product := constants[0], constants[1], constants[2], constants[3],
		constants[4], constants[5]
	zero, infinity := in[0], in[5] // product in[0] - sum in[2] + in[4], and the same one further
	VMULPS(product, zero, zero)
	VFNMADD231PS(sum, in[2], zero)
	VADDPS(in[4], zero, zero)
	VFMADD231PS(product, in[1], infinity)
	VFNMADD231PS(sum, in[3], infinity)
	evenA, oddA, evenB, oddB := duplicate(in[4], s), duplicate(in[3], s), in[4], in[3]
	VFNMADD231PS(bb, in[2], evenA)
	VFNMADD231PS(bb, in[1], oddA)
	VFNMADD231PS(aa, in[2], evenB)
	VFNMADD231PS(aa, in[1], oddB)
	plusA, minusA := sumAndDifference(evenA, oddA, a, s)
	plusB, minusB := sumAndDifference(evenB, oddB, b, s)
	return []reg.VecVirtual{zero, plusA, minusA, plusB, minusB, infinity}
}

func applyOutput(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4],
		constants[5]
	evenA, oddA := evenAndOdd(in[1], in[2], s)
	evenB, oddB := evenAndOdd(in[3], in[4], s)
	first, last := in[0], in[5]
	VADDPS(evenA, first, first)
	VADDPS(evenB, first, first)
	VFMADD231PS(aaa, oddA, last)
	VFMADD231PS(bbb, oddB, last)
	VMULPS(a, oddA, oddA)
	VFMADD231PS(b, oddB, oddA)
	VMULPS(aa, evenA, evenA)
	VFMADD231PS(bb, evenB, evenA)
	return []reg.VecVirtual{first, oddA, evenA, last}
}

func applyGradient(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4],
		constants[5]
	evenA, evenB := duplicate(in[0], s), duplicate(in[0], s)
	VFMADD231PS(aa, in[2], evenA)
	VFMADD231PS(bb, in[2], evenB)
	oddA, oddB := s.newVector(), in[1]
	VMULPS(a, in[1], oddA)
	VFMADD231PS(aaa, in[3], oddA)
	VMULPS(b, in[1], oddB)
	VFMADD231PS(bbb, in[3], oddB)
	minusA, minusB := s.newVector(), in[2]
	VSUBPS(oddA, evenA, minusA)
	VADDPS(oddA, evenA, evenA)
	VSUBPS(oddB, evenB, minusB)
	VADDPS(oddB, evenB, evenB)
	return []reg.VecVirtual{in[0], evenA, minusA, evenB, minusB, in[3]}
}

func applyKernel(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	evenA, evenB := s.newVector(), s.newVector()
	VMULPS(constants[1], in[0], evenA)
	VFMADD231PS(constants[3], in[2], evenA)
	VMULPS(constants[4], in[0], evenB)
	VFMADD231PS(constants[6], in[2], evenB)
	plusA, minusA := sumAndDifference(evenA, in[1], constants[2], s)
	plusB, minusB := sumAndDifference(evenB, in[1], constants[5], s)
	VMULPS(constants[0], in[0], in[0])
	return []reg.VecVirtual{in[0], plusA, minusA, plusB, minusB, in[2]}
}

func applyKernelGradient(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	evenA, oddA := evenAndOdd(in[1], in[2], s)
	evenB, oddB := evenAndOdd(in[3], in[4], s)
	first, last := in[0], in[5]
	VMULPS(constants[0], first, first)
	VFMADD231PS(constants[1], evenA, first)
	VFMADD231PS(constants[4], evenB, first)
	VFMADD231PS(constants[3], evenA, last)
	VFMADD231PS(constants[6], evenB, last)
	VMULPS(constants[2], oddA, oddA)
	VFMADD231PS(constants[5], oddB, oddA)
	return []reg.VecVirtual{first, oddA, last}
}

func duplicate(value reg.VecVirtual, s instructionSet) reg.VecVirtual {
	copied := s.newVector()
	VMOVAPS(value, copied)
	return copied
}

// sumAndDifference returns even + factor odd and even - factor odd, the latter in even.
func sumAndDifference(even, odd, factor reg.VecVirtual, s instructionSet) (sum,
	difference reg.VecVirtual) {
	sum = duplicate(even, s)
	VFMADD231PS(factor, odd, sum)
	VFNMADD231PS(factor, odd, even)
	return sum, even
}

// evenAndOdd returns plus + minus and plus - minus, the former in minus.
func evenAndOdd(plus, minus reg.VecVirtual, s instructionSet) (even, odd reg.VecVirtual) {
	odd = s.newVector()
	VSUBPS(minus, plus, odd)
	VADDPS(minus, plus, minus)
	return minus, odd
}
