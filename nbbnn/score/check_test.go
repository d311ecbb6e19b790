package score

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// of returns a prediction of one sample from rows of probabilities.
func of(rows ...[]float64) Prediction {
	p := Prediction{Images: len(rows), Samples: 1, Classes: len(rows[0])}
	for _, row := range rows {
		for _, probability := range row {
			p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(probability)))
		}
	}
	return p
}

// exported calls every exported function of predictions, with and without labels.
func exported(p Prediction, labels []uint8) map[string]error {
	errs := map[string]error{}
	_, errs["Cell"] = p.Cell(Condition{"fog", 1}, labels)
	_, errs["Scaled"] = p.Scaled(Cell{Temperature: 1}, labels)
	_, _, errs["RiskCoverage"] = p.RiskCoverage(labels)
	_, errs["FitTemperature"] = FitTemperature(p, labels)
	_, _, errs["CrossFitTemperatures"] = p.CrossFitTemperatures(labels)
	_, errs["APSThreshold"] = APSThreshold(p, labels, 0.1, nil)
	_, errs["MeasureSets"] = MeasureSets(p, labels, 1, nil)
	_, errs["MeanOverImages"] = MeanOverImages(func([]float64, int) float64 { return 1 })(p, labels)
	_, errs["newSaved"] = newSaved(SavedInfo{}, p, labels, make([]int, p.Images), true)
	return errs
}

func TestExportedFunctionsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		p      Prediction
		labels []uint8
		want   string
	}{
		{"not a number", of([]float64{nan, 0.5}, []float64{0.5, 0.5}), []uint8{0, 1},
			"isn't a number"},
		{"infinite", of([]float64{inf, 0.5}, []float64{0.5, 0.5}), []uint8{0, 1},
			"add up to +Inf, not to 1"},
		{"a sum of 4", of([]float64{0.5, 0.5}, []float64{3, 1}), []uint8{0, 1},
			"add up to 4, not to 1"},
		{"logits", of([]float64{0.1, 0.1}), []uint8{0}, "add up to 0.2, not to 1"},
		{"a row of nothing", of([]float64{0, 0}), []uint8{0}, "add up to 0, not to 1"},
		{"a label that is no class", of([]float64{0.25, 0.25, 0.25, 0.25}), []uint8{4},
			"label 4 in 4 classes"},
		{"labels of other images", of([]float64{0.5, 0.5}), []uint8{0, 1},
			"2 labels for 1 predicted images"},
		{"one class", of([]float64{1}), []uint8{0}, "classes can't be measured: give at least 1"},
		{"no samples", Prediction{Images: 1, Classes: 2}, []uint8{0},
			"classes can't be measured: give at least 1"},
		{"too short", Prediction{2, 1, 2, make([]float32, 2)}, []uint8{0, 1},
			"2 log-probabilities for 2 images"},
	} {
		for function, err := range exported(c.p, c.labels) {
			checkError(t, c.name+": "+function, err, c.want)
		}
		if c.labels[0] == 4 || len(c.labels) != c.p.Images {
			continue
		}
		_, err := apsSets(c.p, 1, nil)
		checkError(t, c.name+": APSSets", err, c.want)
		_, err = Detect(c.p, c.p)
		checkError(t, c.name+": Detect", err, c.want)
	}
}

func TestConfidencesWithoutProbabilityAreInNoBin(t *testing.T) {
	for _, confidence := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.1, 1.1} {
		var bins Bins
		bins.Add(confidence, true)
		testkit.Near(t, "predictions in bins", bins.Count(), 0, 0)
	}
}

func TestNoPredictionsCannotBeJoined(t *testing.T) {
	_, err := JoinPredictions()
	checkError(t, "none", err, "0 predictions")
	_, err = JoinPredictions(Prediction{Images: 1, Samples: 1, Classes: 2})
	checkError(t, "too short", err, "0 log-probabilities for 1 images")
	_, err = apsSets(of([]float64{0.5, 0.5}), math.NaN(), nil)
	checkError(t, "threshold", err, "threshold NaN")
	_, err = apsSets(of([]float64{0.5, 0.5}), 1, []float64{math.NaN()})
	checkError(t, "uniforms", err, "uniform number NaN")
	if got := StudentQuantile(0, 0.95); !math.IsNaN(got) {
		t.Errorf("the quantile without degrees of freedom is %g, want NaN", got)
	}
	testkit.Near(t, "the quantile of two degrees of freedom", StudentQuantile(2, 0.95), 4.302653,
		1e-6)
}

// Whatever the bits, no function panics or hangs, and what it returns without an error is finite
// but for likelihoods of classes with probability 0.
func FuzzExportedFunctions(f *testing.F) {
	bits := func(values ...float32) (data []byte) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		return data
	}
	half, nan, inf := float32(math.Log(0.5)), float32(math.NaN()), float32(math.Inf(1))
	for _, seed := range [][]byte{nil, bits(half, half), bits(half, half, half, half),
		bits(nan, half), bits(inf, -inf), bits(0, -inf, -inf, 0), bits(0)} {
		f.Add(seed, uint8(1), uint8(2), uint8(0))
	}
	f.Add(bits(half, half), uint8(1), uint8(1), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, samples, classes, label uint8) {
		p := Prediction{Samples: int(samples), Classes: int(classes)}
		for ; len(data) >= 4; data = data[4:] {
			p.LogProbabilities = append(p.LogProbabilities,
				math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		p.Images = len(p.LogProbabilities) / max(1, p.Samples*p.Classes)
		labels := slices.Repeat([]uint8{label}, p.Images)
		exported(p, labels)
		cell, err := p.Cell(Condition{Clean, 0}, labels)
		if err != nil {
			return
		}
		for name, value := range map[string]float64{
			"error": cell.Error, "ECE": cell.ECE, "AUGRC": cell.Further.AUGRC,
			"classwise ECE": cell.Further.ClasswiseECE, "smooth ECE": cell.Further.SmoothECE,
		} {
			if !(value >= 0 && value <= 1+2*sumTolerance) {
				t.Errorf("%s is %g, want 0 to 1", name, value)
			}
		}
		Detect(p, p)
	})
}
