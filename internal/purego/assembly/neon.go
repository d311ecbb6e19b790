package main

import (
	"fmt"
	"maps"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// compileNEON translates a program from AVX2 to arm64 with NEON. avo allocates the registers in
// between, since its numbers suit arm64: 32 vectors, and 15 others.
var compileNEON = pass.Concat(
	pass.FunctionPass(translate),
	pass.FunctionPass(pass.LabelTarget),
	pass.FunctionPass(pass.CFG),
	pass.FunctionPass(pass.Liveness),
	pass.FunctionPass(pass.AllocateRegisters),
	pass.FunctionPass(pass.BindRegisters),
	pass.FunctionPass(pass.VerifyAllocation),
	pass.FunctionPass(spell),
	pass.Func(pass.IncludeTextFlagHeader),
)

// translation is the state of the translation of one function. Instructions keep Go's order of
// operands, in which the last is the destination.
type translation struct {
	nodes     []ir.Node
	upper     map[reg.ID]reg.Register // the register for the upper half of each of 32 bytes
	addresses map[Mem]reg.Register    // computed since the last label
	result    Op                      // result of the last instruction, which a jump may test
	equals    bool                    // the last instruction was a comparison
}

// translate replaces the instructions of a function by arm64's.
func translate(f *ir.Function) error {
	t := translation{upper: sharedHalves(f), addresses: map[Mem]reg.Register{}}
	for _, node := range f.Nodes {
		i, isInstruction := node.(*ir.Instruction)
		if !isInstruction {
			clear(t.addresses)
			t.nodes = append(t.nodes, node)
			continue
		}
		if !t.branch(i) && !t.general(i) && !t.vector(i) {
			return fmt.Errorf("%s: no translation of %s to NEON", f.Name, i.Opcode)
		}
	}
	f.Nodes = t.nodes
	return nil
}

// sharedHalves returns the vectors of 32 bytes whose halves are always equal, with their registers:
// the ones written once, with one number or zeros.
func sharedHalves(f *ir.Function) map[reg.ID]reg.Register {
	writes, equal := map[reg.ID]int{}, map[reg.ID]reg.Register{}
	for _, i := range f.Instructions() {
		for _, register := range i.OutputRegisters() {
			writes[register.ID()]++
			same := i.Opcode == "VBROADCASTSS" || i.Opcode == "VXORPS" &&
				i.Operands[0] == i.Operands[1]
			if v, isVector := register.(reg.VecVirtual); isVector && same {
				equal[v.ID()] = v.AsX()
			}
		}
	}
	maps.DeleteFunc(equal, func(id reg.ID, _ reg.Register) bool { return writes[id] > 1 })
	return equal
}

// emit adds an instruction that reads all operands but the last, which it writes.
func (t *translation) emit(opcode string, operands ...Op) *ir.Instruction {
	last := len(operands) - 1
	i := &ir.Instruction{Opcode: opcode, Operands: operands, Inputs: operands[:last:last],
		Outputs: operands[last:]}
	t.nodes = append(t.nodes, i)
	for _, written := range i.OutputRegisters() {
		maps.DeleteFunc(t.addresses, func(place Mem, _ reg.Register) bool {
			return place.Base == written || place.Index == written
		})
	}
	return i
}

// update adds an instruction that reads the destination as well.
func (t *translation) update(opcode string, operands ...Op) {
	i := t.emit(opcode, operands...)
	i.Inputs = operands
}

// branch translates jumps and the end of a function. A conditional jump tests the result of the
// instruction before it.
func (t *translation) branch(i *ir.Instruction) bool {
	jump := &ir.Instruction{IsBranch: true, IsConditional: i.IsConditional, Operands: i.Operands}
	switch i.Opcode {
	case "RET":
		jump = &ir.Instruction{Opcode: "RET", IsTerminal: true}
	case "JMP":
		jump.Opcode = "JMP"
	case "JZ", "JNZ", "JNE":
		if t.result == nil {
			panic("a jump tests a result that isn't known")
		}
		jump.Opcode = map[bool]string{true: "CBZ", false: "CBNZ"}[i.Opcode == "JZ"]
		if t.equals {
			jump.Opcode = map[bool]string{true: "BEQ", false: "BNE"}[i.Opcode == "JZ"]
		} else {
			jump.Operands = []Op{i.Operands[0], t.result}
			jump.Inputs = []Op{t.result}
		}
	default:
		return false
	}
	t.nodes = append(t.nodes, jump)
	t.result = nil
	return true
}

// general translates the instructions on general registers.
func (t *translation) general(i *ir.Instruction) bool {
	if i.Opcode == "PCALIGN" {
		t.nodes = append(t.nodes, i)
		return true
	}
	operation, known := map[string]string{
		"MOVQ": "MOVD", "ADDQ": "ADD", "ANDQ": "AND", "SHRQ": "LSR", "SHLQ": "LSL", "DECQ": "SUB",
		"XORQ": "", "LEAQ": "", "TESTQ": "", "CMPQ": "CMP",
	}[i.Opcode]
	if !known {
		return false
	}
	from, to := i.Operands[0], i.Operands[len(i.Operands)-1]
	t.equals = false
	switch i.Opcode {
	case "MOVQ":
		t.emit(operation, from, to)
	case "LEAQ":
		t.address(from.(Mem), to.(reg.Register))
	case "DECQ":
		t.update(operation, U8(1), to)
	case "XORQ":
		if from != to {
			panic("exclusive or of different registers")
		}
		t.emit("MOVD", U8(0), to)
	case "TESTQ":
		if from != to {
			panic("test of different registers")
		}
	case "CMPQ":
		t.nodes = append(t.nodes, &ir.Instruction{Opcode: operation, Operands: []Op{to, from},
			Inputs: []Op{from}})
		t.equals = true
	default:
		t.update(operation, t.generalSource(from), to)
	}
	t.result = to
	if i.Opcode == "MOVQ" || i.Opcode == "LEAQ" {
		t.result = nil // they leave the flags
	}
	return true
}

// generalSource loads an operand that is in memory.
func (t *translation) generalSource(operand Op) Op {
	if _, inMemory := operand.(Mem); !inMemory {
		return operand
	}
	value := GP64()
	t.emit("MOVD", operand, value)
	return value
}

// address writes the address of a place in memory to a register.
func (t *translation) address(place Mem, to reg.Register) {
	base := place.Base
	if place.Index != nil {
		shift := map[uint8]U8{1: 0, 2: 1, 4: 2, 8: 3}[place.Scale]
		t.emit(shiftedSum, shift, place.Index, base, to)
		base = to
	}
	switch {
	case place.Disp != 0:
		t.emit("ADD", I32(place.Disp), base, to)
	case place.Index == nil:
		t.emit("MOVD", base, to)
	}
}

// shiftedSum is the addition of a register, shifted to the left, to another one.
const shiftedSum = "ADDSHIFTED"
