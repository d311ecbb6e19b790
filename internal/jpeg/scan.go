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

// zigzag is where the i-th coefficient of the file lies in its block, row by row.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// readPicture decodes all blocks, unit by unit: a unit is a square of luma blocks with the chroma
// blocks over them.
func (d *Decoder) readPicture() error {
	bits := &bits{data: d.rest}
	first := &d.components[0]
	across, down := first.plane.Stride/(8*first.across), first.plane.Rows/(8*first.down)
	for unit := range across * down {
		if d.restart > 0 && unit > 0 && unit%d.restart == 0 {
			if err := bits.nextInterval(); err != nil {
				return err
			}
			for i := range d.components {
				d.components[i].prediction = 0
			}
		}
		for i := range d.components {
			if err := d.readUnit(bits, &d.components[i], unit/across, unit%across); err != nil {
				return err
			}
		}
	}
	if bits.short() {
		return errShort
	}
	return nil
}

// readUnit decodes one channel's blocks of a unit.
func (d *Decoder) readUnit(bits *bits, c *component, row, column int) error {
	for i := range c.across * c.down {
		var b Block
		if err := d.readBlock(bits, c, &b); err != nil {
			return err
		}
		if bits.short() {
			return errShort
		}
		b.Inverse()
		c.plane.Store(&b, 8*(c.down*row+i/c.across), 8*(c.across*column+i%c.across))
	}
	return nil
}

// readBlock reads 64 coefficients and multiplies them by their steps.
func (d *Decoder) readBlock(bits *bits, c *component, b *Block) error {
	steps, alternate := &d.steps[c.steps].steps, &d.tables[1][c.alternate]
	size, err := bits.value(&d.tables[0][c.direct])
	if err != nil || size > 15 {
		return errors.Join(errors.New("damaged block"), err)
	}
	c.prediction += bits.number(int(size))
	b[0] = c.prediction * steps[0]
	for i := 1; i < 64; i++ {
		code, err := bits.value(alternate)
		if err != nil {
			return err
		}
		zeros, size := int(code>>4), int(code&15)
		if size == 0 && zeros < 15 {
			break
		}
		if i += zeros; i > 63 {
			return errors.New("a block of more than 64 coefficients")
		}
		b[zigzag[i]] = bits.number(size) * steps[i]
	}
	return nil
}
