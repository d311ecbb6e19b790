package score

import (
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Six predictions, in two adaptive bins of three.
var sixOutcomes = []outcome{{0.9, true}, {0.5, false}, {0.8, true}, {0.6, true}, {0.7, false},
	{0.4, false}}

func TestRiskCoverage(t *testing.T) {
	for _, c := range []struct {
		outcomes       []outcome
		coverage, risk []float64
	}{
		{sixOutcomes, []float64{1. / 6, 2. / 6, 3. / 6, 4. / 6, 5. / 6, 1},
			[]float64{0, 0, 1. / 3, 1. / 4, 2. / 5, 0.5}},
		{[]outcome{{0.5, true}, {0.5, false}, {0.5, false}, {0.5, true}}, []float64{1},
			[]float64{0.5}}, // equal confidences
		{nil, nil, nil},
	} {
		coverage, risk := riskCoverage(c.outcomes)
		testkit.Near(t, "coverage", coverage, c.coverage, metricTolerance)
		testkit.Near(t, "risk", risk, c.risk, metricTolerance)
	}
}

// The bins of the diagram give the ECE back.
func TestReliabilityGivesTheECE(t *testing.T) {
	var bins Bins
	for _, o := range sixOutcomes {
		bins.Add(o.confidence, o.correct)
	}
	sum, total := 0.0, 0
	confidence, accuracy, counts := bins.Reliability()
	for i, count := range counts {
		sum += math.Abs(accuracy[i]-confidence[i]) * float64(count)
		total += count
	}
	if !slices.IsSorted(confidence) {
		t.Error("the points aren't in rising order")
	}
	testkit.Near(t, "ECE", sum/float64(total), bins.ECE(len(sixOutcomes)), metricTolerance)
}

// tableOutcomes are 200 outcomes with 101 different confidences.
func tableOutcomes() []outcome {
	outcomes := make([]outcome, 200)
	for i := range outcomes {
		confidence := float64(i*37%101+50) / 160
		outcomes[i] = outcome{confidence, float64(i*53%97)/97 < 0.35+0.5*confidence}
	}
	return outcomes
}

// The area of the table is that of scikit-learn 1.9.1, sklearn.metrics.auc of the coverages and the
// shares of answered and wrong images at all thresholds, ties together.
func TestAUGRC(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcomes []outcome
		want     float64
	}{
		{"the table", tableOutcomes(), 0.120525},
		{"none", nil, 0},
		{"all right", []outcome{{0.5, true}, {0.9, true}}, 0},
		{"all wrong", []outcome{{0.5, false}, {0.9, false}}, 0.5},
		// e^2 / 2
		{"perfect order", []outcome{{0.9, true}, {0.5, false}}, 0.125},
		// e (1 - e) + e^2 / 2
		{"the wrong order", []outcome{{0.5, true}, {0.9, false}}, 0.375},
		{"no information", []outcome{{0.5, true}, {0.5, false}, {0.5, true}}, 1. / 3 / 2}, // e / 2
	} {
		got := augrc(c.outcomes)
		testkit.Near(t, c.name, got, c.want, 1e-14)
	}
}
