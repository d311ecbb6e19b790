package kernel

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// The AVX-512 and NEON kernels can't run on every machine that tests them. So the tests below
// interpret the generated assembly: the few instructions that the tiles consist of, by Intel's
// manual. That shows that the kernels compute the right thing and, since AVX2's are interpreted
// too, that the interpreter does. Whether the processor agrees is for eachSet.

// interpreter is the state of a processor while it runs one function.
type interpreter struct {
	lanes     int
	arguments []uint64
	general   map[string]uint64
	vectors   map[string][]float32
	zero      bool // the zero flag
}

// routine is the assembly of one function.
type routine struct {
	forNEON      bool
	instructions []instruction
	labels       map[string]int
}

type instruction struct {
	name     string
	operands []string
}

// parseRoutines reads the functions of generated files.
func parseRoutines(t *testing.T, paths ...string) map[string]*routine {
	t.Helper()
	routines := map[string]*routine{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parseFile(string(text), strings.HasSuffix(path, "_arm64.s"), routines)
	}
	return routines
}

func parseFile(text string, forNEON bool, routines map[string]*routine) {
	var current *routine
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		name, rest, _ := strings.Cut(line, " ")
		switch {
		case name == "" || strings.HasPrefix(name, "#"):
		case name == "TEXT":
			function, _, _ := strings.Cut(strings.TrimPrefix(rest, "·"), "(")
			current = &routine{forNEON: forNEON, labels: map[string]int{}}
			routines[function] = current
		case strings.HasSuffix(name, ":"):
			current.labels[strings.TrimSuffix(name, ":")] = len(current.instructions)
		default:
			current.instructions = append(current.instructions,
				instruction{name, splitOperands(rest)})
		}
	}
}

func splitOperands(text string) []string {
	var operands []string
	for operand := range strings.SplitSeq(text, ", ") {
		if operand = strings.TrimSpace(operand); operand != "" {
			operands = append(operands, operand)
		}
	}
	return operands
}

// run interprets a function until it returns.
func (r *routine) run(lanes int, arguments []uint64) {
	if r.forNEON {
		r.runNEON(arguments)
		return
	}
	p := &interpreter{lanes: lanes, arguments: arguments, general: map[string]uint64{},
		vectors: map[string][]float32{}}
	for next := 0; ; next++ {
		i := r.instructions[next]
		switch i.name {
		case "RET":
			return
		case "JMP", "JZ", "JNZ":
			if i.name == "JMP" || p.zero == (i.name == "JZ") {
				next = r.labels[i.operands[0]] - 1
			}
		default:
			p.execute(i.name, i.operands)
		}
	}
}

// execute does one instruction that doesn't jump. The last operand is the destination.
func (p *interpreter) execute(name string, operands []string) {
	switch {
	case name == "PCALIGN" || name == "VZEROUPPER":
	case strings.HasPrefix(name, "V"):
		p.executeVector(name, operands)
	default:
		p.executeGeneral(name, operands)
	}
}

func (p *interpreter) executeGeneral(name string, operands []string) {
	to := operands[len(operands)-1]
	result := p.general[to]
	switch name {
	case "MOVQ":
		p.general[to] = p.value(operands[0])
		return // flags stay
	case "LEAQ":
		p.general[to] = p.address(operands[0])
		return
	case "ADDQ":
		result += p.value(operands[0])
	case "ANDQ", "TESTQ":
		result &= p.value(operands[0])
	case "SHRQ":
		result >>= p.value(operands[0])
	case "DECQ":
		result--
	default:
		panic("unknown instruction " + name)
	}
	p.zero = result == 0
	if name != "TESTQ" {
		p.general[to] = result
	}
}

func (p *interpreter) executeVector(name string, operands []string) {
	to := operands[len(operands)-1]
	switch name {
	case "VMOVUPS", "VMOVAPS":
		if strings.HasSuffix(to, ")") {
			copy(at[float32](p.address(to), p.lanes), p.vector(operands[0]))
			return
		}
		p.set(to, func(i int) float32 { return p.vector(operands[0])[i] })
	case "VBROADCASTSS":
		number := at[float32](p.address(operands[0]), 1)[0]
		p.set(to, func(int) float32 { return number })
	case "VPXORD", "VXORPS":
		if operands[0] != to || operands[1] != to {
			panic("exclusive or of different registers")
		}
		p.set(to, func(int) float32 { return 0 })
	default:
		a, b, c := p.vector(operands[0]), p.vector(operands[1]), p.vector(to)
		p.set(to, func(i int) float32 { return combine(name, a[i], b[i], c[i]) })
	}
}

// combine is a vector instruction on one lane of its sources, in Go's order, and of its
// destination.
func combine(name string, a, b, c float32) float32 {
	switch name {
	case "VMULPS":
		return a * b
	case "VADDPS":
		return a + b
	case "VSUBPS":
		return b - a
	case "VFNMADD231PS":
		return float32(math.FMA(-float64(a), float64(b), float64(c)))
	case "VFMADD231PS":
		return float32(math.FMA(float64(a), float64(b), float64(c)))
	case "VMAXPS": // Intel's second source, which is the first here, unless the other is greater
		if b > a {
			return b
		}
		return a
	}
	panic("unknown instruction " + name)
}

// set changes a vector register.
func (p *interpreter) set(register string, lane func(i int) float32) {
	changed := make([]float32, p.lanes)
	for i := range changed {
		changed[i] = lane(i)
	}
	p.vectors[register] = changed
}

// vector is a register, NaN where nothing has been written to it yet, or memory.
func (p *interpreter) vector(operand string) []float32 {
	if strings.HasSuffix(operand, ")") {
		return at[float32](p.address(operand), p.lanes)
	}
	if wide := operand[0] == 'Z'; wide != (p.lanes == 16) {
		panic("register " + operand + " in a function of " + strconv.Itoa(p.lanes) + " lanes")
	}
	if p.vectors[operand] == nil {
		p.set(operand, func(int) float32 { return float32(math.NaN()) })
	}
	return p.vectors[operand]
}

// value is a constant, an argument, a general register or the word in memory.
func (p *interpreter) value(operand string) uint64 {
	switch {
	case operand[0] == '$':
		value, err := strconv.ParseInt(operand[1:], 0, 64)
		if err != nil {
			panic(err)
		}
		return uint64(value)
	case strings.HasSuffix(operand, "(FP)"):
		_, offset, _ := strings.Cut(strings.TrimSuffix(operand, "(FP)"), "+")
		bytes, err := strconv.Atoi(offset)
		if err != nil {
			panic(err)
		}
		return p.arguments[bytes/8]
	case strings.HasSuffix(operand, ")"):
		return at[uint64](p.address(operand), 1)[0]
	}
	return p.general[operand]
}

// address is that of displacement(base) or displacement(base)(index*scale).
func (p *interpreter) address(operand string) uint64 {
	displacement, rest, _ := strings.Cut(operand, "(")
	base, index, indexed := strings.Cut(strings.TrimSuffix(rest, ")"), ")(")
	address := p.general[base]
	if displacement != "" {
		bytes, err := strconv.ParseInt(displacement, 0, 64)
		if err != nil {
			panic(err)
		}
		address += uint64(bytes)
	}
	if indexed {
		register, scale, scaled := strings.Cut(index, "*")
		if !scaled { // as in arm64's
			scale = "1"
		}
		address += p.general[register] * uint64(scale[0]-'0')
	}
	return address
}

// at is the memory at an address, which other slices keep alive.
func at[Number any](address uint64, count int) []Number {
	pointer := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	return unsafe.Slice((*Number)(pointer), count)
}
