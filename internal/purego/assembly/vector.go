package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// instructionSet holds the width of vectors and the rows of a tile by its number of vectors: as
// many as fit into the registers with the weights and the broadcast inputs.
type instructionSet struct {
	name         string
	bytes        int // of one vector
	pixels       [4]int
	shortPixels  int // of further tiles of two and three vectors, for short rows; 0 for none
	planes       int // output channels of a tile of planes; 0 for none
	gradientRows int // input channels of a tile of the kernel gradient
	broadcasts   [4]int
	byElement    bool // multiplies by an element of a vector, so nothing needs to be broadcast
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
	shortPixels:  4,
	planes:       8,
	gradientRows: 8,
	broadcasts:   [4]int{0, 4, 4, 4},
	newVector:    ZMM,
	clearVector:  func(v reg.VecVirtual) { VPXORD(v, v, v) }, // VXORPS on ZMM would need AVX-512DQ
}

// neon describes NEON in terms of AVX2, whose vectors become pairs of NEON's: with 32 registers,
// its tiles are as large.
var neon = instructionSet{
	name: "NEON", bytes: 32,
	pixels:       [4]int{0, 8, 4, 4},
	gradientRows: 4,
	byElement:    true,
	newVector:    YMM,
	clearVector:  func(v reg.VecVirtual) { VXORPS(v, v, v) },
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
func (t tile) each(memory, stride reg.Register,
	visit func(place Mem, accumulator reg.VecVirtual)) reg.Register {
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
	t.each(memory, stride, func(place Mem, accumulator reg.VecVirtual) {
		VMOVUPS(place, accumulator)
	})
}

func (t tile) store(memory, stride reg.Register) reg.Register {
	return t.each(memory, stride, func(place Mem, accumulator reg.VecVirtual) {
		VMOVUPS(accumulator, place)
	})
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

// element is a number in a register.
type element struct {
	vector reg.VecVirtual
	index  int
}

// factors returns the registers of a tile for weights and for inputs: broadcast numbers, or, if the
// set multiplies by an element, the elements of vectors.
func (t tile) factors(inputs int) (weights, values []reg.VecVirtual) {
	vectors := len(t.rows[0])
	if !t.set.byElement {
		return t.set.newVectors(vectors), t.set.newVectors(t.set.broadcasts[vectors])
	}
	for range inputs {
		values = append(values, XMM())
	}
	return t.set.newVectors(2), values
}

// multiplyAddElements adds to each row m the product of the weights in memory and elements[m]. The
// weights take turns in the registers given; step counts the calls of a loop.
func (t tile) multiplyAddElements(elements []element, step int, weights Mem,
	registers []reg.VecVirtual) {
	for j := range t.rows[0] {
		w := registers[(step*len(t.rows[0])+j)%len(registers)]
		VMOVUPS(weights.Offset(j*t.set.bytes), w)
		for m, e := range elements {
			multiplyAddElement(e, w, t.rows[m][j])
		}
	}
}

// multiplyAddElement adds weights times an element to an accumulator. AVX has no such instruction.
func multiplyAddElement(e element, weights, accumulator reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode:   multiplyAddOpcode,
		Operands: []Op{U8(e.index), e.vector, weights, accumulator},
		Inputs:   []Op{e.vector, weights, accumulator},
		Outputs:  []Op{accumulator},
	})
}

// loadNumbers loads one number or four into the first elements of a vector.
func loadNumbers(count int, from Mem, vector reg.VecVirtual) {
	if count == 1 {
		VMOVSS(from, vector)
	} else {
		VMOVUPS(from, vector)
	}
}

// load returns a general register that holds a parameter of the function.
func load(parameter string) reg.Register { return Load(Param(parameter), GP64()) }

// described are the formats of descriptions that functions have.
var described = map[string]bool{}

// function begins a function of package kernel. The first with a format is described; the others
// compute the same for other vectors or sets.
func function(name, signature, format string, arguments ...any) {
	TEXT(name, attributes, signature)
	if !described[format] {
		Doc(strings.Split(name+" "+fmt.Sprintf(format, arguments...), "\n")...)
	}
	described[format] = true
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

// eachRow runs body for each of the given number of rows, then moves pointers on by stride.
func eachRow(rows, stride reg.Register, body func(), pointers ...reg.Register) {
	Label("row")
	body()
	for _, pointer := range pointers {
		ADDQ(stride, pointer)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
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
