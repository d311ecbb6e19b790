package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// text is an operand as it is written.
type text string

// Asm returns the text.
func (t text) Asm() string { return string(t) }

// arrangements are the register arrangements of instructions on vectors.
var arrangements = map[string]string{
	"VFMLA": "S4", "VFMLS": "S4", "VCMEQ": "S4", "VUSHR": "S4", "VSHL": "S4", "VZIP1": "S4",
	"VZIP2": "S4", "VZIP1.D2": "D2", "VZIP2.D2": "D2",
	"VAND": "B16", "VORR": "B16", "VEOR": "B16", "VMOV": "B16",
}

// spell writes the instructions of a function, whose registers are allocated, as Go's assembler for
// arm64 wants them. Moves from a register to itself disappear.
func spell(f *ir.Function) error {
	var nodes []ir.Node
	for _, node := range f.Nodes {
		if i, isInstruction := node.(*ir.Instruction); isInstruction {
			if (i.Opcode == "VMOV" || i.Opcode == "MOVD") && i.Operands[0] == i.Operands[1] {
				continue
			}
			spellInstruction(i)
		}
		nodes = append(nodes, node)
	}
	f.Nodes = nodes
	return nil
}

func spellInstruction(i *ir.Instruction) {
	if w, unknown := words[i.Opcode]; unknown {
		i.Opcode, i.Operands = "WORD", []Op{w.encode(i.Operands)}
		return
	}
	letter := "R"
	if strings.HasPrefix(i.Opcode, "F") {
		letter = "F"
	}
	arrangement, isVector := arrangements[i.Opcode]
	operands := make([]Op, len(i.Operands))
	for at, operand := range i.Operands {
		operands[at] = operand
		if place, inMemory := operand.(Mem); inMemory && place.Symbol.Name == "" {
			operands[at] = text(fmt.Sprintf("%s(R%d)", displacement(place), number(place.Base)))
		}
		if _, isRegister := operand.(reg.Physical); isRegister && isVector {
			operands[at] = text(fmt.Sprintf("V%d.%s", number(operand), arrangement))
		} else if isRegister {
			operands[at] = text(fmt.Sprintf("%s%d", letter, number(operand)))
		}
	}
	switch i.Opcode {
	case "FLDPQ":
		operands = []Op{operands[0], pair(operands[1], operands[2])}
	case "FSTPQ":
		operands = []Op{pair(operands[0], operands[1]), operands[2]}
	case "CBZ", "CBNZ":
		operands[0], operands[1] = operands[1], operands[0]
	case "VDUP":
		operands = []Op{text(fmt.Sprintf("V%d.S[0]", number(i.Operands[0]))),
			text(fmt.Sprintf("V%d.S4", number(i.Operands[1])))}
	case shiftedSum:
		i.Opcode, operands = "ADD", []Op{shifted(operands[1], i.Operands[0].(U8)), operands[2],
			operands[3]}
	}
	i.Opcode = strings.TrimSuffix(i.Opcode, ".D2")
	i.Operands = operands
}

func pair(first, second Op) Op { return text(fmt.Sprintf("(%s, %s)", first.Asm(), second.Asm())) }

func shifted(register Op, bits U8) Op {
	if bits == 0 {
		return register
	}
	return text(fmt.Sprintf("%s<<%d", register.Asm(), bits))
}

func displacement(place Mem) string {
	if place.Disp == 0 {
		return ""
	}
	return fmt.Sprint(place.Disp)
}

// multiplyAddOpcode is the multiplication by an element of a vector, added to the destination.
const multiplyAddOpcode = "FMLAELEMENT"

// word is an instruction that Go's assembler doesn't know, with three registers: its bits without
// them, and its form in the language of the Arm Architecture Reference Manual.
type word struct {
	bits uint32
	form string // with the destination and the two sources
}

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

// number returns the number of an allocated register, which is the same in avo and on arm64.
func number(register Op) uint32 { return uint32(register.(reg.Physical).PhysicalIndex()) }
