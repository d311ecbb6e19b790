//go:build amd64

package kernel

// block is a range of output channels that one micro-kernel computes.
type block struct {
	channel  int // the first one
	vectors  int
	width    int // channels, rounded up to whole vectors
	used     int // channels that exist
	previous int // channels in the blocks before, rounded up
}

// blocks divides output channels into blocks of at most three vectors and returns the sum of their widths. One vector
// left over is avoided, since short tiles are slow: two blocks of two vectors beat three and one.
func (s *Set) blocks(channels int) (all []block, width int) {
	for channel := 0; channel < channels; {
		vectors := 3
		switch left := channels - channel; {
		case left <= s.lanes:
			vectors = 1
		case left <= 2*s.lanes, left > 3*s.lanes && left <= 4*s.lanes:
			vectors = 2
		}
		b := block{channel: channel, vectors: vectors, width: vectors * s.lanes, previous: width}
		b.used = min(b.width, channels-channel)
		all = append(all, b)
		width += b.width
		channel += b.width
	}
	return all, width
}
