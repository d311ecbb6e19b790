package viz

// Limits of a sheet of corruptions.
const (
	sheetSide  = 48 // least width of an image in a notebook, in pixels of the screen
	sheetWide  = 70 // largest width of an image of which two blocks stand side by side
	sheetShort = 8  // rows of a sheet that needs no second block
)

// CorruptionSheet draws a grid of many rows, such as all nineteen corruptions by five severities, so that a notebook's page
// holds it: smaller than CorruptionGrid does, and small images in two blocks side by side.
func CorruptionSheet(grid ImageGrid) (*Figure, error) {
	if grid.Side == 0 {
		grid.Side = sheetSide
	}
	if err := grid.check(); err != nil {
		return nil, err
	}
	rows := len(grid.Pixels)
	width := (grid.Side*2 + grid.Width - 1) / grid.Width * grid.Width / 2
	if rows <= sheetShort || width > sheetWide {
		return CorruptionGrid(grid)
	}
	left, err := CorruptionGrid(grid.part(0, (rows+1)/2))
	if err != nil {
		return nil, err
	}
	right, err := CorruptionGrid(grid.part((rows+1)/2, rows))
	if err != nil {
		return nil, err
	}
	return Row(left, right)
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
