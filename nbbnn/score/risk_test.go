package score

import (
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Six predictions, in two adaptive bins of three.
var sixOutcomes = []Outcome{{0.9, true}, {0.5, false}, {0.8, true}, {0.6, true}, {0.7, false}, {0.4, false}}

func TestRiskCoverage(t *testing.T) {
	points := testkit.Must(RiskCoverage(sixOutcomes))(t)
	want := []RiskPoint{{1. / 6, 0}, {2. / 6, 0}, {3. / 6, 1. / 3}, {4. / 6, 1. / 4}, {5. / 6, 2. / 5}, {1, 0.5}}
	for i := range want {
		near(t, "coverage", points[i].Coverage, want[i].Coverage, metricTolerance)
		near(t, "risk", points[i].Risk, want[i].Risk, metricTolerance)
	}
	near(t, "area", AreaUnderRisk(points), (1./3+1./4+2./5+1./2)/6, metricTolerance)
	equal, err := RiskCoverage([]Outcome{{0.5, true}, {0.5, false}, {0.5, false}, {0.5, true}})
	if err != nil || len(equal) != 1 || equal[0] != (RiskPoint{1, 0.5}) {
		t.Errorf("equal confidences give %v, want one point of coverage 1 and risk 0.5", equal)
	}
	if none, err := RiskCoverage(nil); none != nil || err != nil {
		t.Errorf("no outcomes give %v", none)
	}
}

// The bins of the diagram give the ECE back.
func TestReliabilityGivesTheECE(t *testing.T) {
	var bins Bins
	for _, o := range sixOutcomes {
		bins.Add(o.Confidence, o.Correct)
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
	near(t, "ECE", sum/float64(total), bins.ECE(len(sixOutcomes)), metricTolerance)
}

// S copies of one sample score what the one sample scores, and nothing epistemic.
func TestCopiesOfOneSampleChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	var once, often [][]float64
	var labels []int
	for range 50 {
		logits := make([]float64, 5)
		for c := range logits {
			logits[c] = 2 * random.NormFloat64()
		}
		image := logSoftmax(logits)
		once = append(once, image)
		copies := append(append(append([]float64{}, image...), image...), image...)
		often = append(often, copies)
		labels = append(labels, random.IntN(5))
	}
	one, three := measure(t, once, labels, 1).Cell(Clean, 0), measure(t, often, labels, 3).Cell(Clean, 0)
	for i, want := range one.metrics() {
		near(t, metricColumns()[i], *three.metrics()[i], *want, metricTolerance)
	}
	near(t, "epistemic entropy", three.Epistemic, 0.0, metricTolerance)
	near(t, "top-1", one.Top1(), 1-one.Error, 0)
}

// tableOutcomes are 200 outcomes with 101 different confidences.
func tableOutcomes() []Outcome {
	outcomes := make([]Outcome, 200)
	for i := range outcomes {
		confidence := float64(i*37%101+50) / 160
		outcomes[i] = Outcome{confidence, float64(i*53%97)/97 < 0.35+0.5*confidence}
	}
	return outcomes
}

// The area of the table is that of scikit-learn 1.9.1, sklearn.metrics.auc of the coverages and the
// shares of answered and wrong images at all thresholds, ties together.
func TestAUGRC(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcomes []Outcome
		want     float64
	}{
		{"the table", tableOutcomes(), 0.120525},
		{"none", nil, 0},
		{"all right", []Outcome{{0.5, true}, {0.9, true}}, 0},
		{"all wrong", []Outcome{{0.5, false}, {0.9, false}}, 0.5},
		{"perfect order", []Outcome{{0.9, true}, {0.5, false}}, 0.125},                    // e^2 / 2
		{"the wrong order", []Outcome{{0.5, true}, {0.9, false}}, 0.375},                  // e (1 - e) + e^2 / 2
		{"no information", []Outcome{{0.5, true}, {0.5, false}, {0.5, true}}, 1. / 3 / 2}, // e / 2
	} {
		got := testkit.Must(AUGRC(c.outcomes))(t)
		near(t, c.name, got, c.want, 1e-14)
	}
}

// AUGRC follows from the error and the AUROC of the confidence between right and wrong answers, and
// is the same after a monotone transform.
func TestAUGRCFollowsFromAUROC(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		outcomes := []Outcome{{0.5, true}, {0.5, false}}
		for range rng.IntN(40) {
			outcomes = append(outcomes, Outcome{float64(rng.IntN(9)) / 9, rng.IntN(3) > 0})
		}
		var right, wrong []float64
		for _, o := range outcomes {
			if o.Correct {
				right = append(right, -o.Confidence)
			} else {
				wrong = append(wrong, -o.Confidence)
			}
		}
		area := testkit.Must(AUROC(right, wrong))(t)
		e := float64(len(wrong)) / float64(len(outcomes))
		value := augrc(outcomes)
		near(t, "AUGRC", value, (1-area)*e*(1-e)+e*e/2, 1e-12)
		for i := range outcomes {
			outcomes[i].Confidence *= outcomes[i].Confidence
		}
		near(t, "AUGRC after a monotone transform", augrc(outcomes), value, 0)
	}
}
