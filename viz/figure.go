package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
)

// Figure is a finished picture: it can be saved, shown in a notebook, or put into a row with
// others.
type Figure struct {
	layout               // with its own legend, if it has one
	bare    layout       // without a legend
	plots   []*plot.Plot // the axes, from left to right and from top to bottom
	entries []entry      // of the legend
	scale   float64      // ratio of shown to drawn size; 0 means 1
}

// layout holds the sizes of a figure's parts, and draws them.
type layout struct {
	width vg.Length
	body  vg.Length // height below the header
	// height above the axes, for titles and the legend; figures in a row share the largest
	header vg.Length
	titles vg.Length // of it for titles
	middle vg.Length // of the axes, from the left edge; 0: the figure's

	// paint draws the figure on a canvas of its width and of its body's height plus the given
	// header.
	paint func(canvas draw.Canvas, header vg.Length)
}

// newFigure returns a figure without a legend.
func newFigure(l layout, plots ...*plot.Plot) *Figure {
	return &Figure{layout: l, bare: l, plots: plots}
}

// changed returns the figure with both of its layouts changed.
func (f *Figure) changed(change func(layout) layout) *Figure {
	whole := *f
	whole.layout, whole.bare = change(f.layout), change(f.bare)
	return &whole
}

// Size returns the width and height of the figure in points (1/72 inch).
func (f *Figure) Size() (width, height float64) {
	scale := cmp.Or(f.scale, 1)
	return scale * f.width.Points(), scale * (f.header + f.body).Points()
}

// Plots returns the axes of the figure, in the order in which they were put together, to change or
// to add to before the figure is saved or shown: a line, a label, another range. Coordinates are in
// the axis's unit, so an error of 0.3 is at 30 if the axis is in percent. When a range changes, the
// axes compute their ticks again and curves end at the axes. Images and maps have hidden axes over
// their cells: the cell in row r and column c, from 0 and from the top, of R rows has the
// coordinates c to c+1 and R-r-1 to R-r.
func (f *Figure) Plots() []*plot.Plot { return f.plots }

// Marked returns the figure with a dashed vertical line at a place of the horizontal axis, in all
// of its plots: the chosen level among the curves of LevelCurves, for instance.
func (f *Figure) Marked(x float64) *Figure {
	for _, axes := range f.plots {
		axes.Add(verticalMark(x, true))
	}
	return f
}

// verticalMark draws a dashed line across the height of the axes, perhaps with a triangle as its
// foot, unless its place is outside of them.
func verticalMark(at float64, hasFoot bool) painter {
	return func(canvas draw.Canvas, axes *plot.Plot) {
		if at < axes.X.Min || at > axes.X.Max {
			return
		}
		toX, _ := axes.Transforms(&canvas)
		x := toX(at)
		canvas.StrokeLine2(draw.LineStyle{Color: softInk, Width: axisWidth, Dashes: paperDashes}, x,
			canvas.Min.Y, x, canvas.Max.Y)
		if foot := xy(x, canvas.Min.Y); hasFoot {
			canvas.FillPolygon(ink, []vg.Point{foot.Add(xy(0, 7)), foot.Add(xy(-5, 0)),
				foot.Add(xy(5, 0))})
		}
	}
}

// under returns the layout below something of a height, which paint draws at the top of the canvas.
func (l layout) under(height vg.Length, paint func(draw.Canvas)) layout {
	whole := l
	whole.header += height
	whole.paint = func(canvas draw.Canvas, header vg.Length) {
		below := canvas
		below.Max.Y -= height
		l.paint(below, header-height)
		paint(canvas)
	}
	return whole
}

// Titled returns the figure with a title above it, for example "test" for one panel of several.
func (f *Figure) Titled(title string) *Figure {
	return f.changed(func(l layout) layout {
		centre := cmp.Or(l.middle, l.width/2)
		l = l.under(titleHeight, func(canvas draw.Canvas) {
			at := xy(canvas.Min.X+centre, canvas.Max.Y-titleHeight/2)
			write(canvas, title, fitted(title, labelSize, 2*(min(centre, l.width-centre)-margin)),
				ink, draw.XCenter, at)
		})
		l.titles += titleHeight
		return l
	})
}

// noted returns the figure with a line of small text below it, at its left.
func (f *Figure) noted(text string) *Figure {
	return f.changed(func(l layout) layout {
		with := l
		with.body += noteHeight
		with.paint = func(canvas draw.Canvas, header vg.Length) {
			l.paint(canvas, header)
			at := xy(canvas.Min.X+margin, canvas.Max.Y-header-l.body-noteHeight/2)
			write(canvas, text, fitted(text, tickSize, l.width-2*margin), softInk, draw.XLeft,
				at)
		}
		return with
	})
}

// centred returns the figure in the middle of a larger width.
func (f *Figure) centred(width vg.Length) *Figure {
	return f.changed(func(l layout) layout {
		whole, left := l, max(0, width-l.width)/2
		if left > 0 {
			whole.width, whole.middle = width, width/2
		}
		whole.paint = func(canvas draw.Canvas, header vg.Length) {
			canvas.Min.X += left
			canvas.Max.X = canvas.Min.X + l.width
			l.paint(canvas, header)
		}
		return whole
	})
}

// pixelsPerInch is twice a plain screen's resolution: sharp on a dense one and in print.
const pixelsPerInch = 192

var encoders = map[string]func(*Figure) ([]byte, error){"png": (*Figure).png, "pdf": (*Figure).pdf,
	"svg": (*Figure).svg}

// Save writes the figure to a file, as PNG (192 pixels per inch), SVG or PDF by the path's
// extension. The file is replaced whole or not at all.
func (f *Figure) Save(path string) error {
	encode, ok := encoders[strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")]
	if !ok {
		return fmt.Errorf("viz: cannot save %q: the name must end in .png, .svg or .pdf", path)
	}
	data, err := encode(f)
	if err != nil {
		return err
	}
	if err := files.WriteBytes(path, data); err != nil {
		return fmt.Errorf("viz: cannot save the figure: %w", err)
	}
	return nil
}

// Encode returns the figure as a file of a format: png, of 192 pixels per inch, svg or pdf. The
// same figure gives the same bytes.
func (f *Figure) Encode(format string) ([]byte, error) {
	encode, known := encoders[format]
	if !known {
		return nil, check.Formats(format)
	}
	return encode(f)
}

func (f *Figure) png() ([]byte, error) {
	width, height := f.size()
	canvas := vgimg.NewWith(vgimg.UseWH(width, height),
		vgimg.UseDPI(int(cmp.Or(f.scale, 1)*pixelsPerInch)))
	return f.encode(vgimg.PngCanvas{Canvas: canvas})
}

// svg returns the figure as an SVG file. Its text is text, set in Liberation Sans or in a face of
// the same widths, so that the file stays small and can be edited.
func (f *Figure) svg() ([]byte, error) {
	data, err := f.encode(vgsvg.New(f.size()))
	if err != nil {
		return nil, err
	}
	return repairSVG(data), nil
}

// pdf returns the figure as a PDF file of one page with its fonts embedded. Texts with letters
// outside of Windows-1252, for example Greek ones, are drawn as shapes; one with a letter that the
// face lacks is refused.
func (f *Figure) pdf() ([]byte, error) {
	canvas := &pdfCanvas{Canvas: vgpdf.New(f.size())}
	data, err := f.encode(canvas)
	if canvas.refused != "" {
		return nil, fmt.Errorf("viz: a PDF cannot hold %q: use Latin or Greek letters, or save "+
			"as .svg or .png", canvas.refused)
	}
	return data, err
}

// size returns the width and height of the figure, rounded up to whole pixels of the PNG.
func (f *Figure) size() (width, height vg.Length) {
	return wholePixels(f.width), wholePixels(f.header + f.body)
}

// encode draws the figure on white and returns the canvas as a file.
func (f *Figure) encode(target vg.CanvasWriterTo) ([]byte, error) {
	canvas := draw.New(target)
	fill(canvas, canvas.Rectangle, color.White)
	f.paint(canvas, f.header)
	var file bytes.Buffer
	if _, err := target.WriteTo(&file); err != nil {
		return nil, fmt.Errorf("viz: cannot encode the figure: %w", err)
	}
	return file.Bytes(), nil
}

// pixel is the side of one pixel of a PNG, in points.
const pixel = vg.Inch / pixelsPerInch

// wholePixels rounds a length up to whole pixels, forgiving rounding errors of the arithmetic
// before.
func wholePixels(length vg.Length) vg.Length {
	return pixel * vg.Length(math.Ceil(float64(length/pixel)-1e-6))
}
