package score

import (
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestMetricTexts(t *testing.T) {
	for _, c := range []struct {
		name, label, heading string
		shown                float64 // of 0.25
		higher               bool
	}{
		{"NLL", "NLL (nats)", "NLL", 0.25, false},
		{"Error", "error (%)", "Error %", 25, false},
		{"MeanECE", "mean ECE", "MeanECE", 0.25, false},
		{"Top2", "top-2 accuracy (%)", "Top2 %", 25, true},
	} {
		m := testkit.Must(MetricByName(c.name))(t)
		if m.Label() != c.label || m.Heading() != c.heading || m.Better(2, 1) != c.higher ||
			m.Better(1, 1) {
			t.Errorf("%s: label %q, heading %q, higher is better %v, want %q, %q, %v", c.name,
				m.Label(), m.Heading(), m.Better(2, 1), c.label, c.heading, c.higher)
		}
		testkit.Near(t, c.name+" of 0.25, shown", m.Shown(0.25), c.shown, 0)
	}
	var none []string
	for _, m := range Metrics() {
		if m.NoBest {
			none = append(none, m.Name)
		}
	}
	if got, want := strings.Join(none, " "),
		"SignedECE Total Aleatoric Epistemic Coverage SetSize"; got != want {
		t.Errorf("metrics without a best value are %s, want %s", got, want)
	}
	_, err := MetricByName("MeanEC")
	checkError(t, "unknown metric", err, `did you mean "MeanECE"?`)
}

// register adds a custom metric until the end of the test.
func register(t *testing.T, m Metric) {
	t.Helper()
	testkit.NoError(t, Register(m))
	t.Cleanup(func() { metrics.known = metrics.known[:len(metrics.known)-1] })
}

// twoImages are predicted with two samples in two classes; the mean probabilities of class 0 are
// 0.6 and 0.3.
func twoImages() Prediction {
	p := Prediction{Images: 2, Samples: 2, Classes: 2}
	for _, probability := range []float64{0.5, 0.5, 0.7, 0.3, 0.2, 0.8, 0.4, 0.6} {
		p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(probability)))
	}
	return p
}

// A custom metric is computed with a cell, and found at the levels.
func TestCustomMetric(t *testing.T) {
	clean := Condition{Corruption: Clean}
	before := testkit.Must(twoImages().Cell(clean, []uint8{0, 1}))(t)
	register(t, Metric{Name: "Truth", Of: MeanOverImages(func(p []float64, label int) float64 {
		return p[label]
	})})
	cell := testkit.Must(twoImages().Cell(clean, []uint8{0, 1}))(t)
	metric := testkit.Must(MetricByName("Truth"))(t)
	testkit.Near(t, "mean probability of the label", metric.Value(cell), (0.6+0.7)/2, 1e-7)
	testkit.Near(t, "NLL", cell.NLL, before.NLL, 0)
	if !math.IsNaN(metric.Value(before)) {
		t.Errorf("the value of a cell without it is %g, want none", metric.Value(before))
	}
	cells := randomCells(t)
	_, err := metric.Levels(cells)
	checkError(t, "levels without it", err, "Truth at level 0 isn't a number")
	for i := range cells {
		cells[i].Custom = map[string]float64{"Truth": float64(i)}
	}
	levels := testkit.Must(metric.Levels(cells))(t)
	testkit.Near(t, "mean of fog and snow at level 2", levels[2], (2.0+7)/2, 1e-12)
}

func TestRegisterRefuses(t *testing.T) {
	of := MeanOverImages(func([]float64, int) float64 { return math.NaN() })
	for _, c := range []struct {
		metric Metric
		want   string
	}{
		{Metric{Name: "", Of: of}, "no name"},
		{Metric{Name: "a,b", Of: of}, "no name"},
		{Metric{Name: "NLL", Of: of}, "exists already"},
		{Metric{Name: "brier", Of: of}, "exists already"},
		{Metric{Name: "Mine"}, "set Of"},
		{Metric{Name: "Mine", Column: "mine", Of: of}, "leave Column empty"},
	} {
		checkError(t, c.metric.Name, Register(c.metric), c.want)
	}
	register(t, Metric{Name: "Nothing", Of: of})
	_, err := twoImages().Cell(Condition{Corruption: Clean}, []uint8{0, 1})
	checkError(t, "a metric that isn't a number", err, "metric Nothing is NaN")
}
