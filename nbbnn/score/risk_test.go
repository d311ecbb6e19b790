package score

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Six predictions, in two adaptive bins of three.
var sixOutcomes = []outcome{{0.9, true}, {0.5, false}, {0.8, true}, {0.6, true}, {0.7, false},
	{0.4, false}}

func TestRiskCoverage(t *testing.T) {
	points := riskCoverage(sixOutcomes)
	want := []RiskPoint{{1. / 6, 0}, {2. / 6, 0}, {3. / 6, 1. / 3}, {4. / 6, 1. / 4},
		{5. / 6, 2. / 5}, {1, 0.5}}
	for i := range want {
		testkit.Near(t, "coverage", points[i].Coverage, want[i].Coverage, metricTolerance)
		testkit.Near(t, "risk", points[i].Risk, want[i].Risk, metricTolerance)
	}
	equal := riskCoverage([]outcome{{0.5, true}, {0.5, false}, {0.5, false}, {0.5, true}})
	if len(equal) != 1 || equal[0] != (RiskPoint{1, 0.5}) {
		t.Errorf("equal confidences give %v, want one point of coverage 1 and risk 0.5", equal)
	}
	if none := riskCoverage(nil); none != nil {
		t.Errorf("no outcomes give %v", none)
	}
}

// The bins of the diagram give the ECE back.
func TestReliabilityGivesTheECE(t *testing.T) {
	var bins Bins
	for _, o := range sixOutcomes {
		bins.Add(o.confidence, o.correct)
	}
	sum, total := 0.0, 0
	for i, p := range bins.Reliability() {
		if p.Accuracy > p.Confidence {
			sum += (p.Accuracy - p.Confidence) * float64(p.Count)
		} else {
			sum += (p.Confidence - p.Accuracy) * float64(p.Count)
		}
		total += p.Count
		if i > 0 && p.Confidence <= bins.Reliability()[i-1].Confidence {
			t.Error("the points aren't in rising order")
		}
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
