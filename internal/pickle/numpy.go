package pickle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Array is a NumPy array of unsigned bytes, the last index running fastest.
type Array struct {
	Shape  []int
	Values []byte // part of the file
}

// global is one of the names that may occur.
type global string

// The names of NumPy in the files, without the module, whose name differs between releases.
const (
	reconstruct global = "_reconstruct"
	ndarray     global = "ndarray"
	dtype       global = "dtype"
)

// modules are where each name may come from.
var modules = map[global][]string{
	reconstruct: {"numpy.core.multiarray", "numpy._core.multiarray"},
	ndarray:     {"numpy"},
	dtype:       {"numpy"},
}

// elementType is an array's type, once it's known to be bytes.
type elementType struct{}

// name reads a module and a name in it. Python would import it; here it's compared with a list.
func (m *machine) name() {
	module, name := m.line(), m.line()
	if !slices.Contains(modules[global(name)], module) {
		m.fail("it asks for %s.%s, which CIFAR files don't: it isn't to be trusted", clip(module), clip(name))
	}
	m.push(global(name))
}

// clip shortens a text for a message.
func clip(text string) string { return strings.ToValidUTF8(text[:min(len(text), 40)], "?") }

// call makes an empty array or an element type, the only two calls in the files.
func (m *machine) call() {
	called := m.pop(2)
	function := called[0]
	arguments, _ := called[1].(tuple)
	switch {
	case function == any(reconstruct) && len(arguments) == 3 && arguments[0] == any(ndarray):
		m.push(&Array{})
	case function == any(dtype) && len(arguments) == 3:
		if kind, _ := textOf(arguments[0]); kind != "u1" {
			m.fail("an array of elements %q: want bytes, u1", clip(kind))
		}
		m.push(elementType{})
	default:
		m.fail("a call that CIFAR files don't have: it isn't to be trusted")
	}
}

// build fills an array, or takes note of the details of an element type.
func (m *machine) build() {
	state, _ := m.pop(1)[0].(tuple)
	switch top := m.top().(type) {
	case elementType:
	case *Array:
		m.err = cmp.Or(m.err, top.fill(state))
	default:
		m.fail("something is built that CIFAR files don't have")
	}
}

// fill takes an array's state: version, shape, type, whether the first index runs fastest, and the
// bytes.
func (a *Array) fill(state tuple) error {
	if len(state) != 5 {
		return errors.New("an array without its five properties")
	}
	shape, isTuple := state[1].(tuple)
	fortran, isBool := state[3].(bool)
	values, isText := state[4].([]byte)
	if _, isType := state[2].(elementType); !isTuple || !isBool || !isText || !isType {
		return errors.New("an array of damaged properties")
	}
	if fortran && len(shape) > 1 {
		return errors.New("an array in Fortran order")
	}
	lengths, err := lengthsOf(shape, len(values))
	if err != nil {
		return err
	}
	a.Shape, a.Values = lengths, values
	return nil
}

// maxDimensions is how many lengths an array's shape may have. Those of the files have two.
const maxDimensions = 8

// lengthsOf checks that a shape is that of so many bytes. The error doesn't show the shape: what
// stands in it may be tuples of tuples without end.
func lengthsOf(shape tuple, bytes int) ([]int, error) {
	if len(shape) > maxDimensions {
		return nil, fmt.Errorf("an array of %d dimensions with %d bytes", len(shape), bytes)
	}
	lengths, count := make([]int, len(shape)), 1
	for i, length := range shape {
		n, isNumber := length.(int)
		if !isNumber || n < 0 || n > bytes || count > bytes {
			return nil, fmt.Errorf("an array whose shape doesn't go with %d bytes", bytes)
		}
		lengths[i] = n
		count *= n
	}
	if count != bytes {
		return nil, fmt.Errorf("an array of shape %v with %d bytes", lengths, bytes)
	}
	return lengths, nil
}
