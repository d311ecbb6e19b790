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
	switch filepath.Ext(name) {
	case ".safetensors":
		const prefix = 8
		header := prefix
		if len(data) >= prefix {
			header += int(min(binary.LittleEndian.Uint64(data), uint64(len(data)-prefix)))
		}
		add(lengthBytes, 0, prefix)
		add(headerBytes, prefix, header)
		add(numberBytes, header, len(data)-prefix)
		add(endBytes, len(data)-prefix, len(data))
	case ".npy":
		const header, last = 128, 4
		add(headerBytes, 0, header)
		add(numberBytes, header, len(data)-last)
		add(endBytes, len(data)-last, len(data))
	case ".png":
		const header, last = 33, 12
		add(headerBytes, 0, header)
		add(numberBytes, header, len(data)-last)
		add(endBytes, len(data)-last, len(data))
	case ".npz":
		const header, directory = 64, 300
		add(headerBytes, 0, header)
		add(numberBytes, header, len(data)-directory)
		add(endBytes, len(data)-directory, len(data))
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
	for at := body; at < len(data)-last; at++ {
		switch c := data[at]; {
		case c == '"':
			end := at + 1 + max(0, slices.Index(data[at+1:], '"'))
			class := textBytes
			if end+1 < len(data) && data[end+1] == ':' {
				class = keyBytes
			}
			add(class, at+1, min(end, len(data)-last))
			at = end
		case '0' <= c && c <= '9', c == '.', c == '-':
			add(numberBytes, at, at+1)
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			add(textBytes, at, at+1)
		default:
			add(signBytes, at, at+1)
		}
	}
	add(endBytes, len(data)-last, len(data))
}
