package lab

import (
	_ "embed" // live.js
	"fmt"
	"html"
	"math"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/quantity"
)

// liveInterval is the least time between two drawings of a live view.
const liveInterval = time.Second / 2

// liveScript keeps a view up to date in a page that opens the saved notebook while the cell is at
// work.
//
//go:embed live.js
var liveScript string

// Live returns a function that draws the progress of some work below the cell: a bar, a line in
// words and, in a training, the terms of the objective. Any call that takes a progress can have it:
//
//	lab.Check(run.Train(ctx, lab.Live("mine")))
//
// The name is for work whose updates have none. Outside a notebook the function does nothing.
func Live(name string) progress.Func {
	if !gonbui.IsNotebook {
		return func(progress.Update) {}
	}
	view := &liveView{name: name, draw: gonbui.UpdateHTML, sync: func() { flush() }}
	return view.report
}

// liveView draws progress in one element, which is replaced; other work gets another element.
type liveView struct {
	name    string
	draw    func(element, html string)
	sync    func()
	clock   progress.Clock
	element string          // of the work at hand
	latest  progress.Update // zero before the first
	shown   time.Time
}

// report draws an update, unless one was drawn a moment ago. The last update of a run is always
// drawn, as a view that stays as it is.
func (v *liveView) report(u progress.Update) {
	if u.Name == "" && v.name != "" {
		u.Name = v.name
	}
	if !v.continues(u) {
		v.element = "training_" + gonbui.UniqueId()
	}
	v.latest = u
	left, ended := v.clock.Remaining(u), u.Done >= u.Total
	if !ended && time.Since(v.shown) < liveInterval {
		return
	}
	v.shown = time.Now()
	v.draw(v.element, liveHTML(u, left, v.element, !ended))
	if ended {
		v.sync()
	}
}

// continues reports whether an update belongs to the work that the element shows: to the same run,
// a later one of several, or the same kind of work after that ended.
func (v *liveView) continues(u progress.Update) bool {
	last := v.latest
	if last.Phase == "" || u.Phase != last.Phase || u.Runs != last.Runs || u.Place < last.Place {
		return false
	}
	return u.Place > last.Place || last.Done >= last.Total ||
		(u.Done >= last.Done && u.Title() == last.Title())
}

// Sizes of a live view, in pixels of the screen.
const (
	sparkWidth  = 170 // of a small curve
	sparkHeight = 46
	sparkMargin = 3
)

// sparkColours are the colours of the bar and the curves, in their order.
var sparkColours = []string{"#0072b2", "#009e73", "#d55e00", "#aa3377"}

// liveHTML returns the view as one HTML element: a bar, a line of text, which the attribute
// data-line has too, and the curves. With the script a page that opens the saved notebook follows
// the element while the cell is at work.
func liveHTML(u progress.Update, left time.Duration, element string, script bool) string {
	var text strings.Builder
	line := html.EscapeString(liveLine(u, left))
	fmt.Fprintf(&text,
		`<div class="nbbnn-training" data-element="%s" data-line="%s" style="font-family:sans-serif;font-size:13px">`,
		html.EscapeString(element), line)
	fmt.Fprintf(&text, `<div style="background:#8884;border-radius:3px;height:8px;max-width:%dpx">`,
		4*sparkWidth)
	fmt.Fprintf(&text,
		`<div style="background:%s;border-radius:3px;height:8px;width:%.1f%%"></div></div>`,
		sparkColours[0], 100*max(0, min(1, u.Fraction())))
	fmt.Fprintf(&text, `<div style="margin:4px 0;white-space:pre-wrap">%s</div>`, line)
	for i, curve := range u.Curves {
		text.WriteString(sparkHTML(curve, sparkColours[i%len(sparkColours)]))
	}
	if script {
		text.WriteString("<script>" + liveScript + "</script>")
	}
	text.WriteString("</div>")
	return text.String()
}

// liveLine returns "train M32 seed 2 epoch 7/12 loss 0.412 1,480 img/s 12 s left run 2 of 4".
func liveLine(u progress.Update, left time.Duration) string {
	parts := u.Parts()
	if left > 0 {
		parts = append(parts, progress.Part{Text: quantity.Span(left) + " left"})
	}
	if u.Runs > 1 {
		parts = append(parts, progress.Part{Text: fmt.Sprintf("run %d of %d", u.Place, u.Runs)})
	}
	return progress.Join(parts)
}

// sparkHTML returns a curve with its name and its latest value; fewer than two values draw nothing.
func sparkHTML(c progress.Curve, colour string) string {
	if len(c.Values) < 2 {
		return ""
	}
	name := html.EscapeString(c.Name)
	return fmt.Sprintf(`<div style="display:inline-block;margin-right:14px">%s <b>%.4g</b><br>`+
		`<svg width="%d" height="%d" role="img" aria-label="%s"><polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/></svg></div>`,
		name, c.Values[len(c.Values)-1], sparkWidth, sparkHeight, name, colour,
		sparkPoints(c.Values))
}

// sparkPoints returns the corners of a curve that fills its place from the least to the largest
// value. Values that aren't finite are left out.
func sparkPoints(values []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, value := range values {
		if isFinite(value) {
			low, high = math.Min(low, value), math.Max(high, value)
		}
	}
	var points []string
	for i, value := range values {
		if !isFinite(value) {
			continue
		}
		across, up := float64(i)/float64(len(values)-1), 0.5
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
