package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// magic starts every file.
const magic = "\x93NUMPY"

// Limits on what a header may claim.
const (
	maxHeaderBytes = 1 << 16
	maxDimensions  = 32
	maxElements    = 1 << 41
)

// Header describes an array.
type Header struct {
	Type    string // element type as NumPy writes it, such as "|u1" or "<f8"
	Shape   []int  // no entry is negative
	Fortran bool   // the first index runs fastest
}

// Count is the number of elements.
func (h Header) Count() int { return elements(h.Shape) }

// elements is the number of elements of a shape.
func elements(shape []int) int {
	product := 1
	for _, length := range shape {
		product *= length
	}
	return product
}

// ReadHeader reads up to the first element. It accepts versions 1 to 3 of the format.
func ReadHeader(r io.Reader) (Header, error) {
	length, err := readPreamble(r)
	if err != nil {
		return Header{}, err
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return Header{}, fmt.Errorf("npy: header ends early, want %d bytes: %w", length, err)
	}
	return parseHeader(string(text))
}

// readPreamble returns the length of the header's text.
func readPreamble(r io.Reader) (int, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return 0, fmt.Errorf("npy: file is shorter than its first 8 bytes: %w", err)
	}
	if string(start[:6]) != magic {
		return 0, fmt.Errorf("npy: file starts with %q, want %q: not a .npy file", start[:6], magic)
	}
	version := start[6]
	if version < 1 || version > 3 {
		return 0, fmt.Errorf("npy: format version %d: want 1, 2 or 3", version)
	}
	field := make([]byte, 2)
	if version > 1 {
		field = make([]byte, 4)
	}
	if _, err := io.ReadFull(r, field); err != nil {
		return 0, fmt.Errorf("npy: header length ends early: %w", err)
	}
	field = append(field, 0, 0)
	length := binary.LittleEndian.Uint32(field)
	if length > maxHeaderBytes {
		return 0, fmt.Errorf("npy: header of %d bytes: want at most %d", length, maxHeaderBytes)
	}
	return int(length), nil
}

// parseHeader reads the text of a Python dictionary with exactly three keys.
func parseHeader(text string) (Header, error) {
	var header Header
	p := &parser{rest: text}
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		key := p.quoted()
		p.expect(":")
		if p.err == nil && seen[key] {
			p.fail("key %q comes twice", key)
		}
		seen[key] = true
		p.value(key, &header)
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.err == nil && strings.TrimSpace(p.rest) != "" {
		p.fail("text after the dictionary")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("want the keys descr, fortran_order and shape")
	}
	return header, p.err
}

// value reads the value of one key.
func (p *parser) value(key string, header *Header) {
	switch key {
	case "descr":
		header.Type = p.quoted()
		if rest := strings.TrimLeft(header.Type, "<>="); rest == "u1" || rest == "i1" {
			header.Type = "|" + rest // a byte has no order
		}
	case "fortran_order":
		header.Fortran = p.boolean()
	case "shape":
		header.Shape = p.tuple()
	default:
		p.fail("unknown key %q", key)
	}
}

// tuple reads a shape such as (10000, 32, 32, 3), (7,) or ().
func (p *parser) tuple() []int {
	shape, count := []int{}, 1
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		length := p.integer()
		if len(shape) == maxDimensions || max(length, 1) > maxElements/count {
			p.fail("array is too large")
			break
		}
		count *= max(length, 1)
		shape = append(shape, length)
		if !p.accept(",") {
			p.expect(")")
			break
		}
	}
	return shape
}
