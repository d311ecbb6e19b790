package viz

import (
	"image/color"
	"math"
)

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens throughout, so that it keeps its
// order in grey; the diverging one is palest in the middle.
var (
	sequential = ramp{
		{R: 0xf3, G: 0xf7, B: 0xfa, A: 0xff},
		{R: 0x9f, G: 0xcd, B: 0xe9, A: 0xff},
		{R: 0x2d, G: 0x8b, B: 0xc4, A: 0xff},
		{R: 0x0b, G: 0x4f, B: 0x86, A: 0xff},
		{R: 0x0a, G: 0x24, B: 0x45, A: 0xff},
	}
	diverging = ramp{
		{R: 0x00, G: 0x52, B: 0x8f, A: 0xff},
		{R: 0x56, G: 0xa5, B: 0xd6, A: 0xff},
		{R: 0xf7, G: 0xf7, B: 0xf7, A: 0xff},
		{R: 0xee, G: 0x94, B: 0x4d, A: 0xff},
		{R: 0xb0, G: 0x46, B: 0x00, A: 0xff},
	}
)

// at returns the colour at a place from 0 to 1.
func (r ramp) at(place float64) color.NRGBA {
	last := len(r) - 1
	place = math.Max(0, math.Min(1, place)) * float64(last)
	left := min(int(place), last-1)
	part := place - float64(left)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
	a, b := r[left], r[left+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// grey returns how light a colour is without its hue, 0 to 1.
func grey(c color.NRGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with the stronger contrast, by
// the relative luminance of the web's guidelines for accessible content.
func inkOn(c color.NRGBA) color.Color {
	linear := func(value uint8) float64 { return math.Pow(float64(value)/255, 2.2) }
	if luminance := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B); luminance < 0.2 {
		return color.White
	}
	return ink
}
