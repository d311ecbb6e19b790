package check

import (
	"fmt"
	"regexp"
)

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
