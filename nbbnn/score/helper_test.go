package score

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// near compares two numbers.
func near[T int | float64](t testing.TB, what string, got, want T, tolerance float64) {
	t.Helper()
	if difference := math.Abs(float64(got) - float64(want)); !(difference <= tolerance) {
		t.Errorf("%s is %v, want %v: difference %.3g, tolerance %.3g", what, got, want, difference, tolerance)
	}
}

// checkError checks that an error is one line of this package with a certain text.
func checkError(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "score: ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: error is %v, want one line of package score with %q", what, err, want)
	}
}

// oracle reads one of the numeric oracles for metrics. NBBNN_ORACLES names another file than
// nbbnn's.
func oracle[T any](t testing.TB, name string) T {
	t.Helper()
	path := "../testdata/oracles.json"
	if other := os.Getenv("NBBNN_ORACLES"); other != "" {
		path = other
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Metrics map[string]json.RawMessage }
	var value T
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := json.Unmarshal(all.Metrics[name], &value); err != nil {
		t.Fatalf("%s, metrics.%s: %v", path, name, err)
	}
	return value
}
