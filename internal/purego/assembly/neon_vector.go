package main

import (
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanewise are the instructions with two sources that do the same to each number.
var lanewise = map[string]string{
	"VADDPS": "FADD", "VSUBPS": "FSUB", "VMULPS": "FMUL", "VMAXPS": "FMAX", "VANDPS": "VAND",
	"VORPS": "VORR", "VXORPS": "VEOR", "VPCMPEQD": "VCMEQ",
	"VUNPCKLPS": "VZIP1", "VUNPCKHPS": "VZIP2",
}

// vector translates the instructions on vectors: each half of a vector of 32 bytes for itself.
func (t *translation) vector(i *ir.Instruction) bool {
	t.result = nil
	if i.Opcode == "VZEROUPPER" {
		return true
	}
	operands := i.Operands
	last := operands[len(operands)-1]
	if place, isStore := last.(Mem); isStore {
		t.store(t.parts(operands[0]), place)
		return true
	}
	to := t.parts(last)
	if len(to) == 2 && to[0] == to[1] {
		to = to[:1]
	}
	if opcode, known := lanewise[i.Opcode]; known {
		t.combine(opcode, operands[0], operands[1], to)
		return true
	}
	switch i.Opcode {
	case "VMOVUPS", "VMOVAPS":
		if place, inMemory := operands[0].(Mem); inMemory {
			t.load(place, to)
		} else {
			t.move(t.parts(operands[0]), to)
		}
	case "VMOVSS":
		t.emit("FMOVS", t.near(operands[0].(Mem)), to[0])
	case "VBROADCASTSS":
		number := XMM()
		t.emit("FMOVS", t.near(operands[0].(Mem)), number)
		for _, part := range to {
			t.emit("VDUP", number, part)
		}
	case "VPSLLD", "VPSRLD":
		for h, from := range t.parts(operands[1]) {
			t.emit(map[string]string{"VPSLLD": "VSHL", "VPSRLD": "VUSHR"}[i.Opcode], operands[0],
				from, to[h])
		}
	case "VSHUFPS":
		opcode := map[U8]string{0x44: "VZIP1.D2", 0xEE: "VZIP2.D2"}[operands[0].(U8)]
		t.combine(opcode, operands[1], operands[2], to)
	case "VPERM2F128":
		half := map[U8]int{0x20: 0, 0x31: 1}[operands[0].(U8)]
		t.move([]Op{t.parts(operands[2])[half], t.parts(operands[1])[half]}, to)
	case "VCMPPS":
		t.compare(operands[0].(U8), operands[1], operands[2], to)
	default:
		return t.multiplyAdd(i.Opcode, operands, to)
	}
	return true
}

// combine does an operation with the sources in Go's order.
func (t *translation) combine(opcode string, second, first Op, to []Op) {
	left, right := t.source(first, len(to)), t.source(second, len(to))
	for h := range to {
		i := t.emit(opcode, right[h], left[h], to[h])
		if (opcode == "VEOR" || opcode == "VCMEQ") && right[h] == left[h] {
			i.Inputs = nil // the result doesn't depend on them
		}
	}
}

// multiplyAdd translates the multiplications with an addition.
func (t *translation) multiplyAdd(opcode string, operands, to []Op) bool {
	switch opcode {
	case "VFMADD231PS", "VFNMADD231PS":
		left, right := t.source(operands[1], len(to)), t.source(operands[0], len(to))
		for h := range to {
			t.update(map[string]string{"VFMADD231PS": "VFMLA", "VFNMADD231PS": "VFMLS"}[opcode],
				right[h], left[h], to[h])
		}
	case "VFMADD213PS": // destination = operands[1] destination + operands[0]
		sum := t.copied(operands[0], len(to))
		for h, factor := range t.parts(operands[1]) {
			t.update("VFMLA", factor, to[h], sum[h])
		}
		t.move(sum, to)
	case multiplyAddOpcode:
		factor := t.parts(operands[1])[0]
		for h, weights := range t.parts(operands[2]) {
			t.update(multiplyAddOpcode, operands[0], factor, weights, to[h])
		}
	default:
		return false
	}
	return true
}

// compare fills numbers with ones if "first predicate second" holds, or with zeros.
func (t *translation) compare(predicate U8, second, first Op, to []Op) {
	left, right := t.source(first, len(to)), t.source(second, len(to))
	for h := range to {
		switch predicate {
		case equal:
			t.emit("FCMEQ", right[h], left[h], to[h])
		case less:
			t.emit("FCMGT", left[h], right[h], to[h])
		case notEqual:
			greater := XMM()
			t.emit("FCMGT", right[h], left[h], greater)
			t.emit("FCMGT", left[h], right[h], to[h])
			t.emit("VORR", greater, to[h], to[h])
		default:
			panic("unknown predicate of VCMPPS")
		}
	}
}

// parts returns the registers of 16 bytes for a register: itself, and another one for the upper
// half of 32 bytes.
func (t *translation) parts(register Op) []Op {
	v := register.(reg.VecVirtual)
	if v.Size() == 16 {
		return []Op{v}
	}
	if t.upper[v.ID()] == nil {
		t.upper[v.ID()] = XMM()
	}
	return []Op{v.AsX(), t.upper[v.ID()]}
}

// source returns the registers of an operand, which it loads if it is in memory.
func (t *translation) source(operand Op, count int) []Op {
	if _, inMemory := operand.(Mem); inMemory {
		return t.copied(operand, count)
	}
	return t.parts(operand)
}

// copied returns new registers with the value of an operand.
func (t *translation) copied(operand Op, count int) []Op {
	var registers []Op
	for range count {
		registers = append(registers, XMM())
	}
	if place, inMemory := operand.(Mem); inMemory {
		t.load(place, registers)
	} else {
		t.move(t.parts(operand), registers)
	}
	return registers
}

func (t *translation) move(from, to []Op) {
	for h := range to {
		t.emit("VMOV", from[h], to[h])
	}
}

// load reads one vector of 16 bytes, or two that follow each other.
func (t *translation) load(from Mem, to []Op) {
	switch {
	case len(to) == 2:
		i := t.emit("FLDPQ", t.pairPlace(from), to[0], to[1])
		i.Inputs, i.Outputs = i.Operands[:1], to
	case from.Index != nil && from.Scale == 1 && from.Disp == 0:
		t.emit("LDRQ", from.Index, from.Base, to[0])
	default:
		t.emit("FMOVQ", t.near(from), to[0])
	}
}

func (t *translation) store(from []Op, to Mem) {
	if len(from) == 2 {
		t.emit("FSTPQ", from[0], from[1], t.pairPlace(to))
	} else {
		t.emit("FMOVQ", from[0], t.near(to))
	}
}

// near returns the same place without an index.
func (t *translation) near(place Mem) Mem {
	if place.Index == nil {
		return place
	}
	indexed := Mem{Base: place.Base, Index: place.Index, Scale: place.Scale}
	base, known := t.addresses[indexed]
	if !known {
		base = GP64()
		t.address(indexed, base)
		t.addresses[indexed] = base
	}
	return Mem{Base: base, Disp: place.Disp}
}

// pairPlace returns the same place for an instruction with a pair of registers, which has seven
// bits for the number of vectors between base and place.
func (t *translation) pairPlace(place Mem) Mem {
	if place.Index == nil && (place.Disp < -64*16 || place.Disp > 63*16) {
		base := GP64()
		t.address(place, base)
		return Mem{Base: base}
	}
	return t.near(place)
}
