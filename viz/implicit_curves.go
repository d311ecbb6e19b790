package viz

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// ImplicitCurves draws a quantity, named with its unit as in "NLL (nats)", of networks on images
// with implicit corruptions, against the parameter lambda of their search on a logarithmic axis.
// lambda must rise and be positive. The curves of one method share its colour and differ in dashes
// and markers.
func ImplicitCurves(quantity string, lambda []float64, curves []ImplicitCurve) (*Figure, error) {
	all, err := copied(curves)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if err := checkPlaces(s.Name, "lambda", lambda, len(s.Mean), span{math.SmallestNonzeroFloat64, math.MaxFloat64}); err != nil {
			return nil, err
		}
	}
	return implicitChart(quantity, lambda, all).figure(), nil
}

// implicitChart places the curves at the logarithms of lambda, and labels the axis with lambda.
func implicitChart(quantity string, lambda []float64, all []Series) chart {
	result := chart{xLabel: "λ", yLabel: quantity, x: nothing(), yTicks: ticker{5, false}, caption: seedCaption("bars", all)}
	var ticks plot.ConstantTicks
	var at []float64
	for _, value := range lambda {
		at = append(at, math.Log10(value))
		ticks = append(ticks, plot.Tick{Value: math.Log10(value), Label: strconv.FormatFloat(value, 'g', -1, 64)})
	}
	for i, look := range stylesOf(all) {
		result.addNamed(all[i].curve(score.Metric{}, at, look), all[i].Name)
	}
	separateBars(result.curves, 0.01)
	result.x, result.y, result.xTicks = result.x.include(at...).widen(0.06), reach(result.curves).widen(0.12), ticks
	return result
}
