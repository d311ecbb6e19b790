package viz

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ImplicitCurve is a number of one network on images with implicit corruptions, against the
// parameter lambda of their search.
type ImplicitCurve struct {
	Name   string      // of the curve, such as "its own"
	Method string      // that is tested; it decides the colour. "" means Name
	Mean   []float64   // [lambdas], mean over seeds
	Std    []float64   // [lambdas], standard deviation over seeds, drawn as error bars from five seeds on; nil draws none
	Seeds  int         // number of runs behind Mean and Std; 0 means not known
	Each   [][]float64 // [seeds][lambdas], drawn as thin lines of fewer than five seeds; nil draws none
}

// ImplicitCurves draws a quantity, named with its unit as in "NLL (nats)", against lambda on a
// logarithmic axis. lambda must rise and be positive. The curves of one method share its colour and
// differ in dashes and markers.
func ImplicitCurves(quantity string, lambda []float64, curves []ImplicitCurve) (*Figure, error) {
	all, methods := make([]series, len(curves)), make([]string, len(curves))
	for i, c := range curves {
		var err error
		if all[i], err = newSeries(c.Name, c.Mean, c.Std, c.Seeds); err != nil {
			return nil, err
		}
		if err := all[i].addSeeds(c.Each); err != nil {
			return nil, err
		}
		if err := checkPlaces(c.Name, "lambda", lambda, len(c.Mean), span{math.SmallestNonzeroFloat64, math.MaxFloat64}); err != nil {
			return nil, err
		}
		if methods[i] = c.Method; c.Method == "" {
			methods[i] = c.Name
		}
	}
	if err := checkNames(all); err != nil {
		return nil, err
	}
	return implicitChart(quantity, lambda, all, styles(methods)).figure(), nil
}

// implicitChart places the curves at the logarithms of lambda, and labels the axis with lambda.
func implicitChart(quantity string, lambda []float64, all []series, looks []style) chart {
	result := chart{xLabel: "λ", yLabel: quantity, x: nothing(), yTicks: ticker{5, false}, caption: seedCaption("bars", all)}
	var ticks plot.ConstantTicks
	var at []float64
	for _, value := range lambda {
		at = append(at, math.Log10(value))
		ticks = append(ticks, plot.Tick{Value: math.Log10(value), Label: strconv.FormatFloat(value, 'g', -1, 64)})
	}
	for i, s := range all {
		look := looks[i]
		result.curves = append(result.curves, curve{
			name: s.name, x: at, y: s.mean, deviation: s.drawnDeviation(), each: s.drawnSeeds(), style: look, marks: len(s.mean),
		})
		result.entries = append(result.entries, entry{name: s.name, style: look})
	}
	separateBars(result.curves, 0.01)
	result.x, result.y, result.xTicks = result.x.include(at...).widen(0.06), reach(result.curves).widen(0.12), ticks
	return result
}
