package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
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
		{Text: "entropy of M16 and M32 falls over training", Methods: figure03Methods, Check: entropyFalls},
		{Text: "entropy of M32 is above M16 throughout", Methods: figure03Methods, Check: entropyStaysAbove},
		{Text: "NLL of M32 is below M16 at every level", Methods: figure03Methods, Levels: true, TrainingError: fittedError, Check: likelihoodIsBetter},
		{Text: "lead of M32 in NLL is larger at level 5 than at 0", Methods: figure03Methods, Levels: true, TrainingError: fittedError, Check: leadGrows},
	},
}

// figure03Methods are those that the claims are about.
var figure03Methods = []string{"M16", "M32"}

// figure03Published are the curves of the paper's Figure 3 on the right, means over 25 runs and all 19 corruptions
// (METHOD.md section 6).
var figure03Published = []Published{
	{
		Data: "cifar10", Method: "M16", Metric: NLL, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.2904, 0.5482, 0.7788, 1.0331, 1.4701, 2.1554},
		Std:  [score.LevelCount]float64{0.0564, 0.0630, 0.0676, 0.0776, 0.0866, 0.1110},
	},
	{
		Data: "cifar10", Method: "M32", Metric: NLL, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.2379, 0.4660, 0.6710, 0.9002, 1.2602, 1.8474},
		Std:  [score.LevelCount]float64{0.0045, 0.0127, 0.0202, 0.0301, 0.0374, 0.0587},
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

// entropyFalls asks of every run of both methods whether its entropy falls. It tells the means at the start and at the end, and counts
// the epochs, over all runs, in which it did.
func entropyFalls(r *Result) (Outcome, string) {
	outcome, epochs, fell := Holds, 0, 0
	for _, entropy := range append(r.series("M16", RunResult.Entropy), r.series("M32", RunResult.Entropy)...) {
		epochs, fell = epochs+len(entropy)-1, fell+fallingSteps(entropy)
		if !falls(entropy) {
			outcome = Fails
		}
	}
	if len(r.of("M16")) < 2 {
		outcome = TooFewSeeds
	}
	return outcome, fmt.Sprintf("%s, %s nats; %d of %d epochs", r.entropyRange("M16"), r.entropyRange("M32"), fell, epochs)
}

// entropyRange is such as "M16 51.2 to 22.2": the means over the seeds at the start and at the end.
func (r *Result) entropyRange(method string) string {
	mean, _ := split(r.EntropySummary(method))
	return fmt.Sprintf("%s %.1f to %.1f", method, mean[0], mean[len(mean)-1])
}

// entropyStaysAbove counts the epochs, the start included, at which M32 has the higher entropy.
func entropyStaysAbove(r *Result) (Outcome, string) {
	t := count(subtract(r.series("M32", RunResult.Entropy), r.series("M16", RunResult.Entropy)))
	return t.outcome(), t.text("epochs")
}

// likelihoodIsBetter counts the levels at which M32 has the lower negative log-likelihood.
func likelihoodIsBetter(r *Result) (Outcome, string) {
	t := count(figure03Lead(r))
	return t.outcome(), t.text("levels")
}

// leadGrows compares M32's lead at level 5 with its lead on clean images, and with none at all: a deficit that shrinks to
// another deficit is no lead. In the paper the lead is 0.05 and 0.31.
func leadGrows(r *Result) (Outcome, string) {
	lead := figure03Lead(r)
	last := score.LevelCount - 1
	differences := make([][]float64, len(lead))
	for seed, levels := range lead {
		differences[seed] = []float64{levels[last] - levels[0], levels[last]}
	}
	t, mean := count(differences), summarise(lead)
	return t.outcome(), fmt.Sprintf("from %+.3f to %+.3f; %s", mean[0].Mean, mean[last].Mean, t.seedsText())
}

// figure03Lead is how far the negative log-likelihood of M32 is below that of M16, [seeds][levels].
func figure03Lead(r *Result) [][]float64 {
	nll := func(run RunResult) []float64 { return run.Metric(NLL) }
	return subtract(r.series("M16", nll), r.series("M32", nll))
}
