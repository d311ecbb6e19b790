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

// arrangements are how instructions on vectors see their registers.
var arrangements = map[string]string{
	"VFMLA": "S4", "VFMLS": "S4", "VCMEQ": "S4", "VUSHR": "S4", "VSHL": "S4", "VZIP1": "S4", "VZIP2": "S4", "VZIP1.D2": "D2", "VZIP2.D2": "D2",
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
		operands = []Op{text(fmt.Sprintf("V%d.S[0]", number(i.Operands[0]))), text(fmt.Sprintf("V%d.S4", number(i.Operands[1])))}
	case shiftedSum:
		i.Opcode, operands = "ADD", []Op{shifted(operands[1], i.Operands[0].(U8)), operands[2], operands[3]}
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
