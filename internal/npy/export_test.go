package npy

import "bytes"

// OpenBytes is Open of a file in memory.
func OpenBytes(data []byte) (*File[uint8], error) {
	return newFile[uint8](memory{bytes.NewReader(data)}, int64(len(data)))
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }
