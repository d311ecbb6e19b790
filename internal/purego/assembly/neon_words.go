package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// multiplyAddOpcode is the multiplication by an element of a vector, added to the destination.
const multiplyAddOpcode = "FMLAELEMENT"

// word is an instruction that Go's assembler doesn't know, with three registers: its bits without
// them, and its form in the language of the Arm Architecture Reference Manual.
type word struct {
	bits uint32
	form string // with the destination and the two sources
}

// words are by our names for them.
var words = map[string]word{
	"FADD":  {0x4e20d400, "fadd v%d.4s, v%d.4s, v%d.4s"},
	"FSUB":  {0x4ea0d400, "fsub v%d.4s, v%d.4s, v%d.4s"},
	"FMUL":  {0x6e20dc00, "fmul v%d.4s, v%d.4s, v%d.4s"},
	"FMAX":  {0x4e20f400, "fmax v%d.4s, v%d.4s, v%d.4s"},
	"FCMGT": {0x6ea0e400, "fcmgt v%d.4s, v%d.4s, v%d.4s"},
	"FCMEQ": {0x4e20e400, "fcmeq v%d.4s, v%d.4s, v%d.4s"},
	"LDRQ":  {0x3ce06800, "ldr q%d, [x%d, x%d]"},

	multiplyAddOpcode: {0x4f801000, "fmla v%d.4s, v%d.4s, v%d.s"},
}

// encode returns an instruction as the operand of WORD, with its text in a comment. The operands
// are the second source, the first and the destination; the index of an element comes before them.
func (w word) encode(operands []Op) text {
	index, form := uint32(0), w.form
	if element, indexed := operands[0].(U8); indexed {
		index, operands = uint32(element), operands[1:]
		form += fmt.Sprintf("[%d]", element)
	}
	second, first, to := number(operands[0]), number(operands[1]), number(operands[2])
	bits := w.bits | index&1<<21 | index>>1<<11 | second<<16 | first<<5 | to
	return text(fmt.Sprintf("$0x%08x // "+form, bits, to, first, second))
}

// number is that of an allocated register, which is the same in avo's registers and in arm64's.
func number(register Op) uint32 { return uint32(register.(reg.Physical).PhysicalIndex()) }
