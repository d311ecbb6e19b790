// Package pickle reads the pickles of the Python versions of CIFAR-10 and CIFAR-100, and of nothing
// else: numbers, strings, lists, tuples, dictionaries and NumPy arrays of bytes, in protocols 0 to
// 2. A pickle is a program; this reader runs none of it. It knows three names of NumPy and refuses
// every other. Strings and arrays are parts of the file; everything else takes memory in proportion
// to the file, some hundred bytes for each of its bytes at worst, and no more than maxValues
// values.
//
//	value, err := pickle.Read(data)
//	batch := value.(pickle.Dictionary)
//	labels, err := batch.Integers("labels")
package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dictionary is a Python dictionary whose keys are strings.
type Dictionary map[string]any

// Array returns the array of a key.
func (d Dictionary) Array(key string) (*Array, error) {
	if array, ok := d[key].(*Array); ok {
		return array, nil
	}
	return nil, fmt.Errorf("pickle: no array is called %q", key)
}

// Integers returns the list of numbers of a key.
func (d Dictionary) Integers(key string) ([]int, error) {
	values, ok := d[key].(*list)
	if !ok {
		return nil, fmt.Errorf("pickle: no list is called %q", key)
	}
	numbers := make([]int, len(*values))
	for i, value := range *values {
		if numbers[i], ok = value.(int); !ok {
			return nil, fmt.Errorf("pickle: value %d of the list %q isn't a number", i, key)
		}
	}
	return numbers, nil
}

// list is a Python list. It's a pointer wherever it's used, because a pickle continues to fill what
// it has put aside.
type list []any

// tuple is a Python tuple.
type tuple []any

// mark is the value that the opcode MARK leaves on the stack.
type mark struct{}

// Read runs a pickle and returns its value: nil, bool, int, string, []byte (a string that is part
// of the file), Dictionary, *Array, or a list or tuple. Nothing may follow it.
func Read(data []byte) (any, error) {
	m := &machine{data: data, memory: map[int]any{}}
	for code := m.take(1); m.err == nil && code[0] != '.'; code = m.take(1) {
		if run, known := operations[code[0]]; known {
			run(m)
		} else {
			m.fail("operation %q isn't one that the CIFAR files have", code)
		}
	}
	if m.err != nil {
		return nil, fmt.Errorf("pickle: byte %d: %w", len(data)-len(m.data), m.err)
	}
	if len(m.stack) != 1 || len(m.data) > 0 {
		return nil, fmt.Errorf("pickle: %d values and %d bytes are left at the end: it's damaged", len(m.stack), len(m.data))
	}
	return m.stack[0], nil
}

// operations are what the opcodes do that occur in the files.
var operations = map[byte]func(*machine){
	0x80: func(m *machine) { m.take(1) }, // protocol
	'(':  func(m *machine) { m.push(mark{}) },
	'0':  func(m *machine) { m.pop(1) },

	'N':  func(m *machine) { m.push(nil) },
	0x88: func(m *machine) { m.push(true) },
	0x89: func(m *machine) { m.push(false) },
	'I':  (*machine).decimal,
	'K':  func(m *machine) { m.push(m.number(1)) },
	'M':  func(m *machine) { m.push(m.number(2)) },
	'J':  func(m *machine) { m.push(int(int32(m.number(4)))) },
	'S':  (*machine).quoted,
	'U':  func(m *machine) { m.text(1) },
	'T':  func(m *machine) { m.text(4) },
	'X':  func(m *machine) { m.text(4) },

	'}':  func(m *machine) { m.push(Dictionary{}) },
	']':  func(m *machine) { m.push(new(list)) },
	')':  func(m *machine) { m.push(tuple{}) },
	0x85: func(m *machine) { m.push(tuple(m.pop(1))) },
	0x86: func(m *machine) { m.push(tuple(m.pop(2))) },
	0x87: func(m *machine) { m.push(tuple(m.pop(3))) },
	't':  func(m *machine) { m.push(tuple(m.popMark())) },
	'l':  func(m *machine) { values := list(m.popMark()); m.push(&values) },
	'd':  func(m *machine) { values := m.popMark(); m.push(Dictionary{}); m.extend(values) },
	'a':  func(m *machine) { m.extend(m.pop(1)) },
	's':  func(m *machine) { m.extend(m.pop(2)) },
	'e':  func(m *machine) { m.extend(m.popMark()) },
	'u':  func(m *machine) { m.extend(m.popMark()) },

	'p': func(m *machine) { m.memory[m.integer(m.line())] = m.top() },
	'q': func(m *machine) { m.memory[m.number(1)] = m.top() },
	'r': func(m *machine) { m.memory[m.number(4)] = m.top() },
	'g': func(m *machine) { m.recall(m.integer(m.line())) },
	'h': func(m *machine) { m.recall(m.number(1)) },
	'j': func(m *machine) { m.recall(m.number(4)) },

	'c': (*machine).name,
	'R': (*machine).call,
	'b': (*machine).build,
}

// machine is a pickle at work. Its first error ends it; until then its methods return zeros in
// place of what is missing.
type machine struct {
	data   []byte // not read yet
	stack  []any
	memory map[int]any
	pushed int // values so far
	err    error
}

// maxValues is how many values a file may put on the stack. The largest of CIFAR has some 150,000.
const maxValues = 1 << 22

func (m *machine) fail(text string, values ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(text, values...)
	}
}

// take reads n bytes, or returns nil.
func (m *machine) take(n int) []byte {
	if n < 0 || n > len(m.data) {
		m.fail("it ends early")
		return nil
	}
	part := m.data[:n:n]
	m.data = m.data[n:]
	return part
}

// number reads an unsigned number of so many bytes.
func (m *machine) number(size int) int {
	var wide [8]byte
	copy(wide[:], m.take(size))
	return int(binary.LittleEndian.Uint64(wide[:]))
}

// line reads up to the end of a line.
func (m *machine) line() string {
	text, rest, found := bytes.Cut(m.data, []byte("\n"))
	if !found {
		m.fail("it ends early")
		return ""
	}
	m.data = rest
	return string(text)
}

// integer returns a number in decimal digits.
func (m *machine) integer(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		m.fail("%.20q of %d digits is no number", text, len(text))
	}
	return number
}

// decimal reads a number in digits, or one of the two that stand for false and true.
func (m *machine) decimal() {
	if text := m.line(); text == "00" || text == "01" {
		m.push(text == "01")
	} else {
		m.push(m.integer(text))
	}
}

// quoted reads a string in quotes. Those of the files need no escapes.
func (m *machine) quoted() {
	line := m.line()
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' || strings.Contains(line, `\`) {
		m.fail("string %.40s isn't one that the CIFAR files have", line)
		return
	}
	m.push(line[1 : len(line)-1])
}

// text reads a string that follows its length. It stays a part of the file.
func (m *machine) text(size int) {
	length := m.number(size)
	if length < 0 || length > len(m.data) {
		m.fail("a string of %d bytes: it ends early", length)
	}
	m.push(m.take(length))
}

func (m *machine) push(value any) {
	if m.pushed++; m.pushed > maxValues {
		m.fail("more than %d values: it isn't to be trusted", maxValues)
	}
	m.stack = append(m.stack, value)
}

// top returns the topmost value.
func (m *machine) top() any {
	if len(m.stack) == 0 {
		m.fail("a value is missing")
		return nil
	}
	return m.stack[len(m.stack)-1]
}

// pop takes the topmost values.
func (m *machine) pop(count int) []any {
	rest := len(m.stack) - count
	if rest < 0 {
		m.fail("a value is missing")
		return make([]any, count)
	}
	values := slices.Clone(m.stack[rest:])
	m.stack = m.stack[:rest]
	return values
}

// popMark takes everything down to the topmost mark, and the mark.
func (m *machine) popMark() []any {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if m.stack[i] == (mark{}) {
			return m.pop(len(m.stack) - i)[1:]
		}
	}
	m.fail("a mark is missing")
	return nil
}

// recall pushes a value that was put aside.
func (m *machine) recall(key int) {
	value, found := m.memory[key]
	if !found {
		m.fail("value %d was never put aside", key)
	}
	m.push(value)
}

// extend adds values to the list or dictionary on top of the stack, to which keys and values come in
// turn.
func (m *machine) extend(values []any) {
	switch top := m.top().(type) {
	case *list:
		*top = append(*top, values...)
	case Dictionary:
		if len(values)%2 != 0 {
			m.fail("a key without a value")
			return
		}
		for pair := range slices.Chunk(values, 2) {
			key, isText := textOf(pair[0])
			if !isText {
				m.fail("a key that isn't a string, or is a long one")
			}
			top[key] = pair[1]
		}
	default:
		m.fail("something is added to what is neither a list nor a dictionary")
	}
}

// maxText is the length of the longest key or name that is read: a copy is made of it wherever the
// pickle repeats it.
const maxText = 256

// textOf returns a short string in either of the forms that it has on the stack.
func textOf(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, len(value) <= maxText
	case []byte:
		if len(value) <= maxText {
			return string(value), true
		}
	}
	return "", false
}
