package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure03 is Figure 3 of the paper: All-CNN-C on CIFAR-10, started with a posterior standard deviation of 0.16 (M16) and of
// 0.32 (M32). On the left the entropy of q(Z) over training, on the right the negative log-likelihood at each corruption level.
var Figure03 = Figure{
	Number:    3,
	Title:     "A posterior with a higher entropy is more robust to corruption",
	Methods:   []Method{M(0.16), M(0.32)},
	Setup:     allCNNC,
	Published: figure03Published,
	Layout:    figure03Layout,
	Claims: []Claim{
		{Text: "entropy of M16 and M32 falls in every epoch", Check: entropyFalls},
		{Text: "entropy of M32 is above M16 throughout", Check: entropyStaysAbove},
		{Text: "NLL of M32 is below M16 at every level", Check: likelihoodIsBetter, TrainingError: fittedError},
		{Text: "lead of M32 in NLL is larger at level 5 than at 0", Check: leadGrows, TrainingError: learntError}, // 0.05 and 0.31 in the paper
	},
}

// figure03Published are the curves of the paper's Figure 3 on the right, means over 25 runs (METHOD.md section 6).
var figure03Published = []Published{
	{
		Data: "cifar10", Method: "M16", Metric: NLL,
		Mean: [nbbnn.LevelCount]float64{0.2904, 0.5482, 0.7788, 1.0331, 1.4701, 2.1554},
		Std:  [nbbnn.LevelCount]float64{0.0564, 0.0630, 0.0676, 0.0776, 0.0866, 0.1110},
	},
	{
		Data: "cifar10", Method: "M32", Metric: NLL,
		Mean: [nbbnn.LevelCount]float64{0.2379, 0.4660, 0.6710, 0.9002, 1.2602, 1.8474},
		Std:  [nbbnn.LevelCount]float64{0.0045, 0.0127, 0.0202, 0.0301, 0.0374, 0.0587},
	},
}

func figure03Layout(r *Result) (*viz.Figure, error) {
	entropy, err := r.EntropyFigure()
	if err != nil {
		return nil, err
	}
	levels, err := r.LevelFigure(NLL)
	if err != nil {
		return nil, err
	}
	return viz.Row(entropy, levels)
}

// entropyFalls counts the epochs of both methods that end with a lower entropy than they began with.
func entropyFalls(r *Result) (Outcome, string) {
	falls := steps(r.series("M16", RunResult.Entropy))
	for seed, more := range steps(r.series("M32", RunResult.Entropy)) {
		falls[seed] = append(falls[seed], more...)
	}
	t := count(falls)
	return t.outcome(), t.text("epochs")
}

// entropyStaysAbove counts the epochs, the start included, at which M32 has the higher entropy.
func entropyStaysAbove(r *Result) (Outcome, string) {
	t := count(subtract(r.series("M32", RunResult.Entropy), r.series("M16", RunResult.Entropy)))
	return t.outcome(), t.text("epochs")
}

// likelihoodIsBetter counts the levels at which M32 has the lower negative log-likelihood.
func likelihoodIsBetter(r *Result) (Outcome, string) {
	if !r.Evaluated() {
		return notEvaluated()
	}
	t := count(figure03Lead(r))
	return t.outcome(), t.text("levels")
}

// leadGrows compares M32's lead at level 5 with its lead on clean images.
func leadGrows(r *Result) (Outcome, string) {
	if !r.Evaluated() {
		return notEvaluated()
	}
	lead := figure03Lead(r)
	growth := make([][]float64, len(lead))
	for seed, levels := range lead {
		growth[seed] = []float64{levels[nbbnn.LevelCount-1] - levels[0]}
	}
	t, mean := count(growth), summarise(lead)
	return t.outcome(), fmt.Sprintf("from %+.3f to %+.3f%s; %s", mean[0].Mean, mean[nbbnn.LevelCount-1].Mean, t.reservation(), t.seedsText())
}

// figure03Lead is how far the negative log-likelihood of M32 is below that of M16, [seeds][levels].
func figure03Lead(r *Result) [][]float64 {
	nll := func(run RunResult) []float64 { return run.Metric(NLL) }
	return subtract(r.series("M16", nll), r.series("M32", nll))
}
