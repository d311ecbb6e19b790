package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// instructionSet says how wide vectors are and how many rows a tile has, by its number of vectors:
// as many as fit into the registers beside the vectors of weights and the broadcast inputs.
type instructionSet struct {
	name         string
	bytes        int // of one vector
	pixels       [4]int
	gradientRows int // input channels of a tile of the kernel gradient
	broadcasts   [4]int
	newVector    func() reg.VecVirtual
	clearVector  func(reg.VecVirtual)
}

var avx2 = instructionSet{
	name: "AVX2", bytes: 32,
	pixels:       [4]int{0, 8, 4, 4},
	gradientRows: 4,
	broadcasts:   [4]int{0, 4, 4, 1},
	newVector:    YMM,
	clearVector:  func(v reg.VecVirtual) { VXORPS(v, v, v) },
}

var avx512 = instructionSet{
	name: "AVX512", bytes: 64,
	pixels:       [4]int{0, 8, 8, 8},
	gradientRows: 8,
	broadcasts:   [4]int{0, 4, 4, 4},
	newVector:    ZMM,
	clearVector:  func(v reg.VecVirtual) { VPXORD(v, v, v) }, // VXORPS on ZMM would need AVX-512DQ
}

func (s instructionSet) newVectors(count int) []reg.VecVirtual {
	vectors := make([]reg.VecVirtual, count)
	for i := range vectors {
		vectors[i] = s.newVector()
	}
	return vectors
}

// tile is a grid of accumulators: rows of vectors.
type tile struct {
	set  instructionSet
	rows [][]reg.VecVirtual
}

func newTile(s instructionSet, rows, vectors int) tile {
	t := tile{set: s}
	for range rows {
		t.rows = append(t.rows, s.newVectors(vectors))
	}
	return t
}

// each visits every accumulator with its place in memory, rows being stride bytes apart. It leaves
// in the register it returns the address of the last row.
func (t tile) each(memory, stride reg.Register, visit func(place Mem, accumulator reg.VecVirtual)) reg.Register {
	row := GP64()
	MOVQ(memory, row)
	for m, accumulators := range t.rows {
		if m > 0 {
			ADDQ(stride, row)
		}
		for j, accumulator := range accumulators {
			visit(Mem{Base: row, Disp: j * t.set.bytes}, accumulator)
		}
	}
	return row
}

func (t tile) load(memory, stride reg.Register) {
	t.each(memory, stride, func(place Mem, accumulator reg.VecVirtual) { VMOVUPS(place, accumulator) })
}

func (t tile) store(memory, stride reg.Register) reg.Register {
	return t.each(memory, stride, func(place Mem, accumulator reg.VecVirtual) { VMOVUPS(accumulator, place) })
}

// multiplyAdd adds the product of weights and the value at inputs[m], broadcast, to each row m.
func (t tile) multiplyAdd(inputs []Mem, weights, broadcasts []reg.VecVirtual) {
	for m, accumulators := range t.rows {
		value := broadcasts[m%len(broadcasts)]
		VBROADCASTSS(inputs[m], value)
		for j, accumulator := range accumulators {
			VFMADD231PS(weights[j], value, accumulator)
		}
	}
}

// load returns a general register that holds a parameter of the function.
func load(parameter string) reg.Register { return Load(Param(parameter), GP64()) }

// function begins a function of package kernel.
func function(name, signature, format string, arguments ...any) {
	TEXT(name, attributes, signature)
	Doc(strings.Split(name+" "+fmt.Sprintf(format, arguments...), "\n")...)
	Pragma("noescape")
}

// align starts the next instruction, the head of a hot loop, at a multiple of 32 bytes.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(32)}})
}

// finish returns to Go, with the upper halves of the vector registers cleared.
func finish() {
	VZEROUPPER()
	RET()
}

// fourThenOne runs body(4) count/4 times, then body(1) count%4 times. The body moves its own
// pointers on. prefix names the labels.
func fourThenOne(prefix string, count reg.Register, body func(unroll int)) {
	left := GP64()
	MOVQ(count, left)
	SHRQ(U8(2), left)
	JZ(LabelRef(prefix + "_rest"))
	align()
	Label(prefix + "_four")
	body(4)
	DECQ(left)
	JNZ(LabelRef(prefix + "_four"))
	Label(prefix + "_rest")
	MOVQ(count, left)
	ANDQ(U8(3), left)
	JZ(LabelRef(prefix + "_done"))
	Label(prefix + "_one")
	body(1)
	DECQ(left)
	JNZ(LabelRef(prefix + "_one"))
	Label(prefix + "_done")
}
