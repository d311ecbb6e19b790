package jpeg

import "errors"

// fastBits is how many bits are looked up at once.
const fastBits = 9

// huffmanTable maps codes to bytes.
type huffmanTable struct {
	there  bool
	fast   [1 << fastBits]uint16 // length of the code in the upper byte, value in the lower one; 0 for longer codes
	values []byte
	limit  [17]int32 // first code that is too large for each length; -1 where there are none
	offset [17]int32 // index of a value minus its code
}

// build makes the table from the number of codes of each length and the values, and says how many
// bytes it used.
func (t *huffmanTable) build(body []byte) (int, error) {
	count := 0
	for _, n := range body[:16] {
		count += int(n)
	}
	if count > 256 || len(body) < 16+count {
		return 0, errors.New("damaged Huffman table")
	}
	*t = huffmanTable{there: true, values: body[16 : 16+count]}
	code, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		codes := int32(body[length-1])
		t.offset[length] = index - code
		if code+codes > 1<<length {
			return 0, errors.New("damaged Huffman table")
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

var errShort = errors.New("coded data ends early")

// need sees that n bits are there, at most 16. After a marker or the end, zeros follow.
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

// short says whether zeros were read that aren't in the data.
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
	return 0, errors.New("a code that no table has")
}

// number reads n bits as a signed number: those that start with 0 are negative.
func (b *bits) number(n int) int32 {
	v := b.take(n)
	if n > 0 && v < 1<<(n-1) {
		v -= 1<<n - 1
	}
	return v
}

// nextInterval skips to what follows a restart marker.
func (b *bits) nextInterval() error {
	if b.short() || len(b.data) < 2 || b.data[0] != 0xff || b.data[1] < 0xd0 || b.data[1] > 0xd7 {
		return errors.New("a restart marker is missing")
	}
	*b = bits{data: b.data[2:]}
	return nil
}
