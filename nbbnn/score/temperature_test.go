package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/testkit"
)

// singleSample makes a prediction of one sample from logits, [images][classes].
func singleSample(logits ...[]float64) Prediction {
	p := Prediction{Images: len(logits), Samples: 1, Classes: len(logits[0])}
	for _, image := range logits {
		for _, l := range testkit.LogSoftmax(image) {
			p.LogProbabilities = append(p.LogProbabilities, float32(l))
		}
	}
	return p
}

// Images of two classes that are all predicted with the same confidence c, of which the share a is
// right, have their best temperature where the confidence is a: logit(c) / logit(a).
func TestTemperatureOfEqualConfidences(t *testing.T) {
	for _, c := range []struct {
		logit        float64 // of the likelier class over the other
		right, wrong int
	}{{3, 7, 3}, {0.5, 9, 1}, {2, 88, 12}, {8, 2, 1}} {
		var logits [][]float64
		var labels []uint8
		for i := range c.right + c.wrong {
			logits = append(logits, []float64{c.logit, 0})
			labels = append(labels, map[bool]uint8{true: 0, false: 1}[i < c.right])
		}
		p := singleSample(logits...)
		got := testkit.Must(FitTemperature(p, labels))(t)
		testkit.Near(t, "temperature", got, c.logit/math.Log(float64(c.right)/float64(c.wrong)),
			1e-5)
		share := float64(c.right) / float64(c.right+c.wrong)
		scaled := testkit.Must(p.scaledNLL(labels, one(got)))(t)
		testkit.Near(t, "NLL there", scaled, -share*math.Log(share)-(1-share)*math.Log(1-share),
			1e-9)
	}
}

// noisyPrediction has several samples of images whose labels agree with the logits now and then.
func noisyPrediction(seed uint64, images, samples, classes int, sharpness float64) (p Prediction,
	labels []uint8) {
	random := rand.New(rand.NewPCG(seed, 1))
	p = Prediction{Images: images, Samples: samples, Classes: classes}
	for range images {
		centre := make([]float64, classes)
		for class := range centre {
			centre[class] = sharpness * random.NormFloat64()
		}
		for range samples {
			sample := make([]float64, classes)
			for class := range sample {
				sample[class] = centre[class] + random.NormFloat64()
			}
			for _, l := range testkit.LogSoftmax(sample) {
				p.LogProbabilities = append(p.LogProbabilities, float32(l))
			}
		}
		label := floats.MaxIdx(centre)
		if random.Float64() < 0.4 {
			label = random.IntN(classes)
		}
		labels = append(labels, uint8(label))
	}
	return p, labels
}

// No temperature of a fine grid has a lower likelihood than the fitted one.
func TestTemperatureIsTheBestOfAGrid(t *testing.T) {
	for seed, sharpness := range []float64{0.5, 2, 6, 20} {
		p, labels := noisyPrediction(uint64(seed), 60, 3, 5, sharpness)
		fitted := testkit.Must(FitTemperature(p, labels))(t)
		least := testkit.Must(p.scaledNLL(labels, one(fitted)))(t)
		const step = 0.002 // of log T
		best, at := math.Inf(1), 0.0
		for logT := math.Log(minTemperature); logT <= math.Log(MaxTemperature); logT += step {
			nll := testkit.Must(p.scaledNLL(labels, one(math.Exp(logT))))(t)
			if nll < best {
				best, at = nll, logT
			}
		}
		if least > best+1e-12 {
			t.Errorf("sharpness %g: NLL %.12g at the fitted temperature, %.12g on the grid",
				sharpness, least, best)
		}
		testkit.Near(t, "log T", math.Log(fitted), at, step)
	}
}

// Each half of the images is scaled by the temperature that is fitted to the other.
func TestCrossFittedTemperatures(t *testing.T) {
	p, labels := noisyPrediction(5, 41, 3, 5, 4)
	halves, own := make([]Prediction, 2), make([][]uint8, 2)
	for i, label := range labels {
		half := &halves[i%2]
		half.Images, half.Samples, half.Classes = half.Images+1, p.Samples, p.Classes
		half.LogProbabilities = append(half.LogProbabilities, p.Image(i)...)
		own[i%2] = append(own[i%2], label)
	}
	even, odd := testkit.Must(FitTemperature(halves[1], own[1]))(t),
		testkit.Must(FitTemperature(halves[0], own[0]))(t)
	gotEven, gotOdd, err := p.CrossFitTemperatures(labels)
	if err != nil || gotEven != even || gotOdd != odd || even == odd {
		t.Errorf("temperatures %v and %v (%v), want %v and %v", gotEven, gotOdd, err, even, odd)
	}
	cell := testkit.Must(p.Scaled(Cell{Temperature: even, OddTemperature: odd}, labels))(t)
	want := (21*testkit.Must(halves[0].scaledNLL(own[0], one(even)))(t) +
		20*testkit.Must(halves[1].scaledNLL(own[1], one(odd)))(t)) / 41
	testkit.Near(t, "scaled NLL", cell.ScaledNLL, want, 1e-12)
}

// At T = 1 the metric is the NLL of the mean predictive, as a cell has it.
func TestScaledNLLAtOneIsTheNLL(t *testing.T) {
	p, labels := noisyPrediction(3, 20, 4, 6, 2)
	cell := testkit.Must(p.Cell(Condition{Clean, 0}, labels))(t)
	got := testkit.Must(p.scaledNLL(labels, one(1)))(t)
	// float32 probabilities add up to 1 +- 1e-7
	testkit.Near(t, "scaled NLL at T = 1", got, cell.NLL, 1e-7)
}

func TestTemperatureStaysInItsBounds(t *testing.T) {
	impossible := singleSample([]float64{3, 0}, []float64{3, 0})
	impossible.LogProbabilities[0], impossible.LogProbabilities[1] = 0, float32(math.Inf(-1))
	for _, c := range []struct {
		name   string
		p      Prediction
		labels []uint8
		want   float64
	}{
		{"all right", singleSample([]float64{3, 0}, []float64{0, 1}), []uint8{0, 1}, 1},
		{"all wrong", singleSample([]float64{3, 0}, []float64{0, 1}), []uint8{1, 0},
			MaxTemperature},
		{"no preference", singleSample([]float64{0, 0}), []uint8{1}, 1},
		{"right and certain", of([]float64{1, 0}, []float64{1, 0}), []uint8{0, 0}, 1},
		{"a label of probability 0", impossible, []uint8{1, 0}, MaxTemperature},
	} {
		got, err := FitTemperature(c.p, c.labels)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		testkit.Near(t, c.name, got, c.want, 1e-12)
	}
}

func TestTemperatureRefuses(t *testing.T) {
	_, err := FitTemperature(Prediction{Samples: 1, Classes: 2}, nil)
	checkError(t, "nothing", err, "0 images")
	_, _, err = singleSample([]float64{3, 0}).CrossFitTemperatures([]uint8{0})
	checkError(t, "half of one image", err, "halves of 1 images")
	for _, temperature := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := twoImages().scaledNLL(savedLabels, one(temperature))
		checkError(t, "temperature", err, "give a positive number")
	}
}

// scaledCells are randomCells with a temperature.
func scaledCells(t *testing.T) Cells {
	cells := randomCells(t)
	for i := range cells {
		cells[i].Temperature, cells[i].ScaledNLL = 1.0/3+1, cells[i].NLL*0.9
	}
	return cells
}

// The levels, tables and summaries have the metric if all cells do.
func TestScaledLevels(t *testing.T) {
	cells := scaledCells(t)
	levels, err := cells.Levels()
	if err != nil || levels.ScaledNLL == nil {
		t.Fatalf("levels %+v (%v), want a scaled NLL", levels, err)
	}
	testkit.Near(t, "scaled NLL at level 3", levels.ScaledNLL[3], 0.9*levels.NLL[3], 1e-12)
	table, err := summariseLevels("fog,snow", cells, cells)
	if err != nil || table.ScaledNLL == nil {
		t.Fatalf("table %+v (%v), want a scaled NLL", table, err)
	}
	testkit.Near(t, "its mean over runs", table.ScaledNLL[3].Mean, 0.9*levels.NLL[3], 1e-12)
	summaries := testkit.Must(summariseCells("fog,snow", cells, cells))(t)
	testkit.Near(t, "in a cell", summaries[2].Metrics["nll_t"].Mean, cells[2].ScaledNLL, 1e-12)

	cells[5] = randomCells(t)[5]
	if levels, err = cells.Levels(); err != nil || levels.ScaledNLL != nil {
		t.Errorf("levels have a scaled NLL without that of one cell (%v)", err)
	}
	metric, err := MetricByName("nll_t")
	if err != nil || metric.Name != "ScaledNLL" || metric.Label() != "scaled NLL (nats)" {
		t.Fatalf("metric is %+v (%v)", metric, err)
	}
	for i := range cells {
		cells[i].Images = 100
	}
	_, err = metric.Levels(cells)
	checkError(t, "a cell without it", err, "ScaledNLL isn't measured at level 5: "+
		"`nbbnn evaluate` with another --evaluation-seed")
}

// A probability that float32 rounds to 0 has its logarithm.
func TestSavedMeanOfATinyProbability(t *testing.T) {
	p := Prediction{Images: 1, Samples: 1, Classes: 2, LogProbabilities: []float32{0, -400}}
	s := testkit.Must(newSaved(SavedInfo{}, p, []uint8{1}, []int{0}, false))(t)
	cell := testkit.Must(s.Cell())(t)
	testkit.Near(t, "NLL", cell.NLL, 400, 1e-5)
}

// one is one temperature for all places.
func one(temperature float64) [2]float64 { return [2]float64{temperature, temperature} }
