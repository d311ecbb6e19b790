package jpeg

import (
	"errors"
)

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
