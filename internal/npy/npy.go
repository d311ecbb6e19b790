// Package npy reads and writes NumPy's .npy files. Arrays are streamed: they take no more memory
// than the file's size, even if the header claims more.
//
//	array, err := npy.ReadFile[uint8]("testdata/images.npy") // array.Shape is [count, height, width, 3]
package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Number is an element type that can be read and written.
type Number interface {
	uint8 | int8 | uint16 | int32 | int64 | Half | float32 | float64
}

// Array is a dense array, the last index running fastest.
type Array[T Number] struct {
	Shape  []int
	Values []T
}

// At returns the part of the array whose first indices are given, sharing memory. Like a slice, it
// panics if an index is out of range.
func (a Array[T]) At(indices ...int) Array[T] {
	for _, index := range indices {
		inner := elements(a.Shape[1:])
		a = Array[T]{a.Shape[1:], a.Values[index*inner : (index+1)*inner]}
	}
	return a
}

// TypeOf returns the name that headers give to T, for example "<f8".
func TypeOf[T Number]() string {
	var zero T
	switch any(zero).(type) {
	case uint8:
		return "|u1"
	case int8:
		return "|i1"
	case uint16:
		return "<u2"
	case int32:
		return "<i4"
	case int64:
		return "<i8"
	case Half:
		return "<f2"
	case float32:
		return "<f4"
	}
	return "<f8"
}

// TypeError is the error of an array whose elements have another type.
type TypeError struct {
	Type, Want string
	Shape      []int
}

// Error names the file's type and the types that can be read.
func (e *TypeError) Error() string {
	return fmt.Sprintf("npy: element type %q: want %q", e.Type, e.Want)
}

// Name returns the type's name in Python, as float16 for "<f2".
func (e *TypeError) Name() string {
	if len(e.Type) == 3 {
		kind := map[byte]string{'f': "float", 'i': "int", 'u': "uint"}[e.Type[1]]
		if bytes := e.Type[2]; kind != "" && bytes >= '1' && bytes <= '8' {
			return fmt.Sprint(kind, 8*int(bytes-'0'))
		}
	}
	return fmt.Sprintf("%q", e.Type)
}

// Read reads an array whose element type is T, in C or in Fortran order.
func Read[T Number](r io.Reader) (Array[T], error) {
	header, err := readHeaderOfType[T](r)
	if err != nil {
		return Array[T]{}, err
	}
	array, err := readValues[T](r, header)
	if header.Fortran && err == nil {
		shape, axes := slices.Clone(array.Shape), make([]int, len(array.Shape))
		for i := range axes {
			axes[i] = len(axes) - 1 - i
		}
		slices.Reverse(shape)
		array.Values = Transpose(array.Values, shape, axes)
	}
	return array, err
}

// Transpose returns the values of an array of a shape with its axes in another order: axis i of the
// result is axes[i].
func Transpose[T any](values []T, shape, axes []int) []T {
	strides, step := make([]int, len(shape)), 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis], step = step, step*shape[axis]
	}
	result, place := make([]T, 0, len(values)), make([]int, len(axes)) // in the result
	for range values {
		from := 0
		for axis, source := range axes {
			from += place[axis] * strides[source]
		}
		result = append(result, values[from])
		for axis := len(axes) - 1; axis >= 0; axis-- {
			if place[axis]++; place[axis] < shape[axes[axis]] {
				break
			}
			place[axis] = 0
		}
	}
	return result
}

// ReadShape reads an array of a given shape. It reads no elements of another one.
func ReadShape[T Number](r io.Reader, shape ...int) (Array[T], error) {
	header, err := readHeaderOf[T](r, shape...)
	if err != nil {
		return Array[T]{}, err
	}
	return readValues[T](r, header)
}

// readHeaderOf reads the header of an array of elements of type T with a given shape, -1 for any
// length, whose rows are together.
func readHeaderOf[T Number](r io.Reader, shape ...int) (Header, error) {
	header, err := readHeaderOfType[T](r)
	if err != nil {
		return Header{}, err
	}
	if header.Fortran && len(header.Shape) > 1 {
		return Header{}, fmt.Errorf("npy: array %v is in Fortran order: save it with "+
			"numpy.ascontiguousarray", header.Shape)
	}
	if !slices.EqualFunc(header.Shape, shape, func(length, want int) bool {
		return length == want || want == -1
	}) {
		return Header{}, fmt.Errorf("npy: array %v: want %s", header.Shape,
			strings.ReplaceAll(fmt.Sprint(shape), "-1", "any"))
	}
	return header, nil
}

// readHeaderOfType reads the header of an array of elements of type T.
func readHeaderOfType[T Number](r io.Reader) (Header, error) {
	header, err := ReadHeader(r)
	if err != nil {
		return Header{}, err
	}
	if want := TypeOf[T](); header.Type != want {
		return Header{}, &TypeError{header.Type, want, header.Shape}
	}
	return header, nil
}

// readValues reads a piece at a time, so that a header can't make it allocate more than twice the
// file's size.
func readValues[T Number](r io.Reader, header Header) (Array[T], error) {
	const piece = 1 << 16
	count := header.Count()
	values := make([]T, 0, min(count, piece))
	for len(values) < count {
		next := make([]T, min(count-len(values), piece))
		if err := binary.Read(r, binary.LittleEndian, next); err != nil {
			return Array[T]{}, fmt.Errorf("npy: array %v of type %s: truncated before element %d "+
				"of %d: %w",
				header.Shape, header.Type, len(values)+len(next), count, err)
		}
		values = append(values, next...)
	}
	return Array[T]{header.Shape, values}, nil
}

// ReadFile reads the array in a file that OpenFile opens, and refuses bytes after its end.
func ReadFile[T Number](path string) (Array[T], error) {
	file, err := OpenFile(path)
	if err != nil {
		return Array[T]{}, err
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, 1<<16)
	array, err := Read[T](buffered)
	if err != nil {
		if wrongType := (*TypeError)(nil); !errors.As(err, &wrongType) {
			err = fmt.Errorf("%w: write the file again with numpy.save", err)
		}
		return Array[T]{}, fmt.Errorf("%w (in %s)", err, path)
	}
	if _, err := buffered.ReadByte(); err != io.EOF {
		return Array[T]{}, fmt.Errorf("npy: %s has data after the last element of array %v: write "+
			"the file again with numpy.save", path, array.Shape)
	}
	return array, nil
}

// ReadIntegers is ReadFile of integers of any type.
func ReadIntegers(path string) (array Array[int64], err error) {
	for _, read := range []func(string) (Array[int64], error){
		widened[int32], widened[uint8], widened[int8], widened[uint16], ReadFile[int64],
	} {
		var other *TypeError
		if array, err = read(path); !errors.As(err, &other) {
			break
		}
	}
	return array, err
}

func widened[T uint8 | int8 | uint16 | int32](path string) (Array[int64], error) {
	array, err := ReadFile[T](path)
	wide := Array[int64]{array.Shape, make([]int64, len(array.Values))}
	for i, value := range array.Values {
		wide.Values[i] = int64(value)
	}
	return wide, err
}

// Float64s returns numbers in double precision.
func Float64s(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, value := range values {
		wide[i] = float64(value)
	}
	return wide
}

// WriteHeader writes everything up to the first element, as NumPy does: format version 1, in C
// order, padded to a multiple of 64 bytes.
func WriteHeader(w io.Writer, header Header) error {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", header.Type,
		pythonTuple(header.Shape))
	padding := 64 - (len(magic)+4+len(text)+1)%64
	text = fmt.Sprintf("%s%*s\n", text, padding%64, "")
	preamble := binary.LittleEndian.AppendUint16([]byte(magic+"\x01\x00"), uint16(len(text)))
	_, err := w.Write(append(preamble, text...))
	return err
}

func pythonTuple(shape []int) string {
	text := strings.ReplaceAll(quantity.Spaced(shape), " ", ", ")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// Write writes an array as a .npy file.
func Write[T Number](w io.Writer, array Array[T]) error {
	if err := WriteHeader(w, Header{Type: TypeOf[T](), Shape: array.Shape}); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, array.Values)
}

// WriteFile replaces the file by the array.
func WriteFile[T Number](path string, array Array[T]) error {
	return files.Write(path, func(w io.Writer) error { return Write(w, array) })
}

// Half is a floating-point number of IEEE 754 in 16 bits: a sign, 5 bits of exponent and 10 of
// fraction.
type Half uint16

// Float32 returns the number exactly.
func (h Half) Float32() float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // subnormal
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
