package jpeg

// readScan reads a scan, which is all coefficients of some channels.
func (d *Decoder) readScan(body []byte) error {
	channels, err := d.channels(body)
	if err != nil {
		return err
	}
	for _, c := range channels {
		if c.scanned || !d.tables[0][c.direct].there || !d.tables[1][c.alternate].there ||
			!d.steps[c.steps].there {
			return errOther
		}
		c.scanned = true
	}
	d.scanned += len(channels)
	d.done = d.scanned == len(d.components)
	bits := &bits{data: d.rest}
	defer func() { d.rest = bits.data }()
	return d.eachBlock(bits, channels, func(c *component, row, column int) error {
		var b Block
		if err := d.readBlock(bits, c, &b); err != nil {
			return err
		}
		b.Inverse()
		c.plane.Store(&b, 8*row, 8*column)
		return nil
	})
}

// channels reads which channels a scan has, in the order of the frame, and which tables they use.
func (d *Decoder) channels(body []byte) (channels []*component, err error) {
	if len(body) < 6 || len(body) != 4+2*int(body[0]) {
		return nil, errOther
	}
	fields := body[1 : len(body)-3]
	for i := range d.components {
		c := &d.components[i]
		if len(fields) == 0 || fields[0] != c.id {
			continue
		}
		if fields[1]>>4 > 3 || fields[1]&15 > 3 {
			return nil, errOther
		}
		c.direct, c.alternate, c.prediction = fields[1]>>4, fields[1]&15, 0
		channels, fields = append(channels, c), fields[2:]
	}
	if len(fields) > 0 {
		return nil, errOther
	}
	return channels, nil
}

// zigzag is the place in its block, row by row, of the file's i-th coefficient.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// eachBlock visits the blocks of channels, unit by unit. A unit is a square of luma blocks with the
// chroma blocks over them; of a single channel it is one block.
func (d *Decoder) eachBlock(bits *bits, channels []*component, visit func(c *component, row,
	column int) error) error {
	first := channels[0]
	across, down := first.plane.Stride/(8*first.across), first.plane.Rows/(8*first.down)
	if len(channels) == 1 {
		across, down = divided(first.plane.Width, 8), divided(first.plane.Height, 8)
	}
	for unit := range across * down {
		if d.restart > 0 && unit > 0 && unit%d.restart == 0 {
			if err := bits.nextInterval(); err != nil {
				return err
			}
			for _, c := range channels {
				c.prediction = 0
			}
		}
		for _, c := range channels {
			width, height := c.across, c.down
			if len(channels) == 1 {
				width, height = 1, 1
			}
			for i := range width * height {
				if err := visit(c, height*(unit/across)+i/width, width*(unit%across)+
					i%width); err != nil {
					return err
				}
				if bits.short() {
					return errOther
				}
			}
		}
	}
	return nil
}

// readBlock reads 64 coefficients and multiplies them by their steps.
func (d *Decoder) readBlock(bits *bits, c *component, b *Block) error {
	steps, alternate := &d.steps[c.steps].steps, &d.tables[1][c.alternate]
	size, err := bits.value(&d.tables[0][c.direct])
	if err != nil || size > 15 {
		return errOther
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
			return errOther
		}
		b[zigzag[i]] = bits.number(size) * steps[i]
	}
	return nil
}

// fastBits bits are looked up at once.
const fastBits = 9

// huffmanTable maps codes to bytes.
type huffmanTable struct {
	there bool
	// length of the code in the upper byte, value in the lower one; 0 for longer codes
	fast   [1 << fastBits]uint16
	values []byte
	limit  [17]int32 // first code that is too large for each length; -1 if there are none
	offset [17]int32 // index of a value minus its code
}

// build makes the table from the number of codes of each length and the values, and returns the
// number of bytes used.
func (t *huffmanTable) build(body []byte) (int, error) {
	count := 0
	for _, n := range body[:16] {
		count += int(n)
	}
	if count > 256 || len(body) < 16+count {
		return 0, errOther
	}
	*t = huffmanTable{there: true, values: body[16 : 16+count]}
	code, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		codes := int32(body[length-1])
		t.offset[length] = index - code
		if code+codes > 1<<length {
			return 0, errOther
		}
		for range codes {
			t.fill(code, length, t.values[index])
			code++
			index++
		}
		t.limit[length] = code
		code <<= 1
	}
	return 16 + count, nil
}

// fill enters a short code with everything that may follow it.
func (t *huffmanTable) fill(code int32, length int, value byte) {
	if length > fastBits {
		return
	}
	spare := fastBits - length
	for i := range 1 << spare {
		t.fast[int(code)<<spare|i] = uint16(length)<<8 | uint16(value)
	}
}

// bits takes the coded data apart.
type bits struct {
	data   []byte
	buffer uint64 // the lowest count bits are yet to be read
	count  int
	spare  int // zeros put in after the end
}

// need ensures that n bits, at most 16, are buffered. After a marker or the end, zeros follow.
func (b *bits) need(n int) {
	for b.count < n {
		next := byte(0)
		switch {
		case len(b.data) > 0 && b.data[0] != 0xff:
			next, b.data = b.data[0], b.data[1:]
		case len(b.data) > 1 && b.data[1] == 0:
			next, b.data = 0xff, b.data[2:]
		default:
			b.spare += 8
		}
		b.buffer = b.buffer<<8 | uint64(next)
		b.count += 8
	}
}

// take reads n bits, at most 16.
func (b *bits) take(n int) int32 {
	if n == 0 {
		return 0
	}
	b.need(n)
	b.count -= n
	return int32(b.buffer>>b.count) & (1<<n - 1)
}

// short reports whether zeros were read that aren't in the data.
func (b *bits) short() bool { return b.count < b.spare }

// value reads one code.
func (b *bits) value(t *huffmanTable) (byte, error) {
	b.need(16)
	if entry := t.fast[int(b.buffer>>(b.count-fastBits))&(1<<fastBits-1)]; entry != 0 {
		b.count -= int(entry >> 8)
		return byte(entry), nil
	}
	for length := fastBits + 1; length <= 16; length++ {
		code := int32(b.buffer>>(b.count-length)) & (1<<length - 1)
		if code < t.limit[length] {
			b.count -= length
			return t.values[code+t.offset[length]], nil
		}
	}
	return 0, errOther
}

// number reads n bits as a signed number: negative if the first is 0.
func (b *bits) number(n int) int32 {
	v := b.take(n)
	if n > 0 && v < 1<<(n-1) {
		v -= 1<<n - 1
	}
	return v
}

// nextInterval skips to what follows a restart marker.
func (b *bits) nextInterval() error {
	if b.short() || len(b.data) < 2 || b.data[0] != 0xff || b.data[1]&^7 != restart {
		return errOther
	}
	*b = bits{data: b.data[2:]}
	return nil
}
