package main

import (
	"encoding/binary"
	"path/filepath"
	"slices"
)

// The classes of a file's bytes. Each is damaged equally often, however few bytes it has.
const (
	lengthBytes = "length"  // of the header
	headerBytes = "header"  // names, shapes and columns
	keyBytes    = "keys"    // of JSON
	textBytes   = "text"    // names and words
	numberBytes = "numbers" // and checksums
	signBytes   = "signs"   // punctuation and spaces
	endBytes    = "end"     // the last bytes
)

// classify returns the positions of a file's bytes by their class.
func classify(name string, data []byte) map[string][]int {
	positions := map[string][]int{}
	add := func(class string, from, to int) {
		for at := max(0, from); at < min(to, len(data)); at++ {
			positions[class] = append(positions[class], at)
		}
	}
	// ends adds what has a header from some byte on and last bytes; a short file is all header.
	ends := func(from, header, last int) {
		end := max(header, len(data)-last)
		add(headerBytes, from, header)
		add(numberBytes, header, end)
		add(endBytes, end, len(data))
	}
	switch filepath.Ext(name) {
	case ".safetensors":
		const prefix = 8
		header := prefix
		if len(data) >= prefix {
			header += int(min(binary.LittleEndian.Uint64(data), uint64(len(data)-prefix)))
		}
		add(lengthBytes, 0, prefix)
		ends(prefix, header, 8)
	case ".npy":
		ends(0, 128, 4)
	case ".png":
		ends(0, 33, 12)
	case ".npz":
		ends(0, 64, 300)
	default:
		classifyText(data, filepath.Ext(name) == ".csv", add)
	}
	return positions
}

// classifyText classifies the bytes of JSON, or of a table with a header.
func classifyText(data []byte, table bool, add func(class string, from, to int)) {
	const last = 2
	body := 0
	if table {
		body = slices.Index(data, '\n') + 1
		add(headerBytes, 0, body)
	}
	rest := max(body, len(data)-last)
	for at := body; at < rest; at++ {
		switch c := data[at]; {
		case c == '"':
			end := at + 1 + max(0, slices.Index(data[at+1:], '"'))
			class := textBytes
			if end+1 < len(data) && data[end+1] == ':' {
				class = keyBytes
			}
			add(class, at+1, min(end, rest))
			at = end
		case '0' <= c && c <= '9', c == '.', c == '-':
			add(numberBytes, at, at+1)
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			add(textBytes, at, at+1)
		default:
			add(signBytes, at, at+1)
		}
	}
	add(endBytes, rest, len(data))
}
