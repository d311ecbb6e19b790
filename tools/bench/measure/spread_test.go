package measure

import (
	"context"
	"errors"
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   Spread
	}{
		{"none", nil, Spread{}},
		{"one", []float64{3}, Spread{3, 3, 3, 3, 3, 1}},
		{"five, unsorted", []float64{5, 1, 4, 2, 3}, Spread{3, 2, 4, 1, 5, 5}},
		{"four, between two", []float64{1, 2, 3, 4}, Spread{2.5, 1.75, 3.25, 1, 4, 4}},
	} {
		if got := NewSpread(c.values); got != c.want {
			t.Errorf("%s: spread is %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestExponent(t *testing.T) {
	for _, c := range []struct {
		name      string
		x, y      []float64
		want      float64
		tolerance float64
	}{
		{"in proportion", []float64{1, 2, 4}, []float64{3, 6, 12}, 1, 1e-12},
		{"square", []float64{1, 2, 3}, []float64{1, 4, 9}, 2, 1e-12},
		{"constant", []float64{1, 2}, []float64{7, 7}, 0, 1e-12},
	} {
		if got := Exponent(c.x, c.y); math.Abs(got-c.want) > c.tolerance {
			t.Errorf("%s: exponent is %g, want %g (tolerance %g)", c.name, got, c.want, c.tolerance)
		}
	}
	if got := Exponent([]float64{2}, []float64{3}); !math.IsNaN(got) {
		t.Errorf("exponent of one point is %g, want NaN", got)
	}
}

func TestRepeatTimesOnlyWhatComesAfterTheWarmUp(t *testing.T) {
	calls := 0
	seconds, err := Repeat(t.Context(), 2, 3, func() error { calls++; return nil })
	if err != nil || calls != 5 || len(seconds) != 3 {
		t.Errorf("%d calls, %d times, error %v, want 5, 3 and none", calls, len(seconds), err)
	}
	broken := errors.New("broken")
	if _, err := Repeat(t.Context(), 0, 3, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Repeat(cancelled, 0, 1, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
