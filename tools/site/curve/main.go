//go:build js

// Command curve trains networks of package curve on a page of the site. It gives the page an object
// curve:
//
//	places, points                           where to draw, and the points of the start [x, y, x, y, ...]
//	process(points, noise)                   the exact band {mean, std}
//	model(kind, hidden, gamma, k, noise)     an object with
//	    train(points, milliseconds)          trains that long
//	    setGamma(gamma)                      changes gamma
//	    band()                               the band {mean, std, functions}, and what a draw takes
package main

import (
	"syscall/js"
	"time"

	"github.com/nbbnn/workbench/lab/curve"
)

// The places and functions of a band, and how many functions are drawn as lines.
const (
	draws     = 48
	functions = 6
)

var places = curve.Places()

func main() {
	var points []any
	for _, p := range curve.Points() {
		points = append(points, p.X, p.Y)
	}
	js.Global().Set("curve", map[string]any{
		"places": list(places), "points": points,
		"process": js.FuncOf(process),
		"model":   js.FuncOf(model),
	})
	select {}
}

func process(_ js.Value, given []js.Value) any {
	mean, std := curve.Process(pointsOf(given[0]), given[1].Float(), places)
	return map[string]any{"mean": list(mean), "std": list(std)}
}

func model(_ js.Value, given []js.Value) any {
	m := curve.New(curve.Config{
		Kind: given[0].String(), Hidden: given[1].Int(), Gamma: given[2].Float(),
		K: given[3].Int(), Noise: given[4].Float(), Seed: 1,
	})
	return map[string]any{
		"drawn": m.Drawn(),
		"train": js.FuncOf(func(_ js.Value, given []js.Value) any {
			return train(m, pointsOf(given[0]), given[1].Int())
		}),
		"setGamma": js.FuncOf(func(_ js.Value, given []js.Value) any {
			m.SetGamma(given[0].Float())
			return nil
		}),
		"band": js.FuncOf(func(js.Value, []js.Value) any { return band(m) }),
	}
}

// train takes steps for some milliseconds, and returns their number.
func train(m *curve.Model, points []curve.Point, milliseconds int) (steps int) {
	for end := time.Now().Add(time.Duration(milliseconds) * time.Millisecond); time.Now().Before(
		end); steps += 5 {
		m.Train(points, 5)
	}
	return steps
}

func band(m *curve.Model) any {
	mean, std := m.Band(places, draws)
	var drawn []any
	for range functions {
		f, _ := m.Draw()
		var values []float64
		for _, x := range places {
			values = append(values, f(x))
		}
		drawn = append(drawn, list(values))
	}
	return map[string]any{"mean": list(mean), "std": list(std), "functions": drawn}
}

func pointsOf(numbers js.Value) (points []curve.Point) {
	for i := 0; i < numbers.Length(); i += 2 {
		points = append(points, curve.Point{X: numbers.Index(i).Float(),
			Y: numbers.Index(i + 1).Float()})
	}
	return points
}

func list(values []float64) (all []any) {
	for _, value := range values {
		all = append(all, value)
	}
	return all
}
