package viz

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// span is the range of an axis.
type span struct{ low, high float64 }

// String names the range as a message gives it.
func (s span) String() string {
	if math.IsInf(s.high, 1) {
		return fmt.Sprintf("%g or more", s.low)
	}
	return fmt.Sprintf("%g to %g", s.low, s.high)
}

// include returns the smallest span that holds s and the values.
func (s span) include(values ...float64) span {
	for _, value := range values {
		s.low, s.high = math.Min(s.low, value), math.Max(s.high, value)
	}
	return s
}

// nothing is the span that holds no value, where include starts.
func nothing() span { return span{math.Inf(1), math.Inf(-1)} }

// rounding is the part of a value below which a difference means nothing.
const rounding = 1e-9

// size returns the larger one of the ends' sizes.
func (s span) size() float64 { return math.Max(math.Abs(s.low), math.Abs(s.high)) }

// flat says whether the ends differ by rounding only: ticks between them couldn't be told apart.
func (s span) flat() bool { return s.high-s.low <= rounding*s.size() }

// widen returns the span with a margin of the given fraction on both sides. Values that differ by
// rounding only get a span around them.
func (s span) widen(fraction float64) span {
	size := s.high - s.low
	if s.flat() {
		size = math.Max(1, s.size())
	}
	return span{s.low - fraction*size, s.high + fraction*size}
}

// atLeast returns the span, or one of the given size around it. It doesn't go below zero unless the
// span does.
func (s span) atLeast(size float64) span {
	lack := size - (s.high - s.low)
	if lack <= 0 || s.low > s.high {
		return s
	}
	down := lack / 2
	if s.low >= 0 {
		down = min(down, s.low)
	}
	return span{s.low - down, s.high + lack - down}
}

// fromZero returns the span with a margin of the given fraction. It starts at zero, where a curve's
// height shows its size, unless the values are negative or far above.
func (s span) fromZero(fraction float64) span {
	wide := s.widen(fraction)
	if s.low >= 0 && s.low <= 0.5*s.high {
		wide.low = 0
	}
	return wide
}

// ticks returns the labelled places of an axis: the multiples of a step inside the span. The step
// is 1, 2 or 5 times a power of ten, the smallest that makes at most the given number of intervals,
// or the next smaller one if that would make a single tick, from which no value can be read.
func (s span) ticks(intervals int) []plot.Tick {
	step := niceStep((s.high - s.low) / float64(intervals))
	if ticks := s.multiples(step); len(ticks) > 1 {
		return ticks
	}
	return s.multiples(niceStep(step / 2.5))
}

// wholeTicks returns ticks as above, but at whole numbers only.
func (s span) wholeTicks(intervals int) []plot.Tick {
	return s.multiples(math.Max(1, niceStep((s.high-s.low)/float64(intervals))))
}

// ticker labels an axis at multiples of a nice step, for whatever range the axis has when it is
// drawn.
type ticker struct {
	intervals int  // most intervals between labels
	whole     bool // at whole numbers only
}

// Ticks returns the labelled places from low to high.
func (t ticker) Ticks(low, high float64) []plot.Tick {
	if t.whole {
		return span{low, high}.wholeTicks(t.intervals)
	}
	return span{low, high}.ticks(t.intervals)
}

// multiples returns the ticks at the multiples of step, a nice one, inside the span.
func (s span) multiples(step float64) []plot.Tick {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var result []plot.Tick
	slack := 1e-9 * step
	for k := math.Ceil((s.low - slack) / step); k*step <= s.high+slack; k++ {
		result = append(result, plot.Tick{Value: k * step, Label: tickLabel(k*step, decimals)})
	}
	return result
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at least the given size.
func niceStep(size float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(size)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= size*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// tickLabel writes a value with the decimals that its neighbours need; very large and very small
// ones with an exponent.
func tickLabel(value float64, decimals int) string {
	if size := math.Abs(value); decimals > 4 && size < 0.01 || size >= 1e6 {
		return letters(strconv.FormatFloat(value, 'g', 4, 64))
	}
	return letters(strconv.FormatFloat(value+0, 'f', decimals, 64))
}
