package network

import (
	"math"
	"reflect"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
)

// run executes a graph on the chosen engine and returns its outputs as Go values.
func run(t testing.TB, build func(args []*Node) []*Node, args ...any) []any {
	t.Helper()
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := NewExec(e.Backend, build)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, len(outputs))
	for i, output := range outputs {
		values[i] = output.Value()
	}
	return values
}

// near compares numbers or nested slices of them and reports the place with the largest difference.
func near(t testing.TB, what string, got, want any, tolerance float64) {
	t.Helper()
	g, w := flatten(reflect.ValueOf(got)), flatten(reflect.ValueOf(want))
	if len(g) != len(w) {
		t.Errorf("%s: %d values, want %d", what, len(g), len(w))
		return
	}
	worst, difference := 0, 0.0
	for i := range g {
		if d := math.Abs(g[i] - w[i]); d > difference || math.IsNaN(d) {
			worst, difference = i, d
		}
	}
	if difference > tolerance || math.IsNaN(difference) {
		t.Errorf("%s: value %d is %.17g, want %.17g: difference %.3g, tolerance %.3g",
			what, worst, g[worst], w[worst], difference, tolerance)
	}
}

func flatten(v reflect.Value) (flat []float64) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			flat = append(flat, flatten(v.Index(i))...)
		}
		return flat
	case reflect.Interface:
		return flatten(v.Elem())
	case reflect.Float32, reflect.Float64:
		return []float64{v.Float()}
	default:
		return []float64{float64(v.Int())}
	}
}
