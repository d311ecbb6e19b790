// Package jpeg decodes baseline JPEG files to the same pixels as libjpeg-turbo, and so as Pillow
// and PyTorch: networks see here what they see there. The standard library's decoder repeats chroma
// instead of interpolating it, and its transform changes between releases. Files may have 8 bits a
// sample, grey or colour, with chroma at full size or halved either way or both. The
// cosine transforms of Block also serve the corruption that compresses images.
//
//	var decoder jpeg.Decoder
//	image, err := decoder.Decode(data) // image.Pixels is [height, width, 3]
package jpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Image is a decoded picture.
type Image struct {
	Height, Width int
	Pixels        []uint8 // [height, width, 3] RGB; the three values of grey pictures are equal
}

// ErrUnsupported is wrapped by the error of a file that is of a kind that this package doesn't
// read, such as a progressive one. It may be a sound JPEG file.
var ErrUnsupported = errors.New("unsupported kind of JPEG")

// Markers that tell the segments of a file apart.
const (
	startOfImage  = 0xd8
	endOfImage    = 0xd9
	baselineFrame = 0xc0
	extendedFrame = 0xc1
	huffmanTables = 0xc4
	quantTables   = 0xdb
	restartEvery  = 0xdd
	startOfScan   = 0xda
)

// Decoder decodes one file after the other and keeps its buffers between them. Its zero value is
// ready; it serves one goroutine.
type Decoder struct {
	MaxPixels int // a picture of more is refused before memory is taken for it; 0 means 256 for each byte of the file

	data, rest    []byte
	height, width int
	components    []component
	planes        [3]Plane
	steps         [4]quantisation
	tables        [2][4]huffmanTable
	restart       int // units between restarts, 0 for none
	done          bool
	pixels        []uint8
	joiner        Joiner
}

// quantisation is a table of steps, in the order of the file.
type quantisation struct {
	there bool
	steps [64]int32
}

// component is a channel: luma, or one of the two chroma channels.
type component struct {
	id         byte
	across     int // blocks a unit: 1 or 2
	down       int
	steps      byte
	direct     byte // table of the first coefficient
	alternate  byte // table of the others
	prediction int32
	plane      *Plane
}

// Decode decodes a whole file. The image's pixels are valid until the next call.
func (d *Decoder) Decode(data []byte) (Image, error) {
	if err := d.decode(data); err != nil {
		return Image{}, err
	}
	return d.image(), nil
}

// decode fills the planes of the channels.
func (d *Decoder) decode(data []byte) error {
	if len(data) < 4 || data[0] != 0xff || data[1] != startOfImage {
		return errors.New("jpeg: file doesn't start as a JPEG file does")
	}
	d.reset(data)
	for !d.done {
		if err := d.segment(); err != nil {
			return fmt.Errorf("jpeg: %w", err)
		}
	}
	return nil
}

// reset forgets the file before.
func (d *Decoder) reset(data []byte) {
	d.data, d.rest = data, data[2:]
	d.height, d.width, d.restart, d.done = 0, 0, 0, false
	d.components = d.components[:0]
	for i := range 4 {
		d.steps[i].there, d.tables[0][i].there, d.tables[1][i].there = false, false, false
	}
}

// segment reads the next marker and what belongs to it.
func (d *Decoder) segment() error {
	marker, err := d.marker()
	if err != nil {
		return err
	}
	if len(d.rest) < 2 {
		return fmt.Errorf("segment %#x ends early", marker)
	}
	length := int(binary.BigEndian.Uint16(d.rest))
	if length < 2 || length > len(d.rest) {
		return fmt.Errorf("segment %#x has a length of %d, %d bytes are left", marker, length, len(d.rest))
	}
	body := d.rest[2:length]
	d.rest = d.rest[length:]
	switch {
	case marker == quantTables:
		return d.readSteps(body)
	case marker == huffmanTables:
		return d.readTables(body)
	case marker == baselineFrame, marker == extendedFrame:
		return d.readFrame(body)
	case marker > extendedFrame && marker <= 0xcf && marker != 0xc8:
		return fmt.Errorf("%w: frame %#x", ErrUnsupported, marker)
	case marker == restartEvery && len(body) >= 2:
		d.restart = int(binary.BigEndian.Uint16(body))
	case marker == startOfScan:
		return d.readScan(body)
	}
	return nil
}

// marker skips to the next marker and returns it.
func (d *Decoder) marker() (byte, error) {
	for len(d.rest) >= 2 {
		if d.rest[0] == 0xff && d.rest[1] != 0xff && d.rest[1] != 0 {
			marker := d.rest[1]
			d.rest = d.rest[2:]
			if marker == endOfImage {
				return 0, errors.New("file ends before its picture")
			}
			return marker, nil
		}
		d.rest = d.rest[1:]
	}
	return 0, errors.New("file ends before its picture")
}
