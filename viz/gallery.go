package viz

import (
	"cmp"
	"errors"
	"fmt"
)

// Gallery is a list of small images of one size, each with a caption of its own.
type Gallery struct {
	Height, Width int       // of each image, in pixels
	Pixels        [][]uint8 // [images], RGB bytes [height, width, 3]
	Captions      []string  // [images], below each image, such as "horse 87 %"; nil draws none
	Columns       int       // images in a row; 0 means 8
}

// Images draws the images in rows, from left to right, enlarged as in CorruptionGrid. The last row may be shorter.
func Images(gallery Gallery) (*Figure, error) {
	count := len(gallery.Pixels)
	switch {
	case count == 0:
		return nil, errors.New("viz: a gallery without images: give at least one")
	case gallery.Columns < 0:
		return nil, fmt.Errorf("viz: a gallery of %d columns: give 1 or more, or 0 for 8", gallery.Columns)
	case gallery.Captions != nil && len(gallery.Captions) != count:
		return nil, fmt.Errorf("viz: a gallery of %d images has %d captions: give one for each, or none", count, len(gallery.Captions))
	}
	columns := min(cmp.Or(gallery.Columns, 8), count)
	grid := ImageGrid{Height: gallery.Height, Width: gallery.Width}
	for first := 0; first < count; first += columns {
		row, texts := make([][]uint8, columns), make([]string, columns)
		copy(row, gallery.Pixels[first:])
		grid.Pixels = append(grid.Pixels, row)
		if gallery.Captions != nil {
			copy(texts, gallery.Captions[first:])
			grid.Captions = append(grid.Captions, texts)
		}
	}
	return CorruptionGrid(grid)
}
