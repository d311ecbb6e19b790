package jpeg

import "slices"

// pass is a scan of a progressive file. It brings the coefficients from first to last of each block
// without their lowest bits, or one more of these bits.
type pass struct {
	*bits
	first, last int
	low         int // bits that are yet to come
}

// readPass reads a pass over channels, of which the fields say what it brings.
func (d *Decoder) readPass(channels []*component, fields []byte) error {
	bits := &bits{data: d.rest}
	p := pass{bits: bits, first: int(fields[0]), last: int(fields[1]), low: int(fields[2] & 15)}
	before := int(fields[2] >> 4)
	isDirect := p.first == 0
	if p.first > p.last || p.last > 63 || isDirect != (p.last == 0) || !isDirect && len(channels) > 1 || before > 0 && before != p.low+1 {
		return errOther
	}
	for _, c := range channels {
		if isDirect && before == 0 && !d.tables[0][c.direct].there || !isDirect && !d.tables[1][c.alternate].there {
			return errOther
		}
		for i := p.first; i <= p.last; i++ {
			if before == 0 && c.known[i] > 0 || before > 0 && c.known[i] != 1+before {
				return errOther
			}
			c.known[i] = 1 + p.low
		}
		if !c.table.there {
			c.table = d.steps[c.steps]
		}
	}
	err := d.eachBlock(bits, channels, func(c *component, row, column int) error {
		b := &c.blocks[row*(c.plane.Stride/8)+column]
		switch {
		case isDirect && before == 0:
			return p.beginDirect(c, &d.tables[0][c.direct], b)
		case isDirect:
			b[0] |= p.take(1) << p.low
			return nil
		case before == 0:
			return p.begin(&d.tables[1][c.alternate], b)
		}
		return p.refine(&d.tables[1][c.alternate], b)
	})
	d.rest = bits.data
	return err
}

// beginDirect reads the upper bits of the first coefficient of a block.
func (p *pass) beginDirect(c *component, table *huffmanTable, b *Block) error {
	size, err := p.value(table)
	if err != nil || size > 15 {
		return errOther
	}
	c.prediction += p.number(int(size))
	b[0] = c.prediction << p.low
	return nil
}

// begin reads the upper bits of the other coefficients of a block.
func (p *pass) begin(table *huffmanTable, b *Block) error {
	if p.run > 0 {
		p.run--
		return nil
	}
	for i := p.first; i <= p.last; i++ {
		zeros, size, err := p.code(table)
		if err != nil {
			return err
		}
		if size == 0 && zeros < 15 {
			p.run = 1<<zeros + int(p.take(zeros)) - 1
			break
		}
		if i += zeros; i > p.last {
			return errOther
		}
		b[zigzag[i]] = p.number(size) << p.low
	}
	return nil
}

// refine reads one more bit of the coefficients of a block: of each that isn't zero yet a bit, and
// codes for those that become 1 or -1.
func (p *pass) refine(table *huffmanTable, b *Block) error {
	at := p.first
	for p.run == 0 && at <= p.last {
		zeros, size, err := p.code(table)
		if err != nil || size > 1 {
			return errOther
		}
		if size == 0 && zeros < 15 {
			p.run = 1<<zeros + int(p.take(zeros))
			break
		}
		sign := int32(0) // of 15 zeros and another
		if size == 1 {
			sign = 2*p.take(1) - 1
		}
		if at = p.extend(b, at, zeros); at <= p.last {
			b[zigzag[at]] = sign << p.low
		} else if size == 1 {
			return errOther
		}
		at++
	}
	if p.run > 0 {
		p.run--
		p.extend(b, at, 64)
	}
	return nil
}

// extend reads a bit more of the coefficients from one on that aren't zero, until it has passed
// some zeros and meets another. It returns where that is.
func (p *pass) extend(b *Block, at, zeros int) int {
	for ; at <= p.last; at++ {
		v := &b[zigzag[at]]
		switch {
		case *v == 0 && zeros == 0:
			return at
		case *v == 0:
			zeros--
		case p.take(1) == 0:
		case *v > 0:
			*v += 1 << p.low
		default:
			*v -= 1 << p.low
		}
	}
	return at
}

// code reads how many zeros there are before a coefficient, and how many bits that has.
func (p *pass) code(table *huffmanTable) (zeros, size int, err error) {
	code, err := p.value(table)
	return int(code >> 4), int(code & 15), err
}

// putTogether transforms the coefficients that the passes have brought, if they have brought all.
func (d *Decoder) putTogether() error {
	for i := range d.components {
		c := &d.components[i]
		if !c.table.there || slices.ContainsFunc(c.known[:], func(known int) bool { return known != 1 }) {
			return errOther
		}
		across := c.plane.Stride / 8
		for at := range c.blocks {
			b := &c.blocks[at]
			for j, step := range c.table.steps {
				b[zigzag[j]] *= step
			}
			b.Inverse()
			c.plane.Store(b, 8*(at/across), 8*(at%across))
		}
	}
	d.done = true
	return nil
}
