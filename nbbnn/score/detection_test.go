package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// uncertaintyTable has ties within and across the two sets.
var uncertaintyTable = struct{ inside, outside []float64 }{
	[]float64{0, 10, 3, 10, 0, 4, 22, 23, 7, 5, 17, 12, 21, 13, 19, 8, 11, 28, 28, 11, 8, 19, 13,
		21},
	[]float64{4, 20, 9, 8, 17, 36, 28, 30, 5, 27, 22, 27, 5, 30, 28, 36, 17},
}

// The values are those of scikit-learn 1.9.1: roc_auc_score with the images from outside as
// positives, and roc_curve of minus the uncertainty with the images from inside as positives, at
// its first point whose true positive rate is large enough.
func TestDetectionEqualsScikitLearn(t *testing.T) {
	table := uncertaintyTable
	area := testkit.Must(auroc(table.inside, table.outside))(t)
	testkit.Near(t, "AUROC", area, 0.6936274509803922, 1e-15)
	for _, c := range []struct{ tpr, want float64 }{
		{0.5, 0.29411764705882354}, {0.8, 0.47058823529411764}, {0.95, 0.7647058823529411},
		{1, 0.7647058823529411},
	} {
		rate := testkit.Must(fpr(table.inside, table.outside, c.tpr))(t)
		testkit.Near(t, "FPR", rate, c.want, 1e-15)
	}
}

// AUROC is the mean over all pairs.
func TestAUROCOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		inside, outside := make([]float64, 1+rng.IntN(30)), make([]float64, 1+rng.IntN(30))
		for i := range inside {
			inside[i] = float64(rng.IntN(12))
		}
		for i := range outside {
			outside[i] = float64(rng.IntN(12)) + 2
		}
		pairs := 0.0
		for _, in := range inside {
			for _, out := range outside {
				switch {
				case out > in:
					pairs++
				case out == in:
					pairs += 0.5
				}
			}
		}
		area := testkit.Must(auroc(inside, outside))(t)
		testkit.Near(t, "AUROC", area, pairs/float64(len(inside)*len(outside)), 1e-12)
	}
}

// 20 of 20 images are 100 %, 19 are 95 %: the threshold is the 19th, in spite of rounding.
func TestThresholdCountsExactly(t *testing.T) {
	for _, c := range []struct {
		share       float64
		count, want int
	}{{0.95, 20, 19}, {0.95, 100, 95}, {0.9, 10, 9}, {0.95, 10, 10}, {0.95, 1, 1}, {1, 7, 7},
		{0.01, 3, 1}} {
		if got := atLeast(c.share, c.count); got != c.want {
			t.Errorf("at least %g of %d are %d, want %d", c.share, c.count, got, c.want)
		}
	}
}

// Inside, both samples agree on (0.9, 0.1). Outside, they are (1, 0) and (0, 1): their mean has the
// entropy ln 2, all of it mutual information.
func TestDetectByHand(t *testing.T) {
	sure := []float32{float32(math.Log(0.9)), float32(math.Log(0.1))}
	none := float32(math.Inf(-1))
	inside := Prediction{1, 2, 2, append(sure, sure...)}
	outside := Prediction{1, 2, 2, []float32{0, none, none, 0}}
	in, out := uncertainties(inside), uncertainties(outside)
	for k, c := range []struct{ inside, outside float64 }{
		{-math.Log(0.9), math.Ln2},
		{-0.9*math.Log(0.9) - 0.1*math.Log(0.1), math.Ln2},
		{0, math.Ln2},
	} {
		testkit.Near(t, "uncertainty inside", in[k][0], c.inside, 1e-7)
		testkit.Near(t, "uncertainty outside", out[k][0], c.outside, 1e-7)
	}
	found, err := Detect(inside, outside)
	if err != nil || len(found) != 3 {
		t.Fatalf("%v, error %v, want three detections", found, err)
	}
	for _, d := range found {
		testkit.Near(t, d.Uncertainty+": AUROC", d.AUROC, 1.0, 0)
		testkit.Near(t, d.Uncertainty+": FPR95", d.FPR95, 0.0, 0)
	}
	single := Prediction{1, 1, 2, sure}
	if found, err = Detect(single, single); err != nil || len(found) != 2 ||
		found[0].AUROC != 0.5 || found[1].FPR95 != 1 {
		t.Errorf("%v, error %v, want two detections by chance", found, err)
	}
}

func TestDetectionRefuses(t *testing.T) {
	one, nan := []float64{1}, []float64{math.NaN()}
	_, err := auroc(nil, one)
	checkError(t, "no image inside", err, "0 images from inside and 1 from outside")
	_, err = fpr(one, nan, 0.95)
	checkError(t, "not a number", err, "isn't a number")
	for _, tpr := range []float64{0, 1.5, math.NaN()} {
		_, err = fpr(one, one, tpr)
		checkError(t, "rate", err, "for example 0.95")
	}
	_, err = Detect(Prediction{1, 2, 2, make([]float32, 4)},
		Prediction{1, 1, 2, make([]float32, 2)})
	checkError(t, "other samples", err, "the same number of samples")
}
