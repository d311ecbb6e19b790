package viz

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rightAxis is a second vertical axis, on the right, whose values are a function of those of the
// left one.
type rightAxis struct {
	label string
	ticks func(left span) []plot.Tick // at values of the left axis
}

// rightRoom is the width that a right axis takes, in points.
const rightRoom = vg.Length(46)

// room returns the width that the axis takes; none if there is no axis.
func (r *rightAxis) room() vg.Length {
	if r == nil {
		return 0
	}
	return rightRoom
}

// paint draws the axis at the right edge of the inside.
func (r *rightAxis) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	if r == nil {
		return
	}
	_, toY := axes.Transforms(&inside)
	look := draw.LineStyle{Color: softInk, Width: axisWidth}
	canvas.StrokeLine2(look, inside.Max.X, inside.Min.Y, inside.Max.X, inside.Max.Y)
	for _, tick := range r.ticks(span{axes.Y.Min, axes.Y.Max}) {
		y := toY(tick.Value)
		canvas.StrokeLine2(look, inside.Max.X, y, inside.Max.X+tickLength, y)
		write(canvas, tick.Label, captionSize, softInk, draw.XLeft, vg.Point{X: inside.Max.X + tickLength + 3, Y: y})
	}
	style := textStyle(captionSize, softInk, draw.XCenter, draw.YTop)
	style.Rotation = math.Pi / 2
	at := vg.Point{X: inside.Max.X + rightRoom - captionSize - 3, Y: inside.Center().Y}
	canvas.FillText(style, at, letters(r.label))
}

// nodeEntropy is the entropy of a Gaussian with a standard deviation of one, in nats: half of log(2
// pi e).
var nodeEntropy = 0.5 * math.Log(2*math.Pi*math.E)

// typicalSigma returns the axis of the standard deviation that nodes have on (geometric) average,
// exp(H/D - 1.419), for an entropy H of D latent variables on the left axis.
func typicalSigma(latents int) *rightAxis {
	entropy := func(sigma float64) float64 { return float64(latents) * (math.Log(sigma) + nodeEntropy) }
	return &rightAxis{label: "typical sigma of a node", ticks: func(left span) []plot.Tick {
		least := math.Exp(left.low/float64(latents) - nodeEntropy)
		most := math.Exp(left.high/float64(latents) - nodeEntropy)
		step := niceStep((most - least) / 5)
		var ticks []plot.Tick
		for k := math.Ceil(least / step); k*step <= most; k++ {
			if sigma := k * step; sigma > 0 {
				ticks = append(ticks, plot.Tick{Value: entropy(sigma), Label: strconv.FormatFloat(sigma, 'g', 3, 64)})
			}
		}
		return ticks
	}}
}
