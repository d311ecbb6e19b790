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

// ReadableContrast is the least contrast with white that the curves of a figure should have. Those
// of our own colours have it.
const ReadableContrast = 3

// Contrast returns the contrast of a colour such as "#0067a8" with white, from 1 for white to 21
// for black, as the web's guidelines for accessible content define it (WCAG 2.2).
func Contrast(colour string) (float64, error) {
	c, err := parseColour(colour)
	return 1.05 / (luminance(c) + 0.05), err
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
