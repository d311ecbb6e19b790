package score

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/corrupt"
)

// Clean is the name of no corruption, severity 0.
const Clean = "clean"

// Cell holds the metrics of a run under one corruption at one severity. Entropies and likelihoods
// are means over the images, in nats.
type Cell struct {
	Corruption string `json:"corruption"` // Clean at severity 0
	Severity   int    `json:"severity"`   // 1 to 5, or 0
	Images     int    `json:"images"`
	Samples    int    `json:"samples"` // Monte-Carlo samples of the posterior for each image

	NLL      float64 `json:"nll"`       // negative log-likelihood of the mean predictive
	Error    float64 `json:"error"`     // fraction of the images whose likeliest class is wrong
	ECE      float64 `json:"ece"`       // expected calibration error, 15 bins, 0 to 1
	GibbsNLL float64 `json:"gibbs_nll"` // mean over the samples of their negative log-likelihoods
	Brier    float64 `json:"brier"`     // squared distance between probabilities and truth, 0 to 2
	// NLL of the images whose likeliest class is wrong; 0 if there are none
	MissNLL float64 `json:"miss_nll"`
	// fraction of the images whose class is among the two likeliest
	Top2      float64 `json:"top2"`
	Top3      float64 `json:"top3"`      // among the three likeliest
	Total     float64 `json:"total"`     // entropy of the mean predictive
	Aleatoric float64 `json:"aleatoric"` // mean over the samples of their entropies
	Epistemic float64 `json:"epistemic"` // Total - Aleatoric

	// Temperature is ScaledNLL's, fitted to held-out clean images, and ScaledNLL the NLL of
	// softmax(log p / Temperature), where p is the mean predictive: see FitTemperature. If no image
	// was held out, it's fitted only to the images at even places, and OddTemperature to the
	// others: see Prediction.CrossFitTemperatures. Temperature is 0 if ScaledNLL wasn't measured,
	// as in some committed records.
	Temperature    float64 `json:"temperature,omitempty" group:"1"`
	ScaledNLL      float64 `json:"nll_t,omitempty" group:"1"`
	OddTemperature float64 `json:"temperature_odd,omitempty" group:"2"`

	// Further holds metrics that cells of some committed records lack; nil in such a cell.
	Further *Further `json:"further,omitempty" group:"3"`
	// Sets holds prediction sets whose threshold is fitted to the same images as the temperature;
	// nil if it wasn't measured.
	Sets *ConformalSets `json:"aps,omitempty" group:"4" prefix:"aps_"`

	// registered metrics by their names; metrics.csv keeps them
	Custom map[string]float64 `json:"custom,omitempty"`
	// from which ECE was computed; bins.csv keeps them
	Bins Bins `json:"-"`
}

// Further holds metrics of the images of a cell together, 0 to 1; smaller is better.
type Further struct {
	// area under the generalised risk coverage curve (Traub et al. 2024), 0 to 0.5
	AUGRC        float64 `json:"augrc"`
	ClasswiseECE float64 `json:"classwise_ece"` // with 15 bins (Kull et al. 2019)
	SmoothECE    float64 `json:"smooth_ece"`    // without bins (Blasiok and Nakkiran 2023)
}

// ConformalSets holds the adaptive prediction sets of a cell at alpha = SetLevel, see APSThreshold.
type ConformalSets struct {
	Randomised PredictionSets `json:"randomised"` // as published
}

// Condition is a corruption and its severity.
type Condition struct {
	Corruption string // Clean at severity 0
	Severity   int    // 1 to 5, or 0
}

// Condition returns the test condition of the cell.
func (c Cell) Condition() Condition { return Condition{c.Corruption, c.Severity} }

// Conditions lists the conditions of a suite: the clean images, then each corruption with its
// severities.
func Conditions(suite corrupt.Suite) []Condition {
	conditions := []Condition{{Clean, 0}}
	for _, corruption := range suite.Corruptions {
		for severity := 1; severity < LevelCount; severity++ {
			conditions = append(conditions, Condition{corruption, severity})
		}
	}
	return conditions
}

// Cells holds the cells of one evaluation: the clean one, then each corruption with its five
// severities.
type Cells []Cell

// Of returns the cells of a suite, the clean one first, in the suite's order. A cell that is
// missing is an error.
func (c Cells) Of(suite string) (Cells, error) {
	chosen, err := corrupt.SuiteByName(suite)
	if err != nil {
		return nil, err
	}
	found := map[Condition]Cell{}
	for _, cell := range c {
		found[cell.Condition()] = cell
	}
	var part Cells
	for _, s := range Conditions(chosen) {
		cell, ok := found[s]
		if !ok {
			return nil, fmt.Errorf("score: the cell %s %d of %s is missing: evaluate with that "+
				"suite or a larger one", s.Corruption, s.Severity, suite)
		}
		part = append(part, cell)
	}
	return part, nil
}

// measure collects the metrics of METHOD.md 3.5 over images, one after the other, in float64.
type measure struct {
	samples, classes int
	images, wrong    int
	top2, top3       int
	sums             struct{ nll, gibbs, missNLL, brier, total, aleatoric float64 }
	bins             Bins
	gaps             classGaps
	outcomes         []outcome
}

// newMeasure returns a measure of predictions with the given numbers of Monte-Carlo samples and
// classes.
func newMeasure(samples, classes int) *measure {
	return &measure{samples: samples, classes: classes, gaps: make(classGaps, classes)}
}

// add adds one image with its log-probabilities, [samples, classes], and its label.
func (m *measure) add(logProbabilities []float64, label int) {
	mean := MeanPredictive(logProbabilities, m.classes) // [classes], logarithms
	best, rank := floats.MaxIdx(mean), rankOf(mean, label)
	m.images++
	m.sums.nll -= mean[label]
	m.sums.brier += brier(mean, label)
	m.sums.total += entropy(mean)
	m.bins.Add(math.Exp(mean[best]), best == label)
	m.gaps.add(mean, label)
	m.outcomes = append(m.outcomes, outcome{math.Exp(mean[best]), best == label})
	if best != label {
		m.wrong++
		m.sums.missNLL -= mean[label]
	}
	if rank < 2 {
		m.top2++
	}
	if rank < 3 {
		m.top3++
	}
	for s := 0; s < len(logProbabilities); s += m.classes {
		sample := logProbabilities[s:][:m.classes]
		m.sums.gibbs -= sample[label] / float64(m.samples)
		m.sums.aleatoric += entropy(sample) / float64(m.samples)
	}
}

// cell returns the metrics of the images that were added.
func (m *measure) cell(c Condition) Cell {
	images := float64(max(1, m.images))
	return Cell{
		Corruption: c.Corruption,
		Severity:   c.Severity,
		Images:     m.images,
		Samples:    m.samples,
		NLL:        m.sums.nll / images,
		Error:      float64(m.wrong) / images,
		ECE:        m.bins.ECE(m.images),
		GibbsNLL:   m.sums.gibbs / images,
		Brier:      m.sums.brier / images,
		MissNLL:    m.sums.missNLL / float64(max(1, m.wrong)),
		Top2:       float64(m.top2) / images,
		Top3:       float64(m.top3) / images,
		Total:      m.sums.total / images,
		Aleatoric:  m.sums.aleatoric / images,
		Epistemic:  (m.sums.total - m.sums.aleatoric) / images,
		Bins:       m.bins,
		Further:    m.further(),
	}
}

// further returns the metrics that need all images together.
func (m *measure) further() *Further {
	if m.images == 0 {
		return &Further{}
	}
	return &Further{augrc(m.outcomes), m.gaps.error(m.images), smoothECE(m.outcomes)}
}
