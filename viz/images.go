package viz

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ImageGrid is a table of small images of one size.
type ImageGrid struct {
	Rows, Columns []string    // captions, drawn with spaces for underscores; nil draws none
	Corner        string      // what the columns are, such as "severity", next to their captions; "" draws none
	Height, Width int         // of each image, in pixels
	Pixels        [][][]uint8 // [row][column], RGB bytes [height, width, 3]; nil leaves a place empty
	Captions      [][]string  // [row][column], below each image, as they are; nil draws none
	Side          int         // least width of an enlarged image in a notebook, in pixels of the screen; 0 means 60
}

// CorruptionGrid draws images in rows and columns with captions, for instance corruptions against
// severities. Images are enlarged by a whole number of times without smoothing, so that every pixel
// of theirs stays visible.
func CorruptionGrid(grid ImageGrid) (*Figure, error) {
	if err := grid.check(); err != nil {
		return nil, err
	}
	all := newGridLayout(grid)
	axes := overlay(len(grid.Pixels), len(grid.Pixels[0]))
	paint := func(canvas draw.Canvas, header vg.Length) {
		all.paint(canvas, header)
		paintOverlay(canvas, axes, all.cells(vg.Point{X: canvas.Min.X, Y: canvas.Max.Y - header}))
	}
	return newFigure(layout{width: all.width(), body: all.height(), paint: paint}, axes), nil
}

// check returns an error that names the first thing that doesn't fit the grid.
func (g ImageGrid) check() error {
	switch {
	case g.Height <= 0 || g.Width <= 0:
		return fmt.Errorf("viz: images of %d x %d pixels: give a positive height and width", g.Height, g.Width)
	case len(g.Pixels) == 0 || len(g.Pixels[0]) == 0:
		return errors.New("viz: a grid without images: give at least one row of one")
	case g.Corner != "" && g.Columns == nil:
		return fmt.Errorf("viz: a grid without column captions says that they are %q: give the captions, or leave Corner out", g.Corner)
	case g.Side < 0 || g.Side > 1000:
		return fmt.Errorf("viz: images of at least %d pixels of the screen: give 1 to 1000, or 0 for 60", g.Side)
	}
	rows, columns, values := len(g.Pixels), len(g.Pixels[0]), fmt.Sprintf("values for %d x %d RGB", g.Height, g.Width)
	err := cmp.Or(optional("a grid", "rows", rows, "row captions", g.Rows), optional("a grid", "columns", columns, "column captions", g.Columns),
		optional("a grid", "rows", rows, "rows of captions", g.Captions))
	for i, row := range g.Pixels {
		of := fmt.Sprintf("row %d of a grid", i)
		if err = cmp.Or(err, paired(of, "images", len(row), "columns", columns)); err == nil && g.Captions != nil {
			err = paired(of, "images", len(row), "captions", len(g.Captions[i]))
		}
		for j, pixels := range row {
			err = cmp.Or(err, optional(fmt.Sprintf("image %d of row %d", j, i), values, 3*g.Height*g.Width, "bytes", pixels))
		}
	}
	return err
}

// Gallery is a list of small images of one size, each with a caption of its own.
type Gallery struct {
	Height, Width int       // of each image, in pixels
	Pixels        [][]uint8 // [images], RGB bytes [height, width, 3]
	Captions      []string  // [images], below each image, such as "horse 87 %"; nil draws none
	Columns       int       // images in a row; 0 means 8
}

// Images draws the images in rows, from left to right, enlarged as in CorruptionGrid. The last row
// may be shorter.
func Images(gallery Gallery) (*Figure, error) {
	count := len(gallery.Pixels)
	switch {
	case count == 0:
		return nil, errors.New("viz: a gallery without images: give at least one")
	case gallery.Columns < 0:
		return nil, fmt.Errorf("viz: a gallery of %d columns: give 1 or more, or 0 for 8", gallery.Columns)
	}
	if err := optional("a gallery", "images", count, "captions", gallery.Captions); err != nil {
		return nil, err
	}
	columns := min(cmp.Or(gallery.Columns, 8), count)
	grid := ImageGrid{Height: gallery.Height, Width: gallery.Width}
	for row := range slices.Chunk(gallery.Pixels, columns) {
		grid.Pixels = append(grid.Pixels, append(row, make([][]uint8, columns-len(row))...))
	}
	for row := range slices.Chunk(gallery.Captions, columns) {
		grid.Captions = append(grid.Captions, append(row, make([]string, columns-len(row))...))
	}
	return CorruptionGrid(grid)
}

// Limits of a sheet of corruptions.
const (
	sheetSide  = 48  // least width of an image in a notebook, in pixels of the screen
	sheetWide  = 70  // largest width of an image of which two blocks stand side by side
	sheetTall  = 448 // largest height of an image that is enlarged, however narrow it is
	sheetShort = 8   // rows of a sheet that needs no second block
)

// CorruptionSheet draws a grid of many rows, such as all nineteen corruptions by five severities,
// so that a notebook's page holds it: smaller than CorruptionGrid does, and small images in two
// blocks side by side.
func CorruptionSheet(grid ImageGrid) (*Figure, error) {
	if grid.Side == 0 {
		grid.Side = sheetSide
		if grid.Height > 0 {
			grid.Side = max(1, min(sheetSide, sheetTall*grid.Width/grid.Height))
		}
	}
	if err := grid.check(); err != nil {
		return nil, err
	}
	rows := len(grid.Pixels)
	width := (grid.Side*2 + grid.Width - 1) / grid.Width * grid.Width / 2
	if rows <= sheetShort || width > sheetWide {
		return CorruptionGrid(grid)
	}
	blocks, half := make([]*Figure, 2), (rows+1)/2
	for i, block := range []ImageGrid{grid.part(0, half), grid.part(half, rows)} {
		var err error
		if blocks[i], err = CorruptionGrid(block); err != nil {
			return nil, err
		}
	}
	return Row(blocks...)
}

// part returns the rows from first up to before end.
func (g ImageGrid) part(first, end int) ImageGrid {
	g.Pixels = g.Pixels[first:end]
	if g.Rows != nil {
		g.Rows = g.Rows[first:end]
	}
	if g.Captions != nil {
		g.Captions = g.Captions[first:end]
	}
	return g
}
