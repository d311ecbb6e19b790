package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/quantity"
)

// ImageGrid is a table of small images of one size.
type ImageGrid struct {
	Rows, Columns []string // captions, drawn with spaces for underscores; nil draws none
	// heading of the columns, for example "severity", next to their captions; "" draws none
	Corner        string
	Height, Width int // of each image, in pixels
	// [row][column], RGB bytes [height, width, 3]; nil leaves a place empty
	Pixels   [][][]uint8
	Captions [][]string // [row][column], below each image, unchanged; nil draws none
	// least width of an enlarged image in a notebook, in pixels of the screen; 0 means 60
	Side int
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
		paintOverlay(canvas, axes, all.cells(xy(canvas.Min.X, canvas.Max.Y-header)))
	}
	return newFigure(layout{width: all.width(), body: all.height(), paint: paint}, axes), nil
}

// check returns an error that names the first thing that doesn't fit the grid.
func (g ImageGrid) check() error {
	switch {
	case g.Height <= 0 || g.Width <= 0:
		return fmt.Errorf("viz: images of %d x %d pixels: give a positive height and width",
			g.Height, g.Width)
	case len(g.Pixels) == 0 || len(g.Pixels[0]) == 0:
		return errors.New("viz: a grid without images: give at least one row of one")
	case g.Corner != "" && g.Columns == nil:
		return fmt.Errorf("viz: a grid without column captions says that they are %q: give the "+
			"captions, or leave Corner out", g.Corner)
	case g.Side < 0 || g.Side > 1000:
		return fmt.Errorf("viz: images of at least %d pixels of the screen: give 1 to 1000, or 0 "+
			"for 60", g.Side)
	}
	rows, columns, values := len(g.Pixels), len(g.Pixels[0]), fmt.Sprintf("values for %d x %d RGB",
		g.Height, g.Width)
	err := cmp.Or(optional("a grid", "rows", rows, "row captions", g.Rows),
		optional("a grid", "columns", columns, "column captions", g.Columns),
		optional("a grid", "rows", rows, "rows of captions", g.Captions))
	for i, row := range g.Pixels {
		of := fmt.Sprintf("row %d of a grid", i)
		if err = cmp.Or(err, paired(of, "images", len(row), "columns", columns)); err == nil &&
			g.Captions != nil {
			err = paired(of, "images", len(row), "captions", len(g.Captions[i]))
		}
		for j, pixels := range row {
			err = cmp.Or(err, optional(fmt.Sprintf("image %d of row %d", j, i), values,
				3*g.Height*g.Width, "bytes", pixels))
		}
	}
	return err
}

// Gallery is a list of small images of one size, each with a caption.
type Gallery struct {
	Height, Width int       // of each image, in pixels
	Pixels        [][]uint8 // [images], RGB bytes [height, width, 3]
	Captions      []string  // [images], below each image, for example "horse 87 %"; nil draws none
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
		return nil, fmt.Errorf("viz: a gallery of %d columns: give 1 or more, or 0 for 8",
			gallery.Columns)
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
	sheetWide  = 70  // largest image width for two blocks side by side
	sheetTall  = 448 // largest height of an image that is enlarged, however narrow it is
	sheetShort = 8   // rows of a sheet that needs no second block
)

// CorruptionSheet draws a grid of many rows, for example all nineteen corruptions by five
// severities, so that a notebook's page holds it: smaller than CorruptionGrid does, and small
// images in two blocks side by side.
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

// Sizes of a grid: multiples of a pixel, so that every pixel of an image covers whole pixels of the
// PNG.
const (
	// least width of an enlarged image, in pixels of the screen, unless the grid says otherwise
	imageSide    = 60
	lineHeight   = 38 * pixel // of the captions below images
	imageGap     = 8 * pixel  // between images
	columnHeight = 48 * pixel // of the column captions
	rowGapWidth  = 16 * pixel // between a row's caption and its images
)

// gridLayout is a grid with its enlarged images and its measures, in points.
type gridLayout struct {
	ImageGrid
	images    [][]image.Image
	cell      vg.Point  // width and height of an image
	pitch     vg.Length // from one column to the next
	drop      vg.Length // from one row to the next
	left, top vg.Length // room for margin and captions
}

// newGridLayout enlarges the images and measures the captions.
func newGridLayout(grid ImageGrid) gridLayout {
	side := 2 * cmp.Or(grid.Side, imageSide)
	times := max(1, (side+grid.Width-1)/grid.Width)
	grid.Rows, grid.Columns = captions(grid.Rows), captions(grid.Columns)
	layout := gridLayout{
		ImageGrid: grid, cell: xy(pixel*vg.Length(times*grid.Width),
			pixel*vg.Length(times*grid.Height)),
		left: margin, top: margin,
	}
	for _, row := range grid.Pixels {
		images := make([]image.Image, len(row))
		for i, pixels := range row {
			if pixels != nil {
				images[i] = enlarge(pixels, grid.Height, grid.Width, times)
			}
		}
		layout.images = append(layout.images, images)
	}
	layout.drop = layout.cell.Y + imageGap
	if grid.Captions != nil {
		layout.drop += lineHeight
	}
	layout.pitch = wholePixels(max(layout.cell.X, widest(grid.Columns)+imageGap,
		widest(slices.Concat(grid.Captions...)))) + imageGap
	if names := widest(append(grid.Rows, grid.Corner)); names > 0 {
		layout.left += wholePixels(names) + rowGapWidth
	}
	if len(grid.Columns) > 0 {
		layout.top += columnHeight
	}
	return layout
}

func (l gridLayout) width() vg.Length {
	return l.left + l.pitch*vg.Length(len(l.images[0])) - imageGap + margin
}

func (l gridLayout) height() vg.Length {
	return l.top + l.drop*vg.Length(len(l.images)) - imageGap + margin
}

// place returns the lower left corner of an image, given the upper left corner of the figure.
func (l gridLayout) place(origin vg.Point, row, column int) vg.Point {
	return xy(
		origin.X+l.left+l.pitch*vg.Length(column)+(l.pitch-imageGap-l.cell.X)/2,
		origin.Y-l.top-l.drop*vg.Length(row)-l.cell.Y)
}

// cells returns the rectangle of all images with the gaps and captions that belong to them, given
// the upper left corner of the figure.
func (l gridLayout) cells(origin vg.Point) vg.Rectangle {
	top := l.place(origin, 0, 0).Y + l.cell.Y + imageGap/2
	left := origin.X + l.left - imageGap/2
	size := xy(l.pitch*vg.Length(len(l.images[0])), l.drop*vg.Length(len(l.images)))
	return vg.Rectangle{Min: xy(left, top-size.Y), Max: xy(left+size.X, top)}
}

// paint draws the captions and the images.
func (l gridLayout) paint(canvas draw.Canvas, header vg.Length) {
	origin := xy(canvas.Min.X, canvas.Max.Y-header)
	for column, caption := range l.Columns {
		at := l.place(origin, 0, column).Add(xy(l.cell.X/2, l.cell.Y+columnHeight/2))
		write(canvas, caption, tickSize, ink, draw.XCenter, at)
	}
	names := origin.X + l.left - rowGapWidth
	write(canvas, l.Corner, tickSize, softInk, draw.XRight,
		xy(names, l.place(origin, 0, 0).Y+l.cell.Y+columnHeight/2))
	for row, caption := range l.Rows {
		write(canvas, caption, tickSize, ink, draw.XRight,
			xy(names, l.place(origin, row, 0).Y+l.cell.Y/2))
	}
	for row, images := range l.images {
		for column, picture := range images {
			l.paintImage(canvas, l.place(origin, row, column), row, column, picture)
		}
	}
}

// paintImage draws an image with its lower left corner at the given point, and its caption below.
func (l gridLayout) paintImage(canvas draw.Canvas, corner vg.Point, row, column int,
	picture image.Image) {
	if picture != nil {
		canvas.DrawImage(vg.Rectangle{Min: corner, Max: corner.Add(l.cell)}, picture)
	}
	if l.Captions != nil {
		at := xy(corner.X+l.cell.X/2, corner.Y-lineHeight/2)
		write(canvas, l.Captions[row][column], tickSize, ink, draw.XCenter, at)
	}
}

// captions returns the texts with spaces for underscores.
func captions(texts []string) []string {
	return quantity.Texts(texts, func(text string) string {
		return strings.ReplaceAll(text, "_", " ")
	})
}

func widest(texts []string) vg.Length {
	var width vg.Length
	for _, text := range texts {
		width = max(width, textWidth(text, tickSize))
	}
	return width
}

// enlarge returns an image, RGB bytes [height, width, 3], with every pixel repeated in both
// directions.
func enlarge(pixels []uint8, height, width, times int) image.Image {
	result := image.NewNRGBA(image.Rect(0, 0, width*times, height*times))
	for y := range height * times {
		for x := range width * times {
			rgb := pixels[3*((y/times)*width+x/times):]
			result.SetNRGBA(x, y, color.NRGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 0xff})
		}
	}
	return result
}

// overlay returns axes without lines over rows and columns of cells.
func overlay(rows, columns int) *plot.Plot {
	axes := newAxes()
	axes.HideAxes()
	axes.X.Min, axes.X.Max, axes.Y.Min, axes.Y.Max = 0, float64(columns), 0, float64(rows)
	axes.X.Padding, axes.Y.Padding = 0, 0
	return axes
}

// paintOverlay draws the axes' additions over the cells.
func paintOverlay(canvas draw.Canvas, axes *plot.Plot, cells vg.Rectangle) {
	axes.Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: cells})
}
