package check

import (
	"fmt"
	"regexp"
)

// Formats returns an error unless all formats of pictures are known: png, pdf and svg.
func Formats(given ...string) error {
	for _, format := range given {
		if err := Known("format", format, "png", "pdf", "svg"); err != nil {
			return err
		}
	}
	return nil
}

// colour matches the colours that a curve may have.
var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Colour returns an error unless a text is a colour that a curve may have, as "#0067a8".
func Colour(text string) error {
	if !colour.MatchString(text) {
		return fmt.Errorf("%q is no colour: give red, green and blue as in #0067a8, each from "+
			"00 to ff", text)
	}
	return nil
}

// Limits on the images of a data set that a user adds, in pixels.
const (
	minSide = 8
	maxSide = 512
)

// Size returns an error if a set can't have images of a size.
func Size(height, width int) error {
	if min(height, width) < minSide || max(height, width) > maxSide {
		return fmt.Errorf("dataset: images of %dx%d pixels: give %d to %d in height and in "+
			"width; `--size 48` crops and scales pictures to squares, `--size 48x96` to 48 rows "+
			"of 96 pixels", height, width, minSide, maxSide)
	}
	return nil
}
