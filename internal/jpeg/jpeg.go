// Package jpeg decodes JPEG files. Baseline ones get the same pixels as from libjpeg-turbo, and so
// as from Pillow and PyTorch: networks see the same images. The standard library, whose transform
// changes between releases, reads the other kinds, for example progressive files and CMYK. The
// cosine transforms of Block also serve the corruption that compresses images.
//
//	var decoder jpeg.Decoder
//	image, err := decoder.Decode(data)
package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	stdjpeg "image/jpeg"
)

// Markers of the segments of a file.
const (
	restart       = 0xd0 // and the next seven
	startOfImage  = 0xd8
	endOfImage    = 0xd9
	baselineFrame = 0xc0
	extendedFrame = 0xc1
	passesFrame   = 0xc2 // of a progressive file
	lastFrame     = 0xcf
	huffmanTables = 0xc4
	quantTables   = 0xdb
	restartEvery  = 0xdd
	startOfScan   = 0xda
	jfif          = 0xe0
	adobe         = 0xee
)

// Decoder decodes one file after the other and keeps its buffers between them. Its zero value is
// ready; it serves one goroutine.
type Decoder struct {
	MaxPixels int // a picture of more is refused before memory is taken for it; 0 means no limit

	data, rest    []byte
	height, width int
	components    []component
	planes        [3]Plane
	steps         [4]quantisation
	tables        [2][4]huffmanTable
	restart       int // units between restarts, 0 for none
	scanned       int // channels of a baseline file that are read
	done          bool
	isJFIF        bool // its three channels are luma and chroma
	untransformed bool // by Adobe's segment: without JFIF they are red, green and blue
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
	scanned    bool
}

// errOther is the error of a file that isn't a valid baseline file of grey or YCbCr. The standard
// library reads it or reports its fault.
var errOther = errors.New("jpeg: not a sound baseline file")

// Decode decodes a file. The image is valid until the next call.
func (d *Decoder) Decode(data []byte) (image.Image, error) {
	if err := d.decode(data); err == nil {
		return d.image(), nil
	} else if err != errOther {
		return nil, err
	}
	config, err := stdjpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := d.checkPixels(config.Height, config.Width); err != nil {
		return nil, err
	}
	decoded, err := stdjpeg.Decode(bytes.NewReader(data))
	if err = checkScans(data, err); err != nil {
		return nil, err
	}
	if p, is := decoded.(*image.YCbCr); is {
		return joined(p, false), nil
	}
	return decoded, nil
}

func (d *Decoder) checkPixels(height, width int) error {
	if d.MaxPixels > 0 && height*width > d.MaxPixels {
		return fmt.Errorf("jpeg: a picture of %dx%d has more than the %d pixels that are allowed",
			height, width, d.MaxPixels)
	}
	return nil
}

// decode fills the planes of the channels.
func (d *Decoder) decode(data []byte) error {
	if len(data) < 4 || data[0] != 0xff || data[1] != startOfImage {
		return errOther
	}
	d.reset(data)
	for !d.done {
		if err := d.segment(); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets the file before.
func (d *Decoder) reset(data []byte) {
	d.data, d.rest = data, data[2:]
	d.height, d.width, d.restart, d.scanned = 0, 0, 0, 0
	d.done, d.isJFIF, d.untransformed = false, false, false
	d.components = d.components[:0]
	for i := range 4 {
		d.steps[i].there, d.tables[0][i].there, d.tables[1][i].there = false, false, false
	}
}

// segment reads the next marker and what belongs to it.
func (d *Decoder) segment() error {
	marker, found := d.marker()
	if !found || len(d.rest) < 2 {
		return errOther
	}
	length := int(binary.BigEndian.Uint16(d.rest))
	if length < 2 || length > len(d.rest) {
		return errOther
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
	case marker >= passesFrame && marker <= lastFrame && marker != 0xc8:
		return errOther
	case marker == jfif:
		d.isJFIF = d.isJFIF || bytes.HasPrefix(body, []byte("JFIF\x00"))
	case marker == adobe && len(body) >= 12 && string(body[:5]) == "Adobe":
		d.untransformed = body[11] == 0
	case marker == restartEvery && len(body) >= 2:
		d.restart = int(binary.BigEndian.Uint16(body))
	case marker == startOfScan:
		return d.readScan(body)
	}
	return nil
}

// marker skips to the next marker and returns it, if there is one before the end of the picture.
func (d *Decoder) marker() (marker byte, found bool) {
	for len(d.rest) >= 2 {
		if d.rest[0] == 0xff && d.rest[1] != 0xff && d.rest[1] != 0 && d.rest[1]&^7 != restart {
			marker := d.rest[1]
			d.rest = d.rest[2:]
			return marker, marker != endOfImage
		}
		d.rest = d.rest[1:]
	}
	return 0, false
}

// readSteps reads tables of quantisation steps.
func (d *Decoder) readSteps(body []byte) error {
	for len(body) > 0 {
		wide, index := int(body[0]>>4), body[0]&15
		size := 64 * (1 + wide)
		if wide > 1 || index > 3 || len(body) < 1+size {
			return errOther
		}
		table := &d.steps[index]
		table.there = true
		for i := range table.steps {
			if wide == 1 {
				table.steps[i] = int32(binary.BigEndian.Uint16(body[1+2*i:]))
			} else {
				table.steps[i] = int32(body[1+i])
			}
		}
		body = body[1+size:]
	}
	return nil
}

// readTables reads Huffman tables.
func (d *Decoder) readTables(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 || body[0]>>4 > 1 || body[0]&15 > 3 {
			return errOther
		}
		used, err := d.tables[body[0]>>4][body[0]&15].build(body[1:])
		if err != nil {
			return err
		}
		body = body[1+used:]
	}
	return nil
}

// readFrame reads the size of the picture and its channels.
func (d *Decoder) readFrame(body []byte) error {
	if len(body) < 6 || body[0] != 8 || len(body) != 6+3*int(body[5]) || len(d.components) > 0 {
		return errOther
	}
	d.height, d.width = int(binary.BigEndian.Uint16(body[1:])),
		int(binary.BigEndian.Uint16(body[3:]))
	for fields := body[6:]; len(fields) > 0; fields = fields[3:] {
		across, down := int(fields[1]>>4), int(fields[1]&15)
		if min(across, down) < 1 || max(across, down) > 2 || fields[2] > 3 {
			return errOther
		}
		d.components = append(d.components, component{id: fields[0], across: across, down: down,
			steps: fields[2]})
	}
	return d.makePlanes()
}

// makePlanes checks the frame and makes room for its samples. A block takes a bit at least, so a
// file can't make it allocate more than some ten thousand times its own size.
func (d *Decoder) makePlanes() error {
	count := len(d.components)
	if d.height == 0 || d.width == 0 || count != 1 && count != 3 {
		return errOther
	}
	if err := d.checkPixels(d.height, d.width); err != nil {
		return err
	}
	if d.height*d.width > 512*len(d.data) {
		return fmt.Errorf("jpeg: %d bytes can't hold a picture of %dx%d", len(d.data), d.height,
			d.width)
	}
	luma := &d.components[0]
	if count == 3 && !d.isJFIF && (d.untransformed || luma.id == 'R') {
		return errOther // Adobe's files of red, green and blue
	}
	if count == 1 {
		luma.across, luma.down = 1, 1 // a single channel has no other to be compared with
	}
	down, across := divided(d.height, 8*luma.down), divided(d.width, 8*luma.across)
	for i := range d.components {
		c := &d.components[i]
		chroma := &d.components[min(1, i)]
		if c.across > luma.across || c.down > luma.down || i > 0 && (c.across != chroma.across ||
			c.down != chroma.down) {
			return errOther
		}
		c.plane = &d.planes[i]
		c.plane.resize(divided(d.height, luma.down/c.down), divided(d.width, luma.across/c.across),
			8*c.down*down, 8*c.across*across)
	}
	return nil
}

// divided divides lengths and rounds up.
func divided(length, by int) int { return (length + by - 1) / by }
