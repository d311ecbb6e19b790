package viz

import (
	"cmp"
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the table below clouds, in points.
const (
	tableLine   = vg.Length(17)
	tableColumn = vg.Length(38)
	tableGap    = vg.Length(14) // between the names and the numbers
	tableTop    = vg.Length(2)  // above the header; the panels leave the room of a caption, too
)

// countTable counts the corrupted versions inside by test, cloud and severity. Its header is the
// legend of the severities.
type countTable struct{ scatters []scatter }

// figure lays the table out, raised into the empty place of the panels' captions.
func (t countTable) figure() *Figure {
	const raised = captionHeight - tableTop
	lines := 2 + len(t.scatters[0].tests)*len(t.scatters)
	return &Figure{
		width: t.namesWidth() + t.cloudsWidth() + severities*tableColumn + 2*margin,
		body:  tableLine*vg.Length(lines) + margin - raised,
		paint: func(canvas draw.Canvas, header vg.Length) {
			t.paint(canvas, vg.Point{X: canvas.Min.X + margin, Y: canvas.Max.Y - header + raised})
		},
	}
}

func (t countTable) namesWidth() (width vg.Length) {
	for _, test := range t.scatters[0].tests {
		width = max(width, textWidth(test.Name, tickSize))
	}
	return width + tableGap
}

func (t countTable) cloudsWidth() (width vg.Length) {
	for _, s := range t.scatters {
		width = max(width, textWidth(s.cloud.Name, tickSize))
	}
	return width + tableGap/2
}

// paint draws the header with the severities' colours, and a line for each test and cloud.
func (t countTable) paint(canvas draw.Canvas, top vg.Point) {
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
	row(last, "all", "", t.scatters[0].countsOf(func(int) bool { return true }))
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
