package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// magic starts every file.
const magic = "\x93NUMPY"

// Limits on a header's claims.
const (
	maxHeaderBytes = 1 << 16
	maxDimensions  = 32
	maxElements    = 1 << 41
)

// Header describes an array.
type Header struct {
	Type    string // element type as NumPy writes it: "|u1" or "<f8"
	Shape   []int  // no entry is negative
	Fortran bool   // the first index runs fastest
}

// Count returns the number of elements.
func (h Header) Count() int { return elements(h.Shape) }

// elements returns the number of elements of a shape.
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

// inJSON turns the Python dictionary of a header into JSON. NumPy of Python 2 wrote lengths with an
// L behind them.
var inJSON = strings.NewReplacer("L,)", "]", "L, )", "]", ",)", "]", ", )", "]", ",}", "}", ", }",
	"}",
	"L,", ",", "L)", "]", "'", `"`, "(", "[", ")", "]", "True", "true", "False", "false")

// parseHeader reads the text of a Python dictionary with exactly three keys.
func parseHeader(text string) (Header, error) {
	var keys struct {
		Type    *string `json:"descr"`
		Fortran *bool   `json:"fortran_order"`
		Shape   []int   `json:"shape"`
	}
	if err := files.ParseJSON([]byte(inJSON.Replace(text)), &keys); err != nil {
		return Header{}, fmt.Errorf("npy: bad header %.200q: %w", text, err)
	}
	if keys.Type == nil || keys.Fortran == nil || keys.Shape == nil {
		return Header{}, fmt.Errorf("npy: bad header %.200q: want the keys descr, fortran_order "+
			"and shape", text)
	}
	h := Header{*keys.Type, keys.Shape, *keys.Fortran}
	if rest := strings.TrimLeft(h.Type, "<>="); rest == "u1" || rest == "i1" {
		h.Type = "|" + rest // a byte has no order
	}
	return h, checkShape(h.Shape)
}

// checkShape refuses shapes whose elements can't be counted.
func checkShape(shape []int) error {
	count := 1
	for i, length := range shape {
		if length < 0 || i == maxDimensions || max(length, 1) > maxElements/count {
			return fmt.Errorf("npy: bad header: length %d is negative, or the array is too large",
				length)
		}
		count *= max(length, 1)
	}
	return nil
}
