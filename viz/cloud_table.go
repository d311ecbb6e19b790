package viz

import (
	"cmp"
	"fmt"
	"image"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the table below clouds, in points.
const (
	tableLine   = vg.Length(17)
	tableColumn = vg.Length(38)
	tableGap    = vg.Length(14) // between the image, the names and the numbers
	tableTop    = vg.Length(2)  // above the header; the panels leave the room of a caption, too
	tableImage  = vg.Length(78) // side of the image
)

// cloudTable counts the corrupted versions inside by test, cloud and severity. Its header is the
// legend of the severities.
type cloudTable struct {
	scatters []scatter
	totals   [severities]int // versions of each severity; none if the counts aren't shown
	picture  image.Image
	name     string // of the picture
	note     []string
}

func newCloudTable(scatters []scatter, c CloudScatter) cloudTable {
	t := cloudTable{scatters: scatters, note: c.Note, name: c.ImageName}
	if c.Image != nil {
		t.picture = enlarge(c.Image, c.Height, c.Width, max(1, 256/c.Width))
	}
	return t
}

func (t *cloudTable) count() {
	for _, severity := range t.scatters[0].cloud.Severity {
		t.totals[severity-1]++
	}
}

func (t cloudTable) empty() bool {
	return t.totals == [severities]int{} && t.picture == nil && len(t.note) == 0
}

// figure lays the table out in the middle of a width.
func (t cloudTable) figure(width vg.Length) *Figure {
	lines := 0
	if t.totals != [severities]int{} {
		lines = 2 + len(t.scatters[0].tests)*len(t.scatters)
	}
	height := tableLine * vg.Length(lines)
	if t.picture != nil {
		height = max(height, tableImage+tableLine+margin)
	}
	raised := captionHeight - tableTop // into the empty place of the panels' captions
	if lines == 0 {
		raised = -tableTop
	}
	needed := t.namesWidth() + t.cloudsWidth() + severities*tableColumn + 2*margin + t.pictureWidth()
	width = max(width, needed)
	left := (width - needed) / 2
	return &Figure{
		width: width, body: height + tableLine*vg.Length(len(t.note)) + margin - raised, middle: width / 2,
		paint: func(canvas draw.Canvas, header vg.Length) {
			top := vg.Point{X: canvas.Min.X + left + margin, Y: canvas.Max.Y - header + raised}
			t.paintPicture(canvas, top)
			if top.X += t.pictureWidth(); lines > 0 {
				t.paintCounts(canvas, top)
			}
			for i, note := range t.note {
				at := vg.Point{X: canvas.Min.X + width/2, Y: canvas.Max.Y - header + raised - height - tableLine*(vg.Length(i)+0.5)}
				write(canvas, note, fitted(note, captionSize, width-2*margin), softInk, draw.XCenter, at)
			}
		},
	}
}

func (t cloudTable) pictureWidth() vg.Length {
	if t.picture == nil {
		return 0
	}
	return max(tableImage, textWidth(t.name, captionSize)) + 2*tableGap
}

func (t cloudTable) namesWidth() (width vg.Length) {
	for _, test := range t.scatters[0].tests {
		width = max(width, textWidth(test.Name, tickSize))
	}
	return width + tableGap
}

func (t cloudTable) cloudsWidth() (width vg.Length) {
	for _, s := range t.scatters {
		width = max(width, textWidth(s.cloud.Name, tickSize))
	}
	return width + tableGap/2
}

// paintPicture draws the image with its name below.
func (t cloudTable) paintPicture(canvas draw.Canvas, top vg.Point) {
	if t.picture == nil {
		return
	}
	middle := top.X + (t.pictureWidth()-2*tableGap)/2
	canvas.DrawImage(vg.Rectangle{
		Min: vg.Point{X: middle - tableImage/2, Y: top.Y - tableImage}, Max: vg.Point{X: middle + tableImage/2, Y: top.Y},
	}, t.picture)
	write(canvas, t.name, captionSize, ink, draw.XCenter, vg.Point{X: middle, Y: top.Y - tableImage - tableLine/2 - 2})
}

// paintCounts draws the header with the severities' colours, and a line for each test and cloud.
func (t cloudTable) paintCounts(canvas draw.Canvas, top vg.Point) {
	numbers := top.X + t.namesWidth() + t.cloudsWidth()
	column := func(severity int) vg.Length { return numbers + tableColumn*(vg.Length(severity)-0.5) }
	line := func(i int) vg.Length { return top.Y - tableLine*(vg.Length(i)+0.5) }
	write(canvas, "versions, by severity", tickSize, softInk, draw.XLeft, vg.Point{X: top.X, Y: line(0)})
	for severity := 1; severity <= severities; severity++ {
		at := vg.Point{X: column(severity) - 6, Y: line(0)}
		drawMarkerOf(markerRadius+0.5, &canvas, severityStyle(severity), at)
		write(canvas, fmt.Sprint(severity), tickSize, ink, draw.XLeft, at.Add(vg.Point{X: 8}))
	}
	row := func(i int, test, cloud string, counts [severities]int) {
		write(canvas, test, tickSize, ink, draw.XLeft, vg.Point{X: top.X, Y: line(i)})
		write(canvas, cloud, tickSize, ink, draw.XLeft, vg.Point{X: top.X + t.namesWidth(), Y: line(i)})
		for severity := 1; severity <= severities; severity++ {
			write(canvas, fmt.Sprint(counts[severity-1]), tickSize, ink, draw.XCenter, vg.Point{X: column(severity), Y: line(i)})
		}
	}
	rule := draw.LineStyle{Color: gridInk, Width: axisWidth}
	for i, test := range t.scatters[0].tests {
		first := 1 + i*len(t.scatters)
		y := top.Y - tableLine*vg.Length(first)
		canvas.StrokeLine2(rule, top.X, y, numbers+severities*tableColumn, y)
		for j, s := range t.scatters {
			name := ""
			if j == 0 {
				name = test.Name
			}
			row(first+j, name, s.cloud.Name, s.counts(i))
		}
	}
	last := 1 + len(t.scatters[0].tests)*len(t.scatters)
	y := top.Y - tableLine*vg.Length(last)
	canvas.StrokeLine2(rule, top.X, y, numbers+severities*tableColumn, y)
	row(last, "all", "", t.totals)
}

// countsText is such as "in ellipse 14 12 7 4 1 · near 15 12 7 4 1".
func (s scatter) countsText() string {
	var texts []string
	for i, test := range s.tests {
		texts = append(texts, cmp.Or(test.Short, test.Name)+" "+strings.Trim(fmt.Sprint(s.counts(i)), "[]"))
	}
	return strings.Join(texts, " · ")
}

// counts returns how many versions of each severity pass a test.
func (s scatter) counts(test int) (counts [severities]int) {
	for i, inside := range s.tests[test].Inside {
		if inside {
			counts[s.cloud.Severity[i]-1]++
		}
	}
	return counts
}
