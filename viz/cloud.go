package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cloud is a layer's output for one image under many draws of the latents, and its mean output for
// corrupted versions of the image, all as two principal components (paper, Figures 2 and 12).
type Cloud struct {
	Name      string       // of the method, above its panel; "" draws none
	Draws     [][2]float64 // [draws], one for each draw of the latents
	Clean     [2]float64   // the mean output for the image
	Corrupted [][2]float64 // [versions], the mean outputs for its corrupted versions
	Severity  []int        // [versions], 1 to 5
	// [versions]; a line joins the severities of a corruption; nil draws none
	Corruption []string
	// explained variance of the two components, 0 to 1; 0 leaves it out of the axes' labels
	Share [2]float64

	Tests []CloudTest // further rows of the table below the panels
}

// CloudTest holds the corrupted versions that pass a test other than the ellipse's.
type CloudTest struct {
	Name   string // in the table
	Short  string // in the line below a cloud of several rows; "" means Name
	Inside []bool // [versions]
}

// CloudScatter is several clouds, with what belongs to all of them.
type CloudScatter struct {
	Clouds  []Cloud
	Columns int      // clouds side by side; 0 means all
	Note    []string // lines below the table

	// Image is the image of the clouds, RGB bytes [height, width, 3], drawn next to the table with
	// its name; nil draws none.
	Image         []uint8
	ImageName     string
	Height, Width int
}

// PCAScatter draws clouds side by side on the same axes, whose units have one length in both
// directions. Each has its ellipse of 99 %, as if the draws were Gaussian, and the region
// near the draws, which sees a skewed cloud. Corrupted versions are coloured by severity and filled
// if the ellipse holds them. The table below counts the versions inside, by severity. Corruptions
// that end outside are named, the farthest first, as far as there is room.
func PCAScatter(clouds ...Cloud) (*Figure, error) { return CloudScatter{Clouds: clouds}.Figure() }

// Figure draws the clouds as PCAScatter does, with the image and the notes. In several rows, for
// example one a layer, the clouds of a row share their axes, and the counts are below each cloud
// instead of in a table.
func (c CloudScatter) Figure() (*Figure, error) {
	scatters, err := newScatters(c.Clouds)
	if err != nil {
		return nil, err
	}
	if c.Columns > 0 && c.Columns < len(scatters) {
		return c.rows(scatters)
	}
	row, err := scatterRow(scatters, scatterEntries)
	if err != nil {
		return nil, err
	}
	if len(c.Clouds[0].Corrupted) == 0 {
		return c.above(row)
	}
	return c.above(row, countTable(scatters))
}

// rows puts the clouds into rows under one legend.
func (c CloudScatter) rows(scatters []scatter) (*Figure, error) {
	entries := append(scatterEntries[:len(scatterEntries):len(scatterEntries)],
		severityEntries()...)
	var rows []*Figure
	for row := range slices.Chunk(scatters, c.Columns) {
		for i := range row {
			row[i].caption = row[i].countsText()
		}
		figure, err := scatterRow(row, entries)
		if err != nil {
			return nil, err
		}
		rows, entries = append(rows, figure), nil
	}
	all, err := Column(rows...)
	if err != nil {
		return nil, err
	}
	return c.above(all)
}

// above puts the panels above the image and the table, if there is one, and the notes.
func (c CloudScatter) above(panels *Figure, tables ...*Figure) (*Figure, error) {
	if c.Image != nil {
		grid := ImageGrid{Height: c.Height, Width: c.Width, Pixels: [][][]uint8{{c.Image}},
			Captions: [][]string{{c.ImageName}}, Side: cloudImageSide}
		image, err := CorruptionGrid(grid)
		if err != nil {
			return nil, err
		}
		tables = append([]*Figure{image}, tables...)
	}
	whole := panels
	if len(tables) > 0 {
		below, err := Row(tables...)
		if err != nil {
			return nil, err
		}
		if whole, err = Column(panels.centred(below.width),
			below.centred(panels.width)); err != nil {
			return nil, err
		}
	}
	for _, note := range c.Note {
		whole = whole.noted(note)
	}
	return whole, nil
}

// check returns an error that names the first thing that can't be drawn.
func (c Cloud) check() error {
	owner, versions := fmt.Sprintf("cloud %q", c.Name), len(c.Corrupted)
	problem := cmp.Or(
		paired(owner, "corrupted versions", versions, "severities", len(c.Severity)),
		optional(owner, "corrupted versions", versions, "names", c.Corruption),
		within(owner, "share of variance", c.Share[:], shares),
	)
	for _, test := range c.Tests {
		problem = cmp.Or(problem, paired(owner, "corrupted versions", versions,
			"answers of the test "+test.Name, len(test.Inside)))
	}
	for _, severity := range c.Severity {
		problem = cmp.Or(problem, within(owner, "severity", []float64{float64(severity)},
			span{1, severities}))
	}
	for _, point := range slices.Concat(c.Draws, c.Corrupted, [][2]float64{c.Clean}) {
		problem = cmp.Or(problem, within(owner, "coordinate", point[:], numbers))
	}
	return problem
}

// cloudImageSide is the least width of the image, in pixels of the screen.
const cloudImageSide = 104

// severities is the number of severities of a corruption.
const severities = 5

// Sizes of the table below clouds, in points.
const (
	tableLine   vg.Length = 17
	tableColumn vg.Length = 38
	tableGap    vg.Length = 14 // between the names and the numbers
)

// countTable counts the corrupted versions inside by test, cloud and severity. Its header is the
// legend of the severities.
func countTable(scatters []scatter) *Figure {
	var names, clouds []string
	var counts [][severities]int
	for i, test := range scatters[0].tests {
		for j, s := range scatters {
			if j > 0 {
				test.Name = ""
			}
			names, clouds, counts = append(names, test.Name), append(clouds, s.cloud.Name),
				append(counts, s.counts(i))
		}
	}
	left, middle := widest(names)+tableGap, widest(clouds)+tableGap/2
	names, clouds = append(names, "all"), append(clouds, "")
	counts = append(counts, scatters[0].countsOf(func(int) bool { return true }))
	width := left + middle + severities*tableColumn
	return newFigure(layout{width: width + 2*margin, body: tableLine*vg.Length(1+len(names)) +
		margin, paint: func(canvas draw.Canvas, header vg.Length) {
		top := xy(canvas.Min.X+margin, canvas.Max.Y-header)
		at := func(line int, x vg.Length) vg.Point {
			return top.Add(xy(x, -tableLine*(vg.Length(line)+0.5)))
		}
		column := func(severity int) vg.Length {
			return left + middle + tableColumn*(vg.Length(severity)-0.5)
		}
		write(canvas, "versions, by severity", tickSize, softInk, draw.XLeft, at(0, 0))
		for severity := 1; severity <= severities; severity++ {
			drawMarkerOf(markerRadius+0.5, &canvas, severityStyle(severity),
				at(0, column(severity)-6))
			write(canvas, fmt.Sprint(severity), tickSize, ink, draw.XLeft,
				at(0, column(severity)+2))
		}
		for i := range names {
			if i%len(scatters) == 0 {
				y := top.Y - tableLine*vg.Length(1+i)
				canvas.StrokeLine2(pen(gridInk, axisWidth), top.X, y, top.X+width, y)
			}
			write(canvas, names[i], tickSize, ink, draw.XLeft, at(1+i, 0))
			write(canvas, clouds[i], tickSize, ink, draw.XLeft, at(1+i, left))
			for k, count := range counts[i] {
				write(canvas, fmt.Sprint(count), tickSize, ink, draw.XCenter, at(1+i, column(k+1)))
			}
		}
	}})
}

// countsText returns "in ellipse 14 12 7 4 1 · near 15 12 7 4 1".
func (s scatter) countsText() string {
	var texts []string
	for i, test := range s.tests {
		texts = append(texts, cmp.Or(test.Short, test.Name)+" "+
			strings.Trim(fmt.Sprint(s.counts(i)), "[]"))
	}
	return strings.Join(texts, " · ")
}

// counts returns the number of versions of each severity that pass a test.
func (s scatter) counts(test int) [severities]int {
	return s.countsOf(func(version int) bool { return s.tests[test].Inside[version] })
}

func (s scatter) countsOf(counted func(version int) bool) (counts [severities]int) {
	for version, severity := range s.cloud.Severity {
		if counted(version) {
			counts[severity-1]++
		}
	}
	return counts
}
