package pickle

import (
	"errors"
	"fmt"
	"strings"
)

// operations are what the opcodes do that occur in the files. It's filled by init because
// operations call the machine.
var operations map[byte]func(*machine) error

func init() {
	operations = map[byte]func(*machine) error{
		0x80: func(m *machine) error { _, err := m.take(1); return err }, // protocol
		'.':  func(m *machine) error { m.done = true; return nil },
		'(':  func(m *machine) error { return m.push(mark{}) },
		'0':  func(m *machine) error { _, err := m.pop(); return err },

		'N':  func(m *machine) error { return m.push(nil) },
		0x88: func(m *machine) error { return m.push(true) },
		0x89: func(m *machine) error { return m.push(false) },
		'I':  (*machine).decimal,
		'K':  func(m *machine) error { return m.small(1) },
		'M':  func(m *machine) error { return m.small(2) },
		'J':  (*machine).signed,
		'S':  (*machine).quoted,
		'U':  func(m *machine) error { return m.text(1) },
		'T':  func(m *machine) error { return m.text(4) },
		'X':  func(m *machine) error { return m.text(4) },

		'}':  func(m *machine) error { return m.push(newDictionary()) },
		']':  func(m *machine) error { return m.push(&List{}) },
		')':  func(m *machine) error { return m.push(tuple{}) },
		0x85: func(m *machine) error { return m.tupleOf(1) },
		0x86: func(m *machine) error { return m.tupleOf(2) },
		0x87: func(m *machine) error { return m.tupleOf(3) },
		't':  func(m *machine) error { values, err := m.popMark(); return errors.Join(err, m.push(tuple(values))) },
		'l':  func(m *machine) error { values, err := m.popMark(); return errors.Join(err, m.push(&List{values})) },
		'd':  (*machine).dictionary,
		'a':  func(m *machine) error { return m.extend(1) },
		'e':  func(m *machine) error { values, err := m.popMark(); return errors.Join(err, m.extendBy(values)) },
		's':  func(m *machine) error { return m.extend(2) },
		'u':  func(m *machine) error { values, err := m.popMark(); return errors.Join(err, m.extendBy(values)) },

		'p': func(m *machine) error { key, err := m.integerLine(); return errors.Join(err, m.keep(key)) },
		'q': func(m *machine) error { key, err := m.number(1); return errors.Join(err, m.keep(key)) },
		'r': func(m *machine) error { key, err := m.number(4); return errors.Join(err, m.keep(key)) },
		'g': func(m *machine) error { key, err := m.integerLine(); return errors.Join(err, m.recall(key)) },
		'h': func(m *machine) error { key, err := m.number(1); return errors.Join(err, m.recall(key)) },
		'j': func(m *machine) error { key, err := m.number(4); return errors.Join(err, m.recall(key)) },

		'c': (*machine).name,
		'R': (*machine).call,
		'b': (*machine).build,
	}
}

// small reads an unsigned number of one or two bytes.
func (m *machine) small(size int) error {
	n, err := m.number(size)
	return errors.Join(err, m.push(n))
}

// signed reads a number of four bytes.
func (m *machine) signed() error {
	n, err := m.number(4)
	return errors.Join(err, m.push(int(int32(n))))
}

// decimal reads a number in digits, or one of the two that stand for false and true.
func (m *machine) decimal() error {
	if strings.HasPrefix(string(m.data[:min(3, len(m.data))]), "00\n") || strings.HasPrefix(string(m.data[:min(3, len(m.data))]), "01\n") {
		value := m.data[1] == '1'
		m.data = m.data[3:]
		return m.push(value)
	}
	n, err := m.integerLine()
	return errors.Join(err, m.push(n))
}

// quoted reads a string in quotes. Those of the files need no escapes.
func (m *machine) quoted() error {
	line, err := m.line()
	if err != nil {
		return err
	}
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' || strings.Contains(line, `\`) {
		return fmt.Errorf("string %.40s isn't one that the CIFAR files have", line)
	}
	return m.push(line[1 : len(line)-1])
}

// text reads a string that follows its length. It stays a part of the file.
func (m *machine) text(size int) error {
	length, err := m.number(size)
	if err != nil {
		return err
	}
	part, err := m.take(length)
	if err != nil {
		return fmt.Errorf("a string of %d bytes: %w", length, err)
	}
	return m.push(part)
}

func (m *machine) tupleOf(count int) error {
	if len(m.stack) < count {
		return errors.New("a value is missing")
	}
	values := append(tuple(nil), m.stack[len(m.stack)-count:]...)
	m.stack = m.stack[:len(m.stack)-count]
	return m.push(values)
}

func (m *machine) dictionary() error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	return errors.Join(m.push(newDictionary()), m.extendBy(values))
}

// extend moves the topmost values into the list or dictionary below them.
func (m *machine) extend(count int) error {
	if len(m.stack) < count {
		return errors.New("a value is missing")
	}
	values := append([]any(nil), m.stack[len(m.stack)-count:]...)
	m.stack = m.stack[:len(m.stack)-count]
	return m.extendBy(values)
}

// extendBy adds values to the list or dictionary on top of the stack.
func (m *machine) extendBy(values []any) error {
	if len(m.stack) == 0 {
		return errors.New("a value is missing")
	}
	switch top := m.stack[len(m.stack)-1].(type) {
	case *List:
		top.Values = append(top.Values, values...)
		return nil
	case *Dictionary:
		return top.add(values)
	}
	return errors.New("something is added to what is neither a list nor a dictionary")
}

func (m *machine) keep(key int) error {
	if len(m.stack) == 0 {
		return errors.New("a value is missing")
	}
	m.memory[key] = m.stack[len(m.stack)-1]
	return nil
}

func (m *machine) recall(key int) error {
	value, found := m.memory[key]
	if !found {
		return fmt.Errorf("value %d was never put aside", key)
	}
	return m.push(value)
}
