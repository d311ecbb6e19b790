package score

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

const metricTolerance = 1e-12

// calibrationOracle is a table of probabilities with its metrics.
type calibrationOracle struct {
	Probabilities [][]float64 `json:"probs"`
	Labels        []int       `json:"y"`
	ECE           float64     `json:"ece"`
	NLL           float64     `json:"nll"`
	Error         float64     `json:"error"`
	Bins          []struct {
		Bin, Count int
		Accuracy   float64 `json:"acc"`
		Confidence float64 `json:"conf"`
	} `json:"nonempty_bins"`
}

func TestCalibrationAgreesWithOracles(t *testing.T) {
	for _, name := range []string{"ece", "ece20"} {
		o := oracle[calibrationOracle](t, name)
		var images [][]float64
		for _, row := range o.Probabilities {
			images = append(images, logarithms(row))
		}
		cell := cellOf(images, o.Labels, 1)
		testkit.Near(t, name+": ECE", cell.ECE, o.ECE, metricTolerance)
		testkit.Near(t, name+": NLL", cell.NLL, o.NLL, metricTolerance)
		testkit.Near(t, name+": error", cell.Error, o.Error, metricTolerance)
		full := 0
		for _, want := range o.Bins {
			bin := cell.Bins[want.Bin]
			count := float64(bin.Count)
			testkit.Near(t, name+": count of a bin", bin.Count, want.Count, 0)
			testkit.Near(t, name+": accuracy of a bin", float64(bin.Correct)/count, want.Accuracy,
				metricTolerance)
			testkit.Near(t, name+": confidence of a bin", bin.Confidence/count, want.Confidence,
				metricTolerance)
			full += bin.Count
		}
		testkit.Near(t, name+": predictions in the oracle's bins", full, len(o.Labels), 0)
	}
}

func logarithms(probabilities []float64) []float64 {
	logs := make([]float64, len(probabilities))
	for i, p := range probabilities {
		logs[i] = math.Log(p)
	}
	return logs
}

// cellOf is the cell of images, each [samples, classes] of log-probabilities.
func cellOf(images [][]float64, labels []int, samples int) Cell {
	m := newMeasure(samples, len(images[0])/samples)
	for i, image := range images {
		m.add(image, labels[i])
	}
	return m.cell(Condition{Clean, 0})
}

func TestMixtureAgreesWithOracles(t *testing.T) {
	o := oracle[struct {
		Logits [][][]float64 `json:"logits_SNC"`
		Labels []int         `json:"y"`
		Mean   [][]float64   `json:"mean_probs"`
		Gibbs  float64       `json:"gibbs_nll"`
		Miss   float64       `json:"nll_miss"`

		NLL, Error, ECE, Top1, Top2, Top3 float64

		Total, Aleatoric, Epistemic []float64
	}](t, "mixture")
	images := make([][]float64, len(o.Labels))
	for i := range images {
		for _, sample := range o.Logits {
			images[i] = append(images[i], testkit.LogSoftmax(sample[i])...)
		}
		for class, l := range MeanPredictive(images[i], len(o.Mean[i])) {
			testkit.Near(t, "mean predictive", math.Exp(l), o.Mean[i][class], metricTolerance)
		}
		cell := cellOf(images[i:i+1], o.Labels[i:i+1], len(o.Logits))
		testkit.Near(t, "total entropy", cell.Total, o.Total[i], metricTolerance)
		testkit.Near(t, "aleatoric entropy", cell.Aleatoric, o.Aleatoric[i], metricTolerance)
		testkit.Near(t, "epistemic entropy", cell.Epistemic, o.Epistemic[i], metricTolerance)
	}
	cell := cellOf(images, o.Labels, len(o.Logits))
	testkit.Near(t, "NLL", cell.NLL, o.NLL, metricTolerance)
	testkit.Near(t, "Gibbs NLL", cell.GibbsNLL, o.Gibbs, metricTolerance)
	testkit.Near(t, "NLL of misses", cell.MissNLL, o.Miss, metricTolerance)
	testkit.Near(t, "error", cell.Error, o.Error, metricTolerance)
	testkit.Near(t, "top 1", 1-cell.Error, o.Top1, metricTolerance)
	testkit.Near(t, "top 2", cell.Top2, o.Top2, metricTolerance)
	testkit.Near(t, "top 3", cell.Top3, o.Top3, metricTolerance)
	testkit.Near(t, "ECE", cell.ECE, o.ECE, metricTolerance)
}

// Bins are open on the left and closed on the right; zero is in none.
func TestBinEdges(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		want       int
	}{
		{0, -1}, {1e-300, 0}, {1.0 / 15, 0}, {math.Nextafter(1.0/15, 1), 1}, {2.0 / 15, 1},
		{0.5, 7}, {1, 14}, {1 + 1e-12, 14},
	} {
		if got := binIndex(c.confidence); got != c.want {
			t.Errorf("a confidence of %v is in bin %d, want %d", c.confidence, got, c.want)
		}
	}
	for k := 1; k <= binCount; k++ {
		if edge := float64(k) / binCount; binIndex(edge) != k-1 {
			t.Errorf("the edge %d/15 is in bin %d, want %d", k, binIndex(edge), k-1)
		}
	}
}

// The Brier score of a sure prediction is 0 or 2, of a uniform one 1 - 1/classes.
func TestBrier(t *testing.T) {
	for _, c := range []struct {
		probabilities []float64
		want          float64
	}{
		{[]float64{1, 0, 0, 0}, 0}, {[]float64{0, 1, 0, 0}, 2}, {[]float64{0.25, 0.25, 0.25, 0.25},
			0.75},
	} {
		testkit.Near(t, "Brier score", brier(logarithms(c.probabilities), 0), c.want,
			metricTolerance)
	}
}

func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Summary
	}{
		{nil, Summary{}},
		{[]float64{3}, Summary{Mean: 3, N: 1}},
		{[]float64{1, 3}, Summary{Mean: 2, Std: math.Sqrt2, N: 2}},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, Summary{Mean: 5, Std: math.Sqrt(32.0 / 7), N: 8}},
	} {
		got := Summarise(c.values)
		testkit.Near(t, "mean", got.Mean, c.want.Mean, 1e-12)
		testkit.Near(t, "standard deviation", got.Std, c.want.Std, 1e-12)
		testkit.Near(t, "number", got.N, c.want.N, 0)
	}
	for n, want := range map[int]string{1: `{"mean":2,"std":null,"n":1}`,
		2: `{"mean":2,"std":0,"n":2}`} {
		if got := string(testkit.Must(json.Marshal(Summary{Mean: 2, N: n}))(t)); got != want {
			t.Errorf("%d values are %s, want %s", n, got, want)
		}
	}
}
