package implicit

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// newModel returns a network with its initial values and a small data set for it.
func newModel(t testing.TB, settings network.Settings) (*network.Model, *dataset.Dataset) {
	t.Helper()
	data, err := dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10, TrainCount: 8, TestCount: 20})
	if err != nil {
		t.Fatal(err)
	}
	m, err := network.NewModel(settings, data, network.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m, data
}

// tiny are the settings of a network with two components that is fast to compute.
func tiny() network.Settings {
	return network.Settings{Network: network.Network{Width: 4}, Posterior: network.Posterior{Components: 2, InitStd: 0.3}, Seed: 5}
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
		t.Errorf("%s: value %d is %.17g, want %.17g: difference %.3g, tolerance %.3g", what, worst, g[worst], w[worst], difference, tolerance)
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

// oracle reads one value of the numeric oracles, by the path of keys that leads to it.
// NBBNN_ORACLES names another file than nbbnn/testdata/oracles.json.
func oracle[T any](t testing.TB, keys ...string) T {
	t.Helper()
	path := "../testdata/oracles.json"
	if other := os.Getenv("NBBNN_ORACLES"); other != "" {
		path = other
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s, %s: %v", path, strings.Join(keys[:i], "."), err)
		}
		if data = object[key]; data == nil {
			t.Fatalf("%s has no %s", path, strings.Join(keys[:i+1], "."))
		}
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s, %s: %v", path, strings.Join(keys, "."), err)
	}
	return value
}
