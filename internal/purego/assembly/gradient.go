package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const gradientSignature = "func(input *float32, inputRowStride, inputPixelStride uintptr, " +
	"gradient *float32, gradientStride uintptr, rows, columns int, taps *uintptr, tapCount int, " +
	"output *float32, outputStride, outputTapStride uintptr)"

// kernelGradientTile writes the micro-kernel of the kernel gradient: a tile of input channels by
// output channels, for each tap.
func kernelGradientTile(s instructionSet, vectors int) {
	name := fmt.Sprintf("kernelGradientTile%d%s", vectors, s.name)
	function(name, gradientSignature, "adds, for each tap and for %d input channels by %d "+
		"vectors of output channels,\n"+
		"the sum over rows times columns pixels of input, displaced by the tap, times gradient. "+
		"input is a panel of %d channels a\n"+
		"pixel, taps are byte offsets in it; gradient's pixels follow each other over all rows. "+
		"Strides are in bytes.",
		s.gradientRows, vectors, s.gradientRows)
	g := gradientRegisters{set: s, accumulators: newTile(s, s.gradientRows, vectors)}
	g.weights, g.inputs = g.accumulators.factors(s.gradientRows / 4)
	g.inputStride, g.gradientStride = load("inputPixelStride"), load("gradientStride")
	g.threeInputs, g.threeGradients = GP64(), GP64()
	LEAQ(Mem{Base: g.inputStride, Index: g.inputStride, Scale: 2}, g.threeInputs)
	LEAQ(Mem{Base: g.gradientStride, Index: g.gradientStride, Scale: 2}, g.threeGradients)
	tap, left, output := load("taps"), load("tapCount"), load("output")

	Label("tap")
	g.accumulators.load(output, load("outputStride"))
	g.sumPixels(tap)
	g.accumulators.store(output, load("outputStride"))
	tapStride := load("outputTapStride")
	ADDQ(tapStride, output)
	ADDQ(U8(8), tap)
	DECQ(left)
	JNZ(LabelRef("tap"))
	finish()
}

// gradientRegisters live through the inner loop of the kernel gradient.
type gradientRegisters struct {
	set                      instructionSet
	accumulators             tile
	weights, inputs          []reg.VecVirtual
	inputStride, threeInputs reg.Register
	gradientStride           reg.Register
	threeGradients           reg.Register
}

// sumPixels adds the products of all pixels for one tap.
func (g gradientRegisters) sumPixels(tap reg.Register) {
	row, gradient, rows, columns := load("input"), load("gradient"), load("rows"), load("columns")
	ADDQ(Mem{Base: tap}, row)
	input := GP64()
	Label("row")
	MOVQ(row, input)
	fourThenOne("pixel", columns, func(unroll int) {
		for pixel := range unroll {
			g.addPixel(pixel, fourRows(input, g.inputStride, g.threeInputs, 0)[pixel],
				fourRows(gradient, g.gradientStride, g.threeGradients, 0)[pixel])
		}
		g.advance(input, g.inputStride, unroll)
		g.advance(gradient, g.gradientStride, unroll)
	})
	ADDQ(load("inputRowStride"), row)
	DECQ(rows)
	JNZ(LabelRef("row"))
}

func (g gradientRegisters) advance(pointer, stride reg.Register, pixels int) {
	LEAQ(Mem{Base: pointer, Index: stride, Scale: uint8(pixels)}, pointer)
}

// addPixel adds the outer product of a pixel's input channels and its gradient.
func (g gradientRegisters) addPixel(pixel int, input, gradient Mem) {
	rows := len(g.accumulators.rows)
	if g.set.byElement {
		elements := make([]element, rows)
		for m := range elements {
			if m%4 == 0 {
				VMOVUPS(input.Offset(4*m), g.inputs[m/4])
			}
			elements[m] = element{g.inputs[m/4], m % 4}
		}
		g.accumulators.multiplyAddElements(elements, pixel, gradient, g.weights)
		return
	}
	for j, w := range g.weights {
		VMOVUPS(gradient.Offset(j*g.set.bytes), w)
	}
	inputs := make([]Mem, rows)
	for m := range inputs {
		inputs[m] = input.Offset(4 * m)
	}
	g.accumulators.multiplyAdd(inputs, g.weights, g.inputs)
}
