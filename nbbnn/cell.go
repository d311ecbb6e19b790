package nbbnn

// Clean is what cells call the corruption of severity 0, none.
const Clean = "clean"

// Cell is what a run scored on the test images under one corruption at one severity. Entropies and likelihoods are means
// over the images, in nats.
type Cell struct {
	Corruption string `json:"corruption"` // Clean at severity 0
	Severity   int    `json:"severity"`   // 1 to 5, or 0
	Images     int    `json:"images"`
	Samples    int    `json:"samples"` // Monte-Carlo samples of the posterior for each image

	NLL       float64 `json:"nll"`       // negative log-likelihood of the mean predictive
	Error     float64 `json:"error"`     // fraction of the images whose likeliest class is wrong
	ECE       float64 `json:"ece"`       // expected calibration error, 15 bins, 0 to 1
	GibbsNLL  float64 `json:"gibbs_nll"` // mean over the samples of their negative log-likelihoods
	Brier     float64 `json:"brier"`     // squared distance between probabilities and truth, 0 to 2
	MissNLL   float64 `json:"miss_nll"`  // NLL of the images whose likeliest class is wrong; 0 if there are none
	Top2      float64 `json:"top2"`      // fraction of the images whose class is among the two likeliest
	Top3      float64 `json:"top3"`      // among the three likeliest
	Total     float64 `json:"total"`     // entropy of the mean predictive
	Aleatoric float64 `json:"aleatoric"` // mean over the samples of their entropies
	Epistemic float64 `json:"epistemic"` // Total - Aleatoric

	Bins Bins `json:"-"` // what ECE was computed from; bins.csv keeps them
}

// Top1 is the accuracy, the fraction of the images whose class is the likeliest.
func (c Cell) Top1() float64 { return 1 - c.Error }

// Cells are the cells of one evaluation: the clean one, then each corruption with its five severities.
type Cells []Cell

// Cell returns the metrics of what has been added.
func (m *Measure) Cell(corruption string, severity int) Cell {
	images := float64(max(1, m.images))
	return Cell{
		Corruption: corruption,
		Severity:   severity,
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
	}
}
