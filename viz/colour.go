package viz

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
)

// colourPattern matches the colours that a curve may have.
var colourPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// parseColour reads a colour such as "#0067a8": red, green and blue, each from 00 to ff.
func parseColour(text string) (color.NRGBA, error) {
	if !colourPattern.MatchString(text) {
		return color.NRGBA{}, fmt.Errorf("viz: %q is no colour: give red, green and blue as in #0067a8, each from 00 to ff", text)
	}
	value, err := strconv.ParseUint(text[1:], 16, 32)
	return color.NRGBA{R: uint8(value >> 16), G: uint8(value >> 8), B: uint8(value), A: 0xff}, err
}

// CheckColour returns an error unless a text is a colour that a curve may have, such as "#0067a8".
func CheckColour(text string) error {
	_, err := parseColour(text)
	return err
}

// luminance returns the relative luminance of a colour, 0 to 1.
func luminance(c color.NRGBA) float64 {
	linear := func(value uint8) float64 {
		share := float64(value) / 255
		if share <= 0.04045 {
			return share / 12.92
		}
		return math.Pow((share+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens
// throughout, so that it keeps its order in grey; the diverging one is palest in the middle.
var (
	sequential = ramp{
		{R: 0xf3, G: 0xf7, B: 0xfa, A: 0xff},
		{R: 0x9f, G: 0xcd, B: 0xe9, A: 0xff},
		{R: 0x2d, G: 0x8b, B: 0xc4, A: 0xff},
		{R: 0x0b, G: 0x4f, B: 0x86, A: 0xff},
		{R: 0x0a, G: 0x24, B: 0x45, A: 0xff},
	}
	// rising is for lines on white: its palest colour has a contrast of 3:1.
	rising = ramp{
		{R: 0x2e, G: 0x9c, B: 0x8f, A: 0xff},
		{R: 0x1f, G: 0x78, B: 0xa8, A: 0xff},
		{R: 0x23, G: 0x50, B: 0x8f, A: 0xff},
		{R: 0x1b, G: 0x1e, B: 0x4b, A: 0xff},
	}
	// severe is for points of the severities 1 to 5, each of another hue.
	severe = ramp{
		{R: 0xc9, G: 0x85, B: 0x00, A: 0xff},
		{R: 0xd6, G: 0x45, B: 0x0f, A: 0xff},
		{R: 0xb5, G: 0x17, B: 0x7e, A: 0xff},
		{R: 0x5f, G: 0x1f, B: 0xa0, A: 0xff},
		{R: 0x0c, G: 0x06, B: 0x20, A: 0xff},
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

// paleOf returns a colour mixed with white, 0 white to 1 as it is.
func paleOf(c color.NRGBA, strength float64) color.NRGBA {
	return ramp{{R: 0xff, G: 0xff, B: 0xff, A: 0xff}, c}.at(strength)
}

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with
// the stronger contrast.
func inkOn(c color.NRGBA) color.Color {
	if luminance(c) < 0.2 {
		return color.White
	}
	return ink
}
