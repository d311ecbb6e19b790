package check

import "fmt"

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
