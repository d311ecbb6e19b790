package viz

import (
	_ "embed" // live.js
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// Training is how far a training is, for a view that is drawn anew while it goes on.
type Training struct {
	Phase     string        // such as "train"
	Name      string        // of the run, such as "M32 seed 2"
	Text      string        // how far it is, in words
	Fraction  float64       // of the work that is done, 0 to 1
	Rate      float64       // images a second; 0 leaves it out
	Remaining time.Duration // 0 leaves it out
	Curves    []Progression // drawn side by side below the bar

	// Element is the identifier of the notebook's element that shows the view. With it, a page that opens the saved notebook
	// while the cell is still at work goes on showing the view; "" is for a view that stays as it is.
	Element string
}

// Progression is one quantity over the epochs, such as a term of the loss.
type Progression struct {
	Name   string
	Values []float64 // one for each epoch; fewer than two draw nothing
}

// Sizes of the small curves, in pixels of the screen.
const (
	sparkWidth  = 170
	sparkHeight = 46
	sparkMargin = 3
)

// live is the script of a view that goes on when a saved notebook is opened.
//
//go:embed live.js
var live string

// HTML returns the view as one HTML element of fixed structure: a bar, a line of text, the curves and, with an Element, the
// script that keeps it up to date. The texts are escaped.
func (t Training) HTML() string {
	var text strings.Builder
	fmt.Fprintf(&text, `<div class="nbbnn-training" data-element="%s" style="font-family:sans-serif;font-size:13px">`, html.EscapeString(t.Element))
	fmt.Fprintf(&text, `<div style="background:#8884;border-radius:3px;height:8px;max-width:%dpx">`, 4*sparkWidth)
	fmt.Fprintf(&text, `<div style="background:%s;border-radius:3px;height:8px;width:%.1f%%"></div></div>`, css(0), 100*t.fraction())
	fmt.Fprintf(&text, `<div style="margin:4px 0;white-space:pre-wrap">%s</div>`, html.EscapeString(t.line()))
	for i, curve := range t.Curves {
		text.WriteString(curve.html(i))
	}
	if t.Element != "" {
		text.WriteString("<script>" + live + "</script>")
	}
	text.WriteString("</div>")
	return text.String()
}

// fraction is the part that is done, within its limits.
func (t Training) fraction() float64 {
	if math.IsNaN(t.Fraction) {
		return 0
	}
	return max(0, min(1, t.Fraction))
}

// line is such as "train  M32 seed 2   epoch 7/12  loss 0.412   1480 images/s   12s left".
func (t Training) line() string {
	line := strings.TrimSpace(t.Phase+"  "+t.Name) + "   " + t.Text
	if t.Rate > 0 {
		line += fmt.Sprintf("   %.0f images/s", t.Rate)
	}
	if t.Remaining > 0 {
		line += fmt.Sprintf("   %v left", t.Remaining.Round(time.Second))
	}
	return line
}

// html returns the curve with its name and its latest value, in the colour of its place.
func (p Progression) html(place int) string {
	if len(p.Values) < 2 {
		return ""
	}
	name := html.EscapeString(p.Name)
	return fmt.Sprintf(`<div style="display:inline-block;margin-right:14px">%s <b>%.4g</b><br>`+
		`<svg width="%d" height="%d" role="img" aria-label="%s"><polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/></svg></div>`,
		name, p.Values[len(p.Values)-1], sparkWidth, sparkHeight, name, css(place), p.points())
}

// points are the corners of the curve, which fills its place from the least to the largest value. Values that are no numbers
// are left out.
func (p Progression) points() string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, value := range p.Values {
		if isFinite(value) {
			low, high = math.Min(low, value), math.Max(high, value)
		}
	}
	var points []string
	for i, value := range p.Values {
		if !isFinite(value) {
			continue
		}
		across, up := float64(i)/float64(len(p.Values)-1), 0.5
		if high > low {
			up = (value - low) / (high - low)
		}
		x := sparkMargin + across*(sparkWidth-2*sparkMargin)
		y := sparkHeight - sparkMargin - up*(sparkHeight-2*sparkMargin)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	return strings.Join(points, " ")
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// css names the colour of the given place, blue first.
func css(place int) string {
	hue := hues[(place+1)%len(hues)]
	return fmt.Sprintf("#%02x%02x%02x", hue.R, hue.G, hue.B)
}
