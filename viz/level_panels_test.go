package viz

import (
	"math"
	"testing"
)

// The baseline is zero at every level, and means and seeds of the others are differences from it.
func TestBesideABaseline(t *testing.T) {
	panel := LevelPanel{Metric: "Error", Baseline: "ordinary", Curves: []LevelCurve{
		{Name: "ordinary", Mean: []float64{0.1, 0.2}, Paper: []float64{0.1, 0.2}},
		{Name: "other", Mean: []float64{0.15, 0.1}, Seeds: 2, Each: [][]float64{{0.1, 0.1}, {0.2, 0.1}}},
	}}
	c, err := panel.chart()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.curves) != 2 || len(c.entries) != 2 {
		t.Fatalf("%d curves and %d entries, want two without the paper's", len(c.curves), len(c.entries))
	}
	for i, want := range [][]float64{{0, 0}, {5, -10}} {
		sameValues(t, c.curves[i].name, c.curves[i].y, want)
	}
	sameValues(t, "its second seed", c.curves[1].each[1], []float64{10, -10})
	if c.yLabel != "error − ordinary (points)" {
		t.Errorf("the axis is called %q", c.yLabel)
	}
	if panel.Curves[1].Mean[0] != 0.15 {
		t.Error("the caller's values were changed")
	}
	panel.Baseline = "another"
	if _, err := panel.chart(); err == nil {
		t.Error("an unknown baseline: no error")
	}
}

// The words at the sides of zero stand where no curve does.
func TestWordsKeepClearOfCurves(t *testing.T) {
	falling, rising := curve{y: []float64{1, 0, -1, -2}}, curve{y: []float64{-1, 0, 1, 2}}
	for _, c := range []struct {
		curves       []curve
		above, below bool
	}{{[]curve{falling}, true, false}, {[]curve{rising}, false, true}} {
		if above, below := free(c.curves); above != c.above || below != c.below {
			t.Errorf("words at the right above %t and below %t, want %t and %t", above, below, c.above, c.below)
		}
	}
}

// sameValues compares values with those that are wanted.
func sameValues(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("%s has the values %v, want %v", name, got, want)
			return
		}
	}
}
