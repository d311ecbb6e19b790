package viz

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Sizes of a grid: multiples of a pixel, so that every pixel of an image covers whole pixels of the
// PNG.
const (
	imageSide    = 60         // least width of an enlarged image, in pixels of the screen, unless the grid says otherwise
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
		ImageGrid: grid, cell: vg.Point{X: pixel * vg.Length(times*grid.Width), Y: pixel * vg.Length(times*grid.Height)},
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
	layout.pitch = wholePixels(max(layout.cell.X, widest(grid.Columns)+imageGap, widest(slices.Concat(grid.Captions...)))) + imageGap
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
	return vg.Point{
		X: origin.X + l.left + l.pitch*vg.Length(column) + (l.pitch-imageGap-l.cell.X)/2,
		Y: origin.Y - l.top - l.drop*vg.Length(row) - l.cell.Y,
	}
}

// cells returns the rectangle of all images with the gaps and captions that belong to them, given
// the upper left corner of the figure.
func (l gridLayout) cells(origin vg.Point) vg.Rectangle {
	top := l.place(origin, 0, 0).Y + l.cell.Y + imageGap/2
	left := origin.X + l.left - imageGap/2
	size := vg.Point{X: l.pitch * vg.Length(len(l.images[0])), Y: l.drop * vg.Length(len(l.images))}
	return vg.Rectangle{Min: vg.Point{X: left, Y: top - size.Y}, Max: vg.Point{X: left + size.X, Y: top}}
}

// paint draws the captions and the images.
func (l gridLayout) paint(canvas draw.Canvas, header vg.Length) {
	origin := vg.Point{X: canvas.Min.X, Y: canvas.Max.Y - header}
	for column, caption := range l.Columns {
		at := l.place(origin, 0, column).Add(vg.Point{X: l.cell.X / 2, Y: l.cell.Y + columnHeight/2})
		write(canvas, caption, tickSize, ink, draw.XCenter, at)
	}
	names := origin.X + l.left - rowGapWidth
	write(canvas, l.Corner, tickSize, softInk, draw.XRight, vg.Point{X: names, Y: l.place(origin, 0, 0).Y + l.cell.Y + columnHeight/2})
	for row, caption := range l.Rows {
		write(canvas, caption, tickSize, ink, draw.XRight, vg.Point{X: names, Y: l.place(origin, row, 0).Y + l.cell.Y/2})
	}
	for row, images := range l.images {
		for column, picture := range images {
			l.paintImage(canvas, l.place(origin, row, column), row, column, picture)
		}
	}
}

// paintImage draws an image with its lower left corner at the given point, and its caption below.
func (l gridLayout) paintImage(canvas draw.Canvas, corner vg.Point, row, column int, picture image.Image) {
	if picture != nil {
		canvas.DrawImage(vg.Rectangle{Min: corner, Max: corner.Add(l.cell)}, picture)
	}
	if l.Captions != nil {
		at := vg.Point{X: corner.X + l.cell.X/2, Y: corner.Y - lineHeight/2}
		write(canvas, l.Captions[row][column], captionSize, ink, draw.XCenter, at)
	}
}

// captions returns the texts with spaces for underscores.
func captions(texts []string) []string {
	return quantity.Texts(texts, func(text string) string { return strings.ReplaceAll(text, "_", " ") })
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

// paintOverlay draws what was added to axes over the cells.
func paintOverlay(canvas draw.Canvas, axes *plot.Plot, cells vg.Rectangle) {
	axes.Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: cells})
}
