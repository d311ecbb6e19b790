package kernel

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// NEON's kernels can't run on amd64, so their assembly is interpreted like that of AVX-512, by the
// Arm Architecture Reference Manual. Operands are in Go's order, except those in the words of
// instructions that Go's assembler doesn't know.

// neonInterpreter is the state of an arm64 processor while it runs one function.
type neonInterpreter struct {
	arguments []uint64
	general   map[string]uint64
	vectors   [32][4]float32
}

// runNEON interprets a function until it returns. Vectors are NaN until they are written.
func (r *routine) runNEON(arguments []uint64) {
	p := &neonInterpreter{arguments: arguments, general: map[string]uint64{}}
	for i := range p.vectors {
		for lane := range p.vectors[i] {
			p.vectors[i][lane] = float32(math.NaN())
		}
	}
	for next := 0; ; next++ {
		i := r.instructions[next]
		switch i.name {
		case "RET":
			return
		case "JMP":
			next = r.labels[i.operands[0]] - 1
		case "CBZ", "CBNZ":
			if (p.general[i.operands[0]] == 0) == (i.name == "CBZ") {
				next = r.labels[i.operands[1]] - 1
			}
		case "PCALIGN":
		case "WORD":
			p.executeWord(uint32(p.value(i.operands[0])))
		default:
			p.execute(i.name, i.operands)
		}
	}
}

// execute does one instruction that doesn't jump. The last operand is the destination.
func (p *neonInterpreter) execute(name string, operands []string) {
	to := operands[len(operands)-1]
	switch name {
	case "MOVD":
		p.general[to] = p.value(operands[0])
	case "ADD", "SUB", "AND", "LSR":
		p.general[to] = combineGeneral(name, p.value(operands[max(0, len(operands)-2)]),
			p.value(operands[0]), p.general[to], len(operands))
	case "FMOVQ", "FLDPQ", "FSTPQ":
		p.moveVectors(operands)
	case "FMOVS":
		*p.vector(to) = [4]float32{at[float32](p.address(operands[0]), 1)[0]}
	case "VMOV":
		*p.vector(to) = *p.vector(operands[0])
	case "VDUP":
		number := p.vector(operands[0])[0]
		*p.vector(to) = [4]float32{number, number, number, number}
	case "VEOR":
		if operands[0] != to || operands[1] != to {
			panic("exclusive or of different registers")
		}
		*p.vector(to) = [4]float32{}
	case "VFMLA", "VFMLS":
		p.combineVectors(p.vector(to), p.vector(operands[1]), p.vector(operands[0]),
			map[string]string{"VFMLA": "fmla", "VFMLS": "fmls"}[name])
	default:
		panic("unknown instruction " + name)
	}
}

// combineGeneral computes an instruction on general registers: with three operands the first source
// is the second operand, with two it is the destination.
func combineGeneral(name string, first, second, to uint64, operands int) uint64 {
	if operands == 2 {
		first = to
	}
	switch name {
	case "ADD":
		return first + second
	case "SUB":
		return first - second
	case "AND":
		return first & second
	}
	return first >> second
}

// moveVectors copies registers from or to memory, one after another.
func (p *neonInterpreter) moveVectors(operands []string) {
	isRegister := func(operand string) bool {
		return strings.HasPrefix(strings.TrimPrefix(operand, "("), "F")
	}
	place := operands[slices.IndexFunc(operands, func(operand string) bool {
		return !isRegister(operand)
	})]
	address := p.address(place)
	for _, operand := range operands {
		if !isRegister(operand) {
			continue
		}
		memory, register := at[float32](address, 4), p.vector(strings.Trim(operand, "()"))
		if place == operands[0] {
			copy(register[:], memory)
		} else {
			copy(memory, register[:])
		}
		address += 16
	}
}

// executeWord does an instruction given by its bits: the upper ones and some of the lower ones say
// which, and five each are the destination and the sources.
func (p *neonInterpreter) executeWord(bits uint32) {
	to, first, second := &p.vectors[bits&31], &p.vectors[bits>>5&31], &p.vectors[bits>>16&31]
	names := map[uint32]string{0x4e20d400: "fadd", 0x4ea0d400: "fsub", 0x6e20dc00: "fmul",
		0x4e20f400: "fmax"}
	switch {
	case bits&0xffc0f400 == 0x4f801000: // fmla by element
		number := second[bits>>11&1<<1|bits>>21&1]
		p.combineVectors(to, first, &[4]float32{number, number, number, number}, "fmla")
	case bits&0xffe0fc00 == 0x3ce06800: // ldr q, [x, x]
		address := p.general["R"+strconv.Itoa(int(bits>>5&31))] + p.general["R"+
			strconv.Itoa(int(bits>>16&31))]
		copy(to[:], at[float32](address, 4))
	case names[bits&0xffe0fc00] != "":
		p.combineVectors(to, first, second, names[bits&0xffe0fc00])
	default:
		panic("unknown word " + strconv.FormatUint(uint64(bits), 16))
	}
}

func (p *neonInterpreter) combineVectors(to, first, second *[4]float32, name string) {
	for lane, a := range first {
		switch b, c := second[lane], to[lane]; name {
		case "fadd":
			to[lane] = a + b
		case "fsub":
			to[lane] = a - b
		case "fmul":
			to[lane] = a * b
		case "fmax":
			to[lane] = max(a, b)
		case "fmla":
			to[lane] = float32(math.FMA(float64(a), float64(b), float64(c)))
		case "fmls":
			to[lane] = float32(math.FMA(-float64(a), float64(b), float64(c)))
		}
	}
}

// vector is a register, written as F1 or V1 with what follows a dot.
func (p *neonInterpreter) vector(operand string) *[4]float32 {
	name, _, _ := strings.Cut(operand, ".")
	number, err := strconv.Atoi(name[1:])
	if err != nil {
		panic(err)
	}
	return &p.vectors[number]
}

// value is a constant, an argument, a general register, which may be shifted, or the word in
// memory.
func (p *neonInterpreter) value(operand string) uint64 {
	register, shift, shifted := strings.Cut(operand, "<<")
	switch {
	case shifted:
		return p.general[register] << (shift[0] - '0')
	case strings.HasSuffix(operand, ")") && !strings.HasSuffix(operand, "(FP)"):
		return at[uint64](p.address(operand), 1)[0]
	case operand[0] == 'R':
		return p.general[operand]
	}
	return (&interpreter{arguments: p.arguments}).value(operand)
}

// address is that of displacement(base) or (base)(index).
func (p *neonInterpreter) address(operand string) uint64 {
	return (&interpreter{general: p.general}).address(operand)
}
