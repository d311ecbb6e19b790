// Package pickle reads the pickles of the Python versions of CIFAR-10 and CIFAR-100, and of nothing
// else: numbers, strings, lists, tuples, dictionaries and NumPy arrays of bytes, in protocols 0 to
// 2. A pickle is a program; this reader runs none of it. It knows three names of NumPy and refuses
// every other. Strings and arrays are parts of the file; everything else takes memory in proportion
// to the file, some hundred bytes for each of its bytes at worst, and no more than maxValues
// values.
//
//	value, err := pickle.Read(data)
//	batch := value.(*pickle.Dictionary)
//	labels, err := batch.Integers("labels")
package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// Array is a NumPy array of unsigned bytes, the last index running fastest.
type Array struct {
	Shape  []int
	Values []byte // part of the file
}

// List is a Python list. It's a pointer wherever it's used, because a pickle goes on filling what
// it has put aside.
type List struct{ Values []any }

// tuple is a Python tuple.
type tuple []any

// mark is the value that the opcode MARK leaves on the stack.
type mark struct{}

// Read runs a pickle and returns its value: nil, bool, int, string, []byte (a string that is part
// of the file), *List, *Dictionary or *Array. Nothing may follow it.
func Read(data []byte) (any, error) {
	m := &machine{data: data, memory: map[int]any{}}
	for !m.done {
		if err := m.step(); err != nil {
			return nil, fmt.Errorf("pickle: byte %d: %w", len(data)-len(m.data), err)
		}
	}
	if len(m.stack) != 1 || len(m.data) > 0 {
		return nil, fmt.Errorf("pickle: %d values and %d bytes are left at the end: it's damaged", len(m.stack), len(m.data))
	}
	return m.stack[0], nil
}

// machine is a pickle at work.
type machine struct {
	data   []byte // not read yet
	stack  []any
	memory map[int]any
	pushed int // values so far
	done   bool
}

// maxValues is how many values a file may put on the stack. The largest of CIFAR has some 150,000.
const maxValues = 1 << 22

var errShort = errors.New("it ends early")

// step reads one opcode and does what it says.
func (m *machine) step() error {
	code, err := m.take(1)
	if err != nil {
		return err
	}
	op, known := operations[code[0]]
	if !known {
		return fmt.Errorf("operation %q isn't one that the CIFAR files have", code)
	}
	return op(m)
}

// take reads n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if n < 0 || n > len(m.data) {
		return nil, errShort
	}
	part := m.data[:n:n]
	m.data = m.data[n:]
	return part, nil
}

// number reads an unsigned number of so many bytes.
func (m *machine) number(size int) (int, error) {
	part, err := m.take(size)
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], part)
	return int(binary.LittleEndian.Uint64(wide[:])), nil
}

// line reads up to the end of a line.
func (m *machine) line() (string, error) {
	end := bytes.IndexByte(m.data, '\n')
	if end < 0 {
		return "", errShort
	}
	text := string(m.data[:end])
	m.data = m.data[end+1:]
	return text, nil
}

// integerLine reads a number in decimal digits.
func (m *machine) integerLine() (int, error) {
	text, err := m.line()
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%.20q of %d digits is no number", text, len(text))
	}
	return number, nil
}

func (m *machine) push(value any) error {
	if m.pushed++; m.pushed > maxValues {
		return fmt.Errorf("more than %d values: it isn't to be trusted", maxValues)
	}
	m.stack = append(m.stack, value)
	return nil
}

// pop takes the topmost value.
func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errors.New("a value is missing")
	}
	value := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return value, nil
}

// popMark takes everything down to the topmost mark.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if m.stack[i] == (mark{}) {
			values := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return values, nil
		}
	}
	return nil, errors.New("a mark is missing")
}
