package jpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// readSteps reads tables of quantisation steps.
func (d *Decoder) readSteps(body []byte) error {
	for len(body) > 0 {
		wide, index := int(body[0]>>4), body[0]&15
		size := 64 * (1 + wide)
		if wide > 1 || index > 3 || len(body) < 1+size {
			return errors.New("damaged table of quantisation steps")
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
			return errors.New("damaged Huffman table")
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
	if len(body) < 6 || len(body) != 6+3*int(body[5]) || len(d.components) > 0 {
		return errors.New("damaged frame")
	}
	if body[0] != 8 {
		return fmt.Errorf("%w: %d bits a sample", ErrUnsupported, body[0])
	}
	d.height, d.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	for fields := body[6:]; len(fields) > 0; fields = fields[3:] {
		across, down := int(fields[1]>>4), int(fields[1]&15)
		if min(across, down) < 1 || max(across, down) > 2 || fields[2] > 3 {
			return fmt.Errorf("%w: sampling factors %#x", ErrUnsupported, fields[1])
		}
		d.components = append(d.components, component{id: fields[0], across: across, down: down, steps: fields[2]})
	}
	return d.makePlanes()
}

// makePlanes checks the frame and makes room for its samples. A block takes two bits at least, so a
// file can't make it allocate more than some hundred times its own size.
func (d *Decoder) makePlanes() error {
	count := len(d.components)
	if d.height == 0 || d.width == 0 || count != 1 && count != 3 {
		return fmt.Errorf("%w: %dx%d with %d channels", ErrUnsupported, d.height, d.width, count)
	}
	if d.MaxPixels > 0 && d.height*d.width > d.MaxPixels {
		return fmt.Errorf("a picture of %dx%d has more than the %d pixels that are allowed", d.height, d.width, d.MaxPixels)
	}
	if d.height*d.width > 256*len(d.data) {
		return fmt.Errorf("%d bytes can't hold a picture of %dx%d", len(d.data), d.height, d.width)
	}
	luma := &d.components[0]
	if count == 1 {
		luma.across, luma.down = 1, 1 // a single channel has no other to be compared with
	}
	down, across := divided(d.height, 8*luma.down), divided(d.width, 8*luma.across)
	for i := range d.components {
		c := &d.components[i]
		if i > 0 && (c.across != 1 || c.down != 1) {
			return fmt.Errorf("%w: chroma larger than luma", ErrUnsupported)
		}
		c.plane = &d.planes[i]
		c.plane.resize(divided(d.height, luma.down/c.down), divided(d.width, luma.across/c.across), 8*c.down*down, 8*c.across*across)
	}
	return nil
}

// divided divides lengths and rounds up.
func divided(length, by int) int { return (length + by - 1) / by }

// readScan reads which tables the channels use, and then the picture.
func (d *Decoder) readScan(body []byte) error {
	count := len(d.components)
	if count == 0 || len(body) != 4+2*count || int(body[0]) != count {
		return fmt.Errorf("%w: a scan without all channels", ErrUnsupported)
	}
	for i := range d.components {
		c := &d.components[i]
		id, tables := body[1+2*i], body[2+2*i]
		if id != c.id || tables>>4 > 3 || tables&15 > 3 {
			return errors.New("damaged scan")
		}
		c.direct, c.alternate = tables>>4, tables&15
		if !d.tables[0][c.direct].there || !d.tables[1][c.alternate].there || !d.steps[c.steps].there {
			return errors.New("a table is missing")
		}
	}
	d.done = true
	return d.readPicture()
}
