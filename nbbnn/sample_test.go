package nbbnn

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// sampledRun returns a trained node-BNN and a run of few short chains over its latents.
func sampledRun(t *testing.T, change func(c *Config)) (parent, run *Run) {
	t.Helper()
	directory := t.TempDir()
	config := tinyConfig()
	config.Data.Train, config.Training.Epochs = 24, 2
	config.Training.NoAugmentation = true
	parent = trainedRun(t, directory, config)
	sampled := testkit.Must(SampleOf(parent))(t)
	sampled.Posthoc.Chains, sampled.Posthoc.Leapfrog, sampled.Posterior.Components = 2, 2, 6
	sampled.Training.Epochs, sampled.Training.Batch = 30, 24
	if change != nil {
		change(&sampled)
	}
	return parent, openRun(t, directory, sampled)
}

// A run that samples keeps its parent's weights, records every transition and how the chains mix,
// and predicts with its draws: sample s is draw s of the chains in turn, for every image.
func TestSamplingPredictsWithDraws(t *testing.T) {
	parent, run := sampledRun(t, nil)
	card := trainedCard(t, run)
	if s := card.Sampling; s == nil || s.Chains != 2 || s.Draws != 20 || s.Acceptance <= 0 ||
		s.Acceptance > 1 || s.MaxRHat < 0.9 {
		t.Fatalf("the card says %+v", s)
	}
	if got, want := card.Parent.WeightsSHA256, trainedCard(t, parent).WeightsSHA256; got != want {
		t.Errorf("the parent's weights are %.12s, want %.12s", got, want)
	}
	draws, std := testkit.Must(run.SampledLatents())(t), run.config.Posterior.PriorStd
	fromPrior, data := 0., testkit.Must(run.config.OpenData(t.Context()))(t)
	s, share := testkit.Must(newTrainer(run, data))(t).sampler, 0.
	for _, chain := range draws { // of two: minus log p and, but for rounding, wrong ones of 24
		_, _, wrong, err := s.likelihood(chain[19])
		testkit.NoError(t, err)
		share += wrong / 24 / 2
		for _, z := range chain[19] {
			fromPrior += ((z-1)*(z-1)/(std*std) + math.Log(2*math.Pi*std*std)) / 2 / 2
		}
	}
	history := testkit.Must(run.History())(t)
	if last := history[30]; last.NLL <= 0 ||
		math.Abs(last.LogLikelihood+last.NLL*float64(card.Data.Train)) > 1e-6 ||
		math.Abs(last.CrossEntropy-fromPrior) > 1e-3 || math.Abs(last.Error-share) > 0.05 {
		t.Errorf("the last transition is recorded as %+v, want the cross-entropy %g and the error "+
			"%g", last, fromPrior, share)
	}
	var first []float64
	for _, l := range testkit.Must(run.Posterior(0))(t) {
		if len(l.Mean) != 6 || l.Sigma[0][0] > 1e-20 {
			t.Fatalf("layer %s has %d components, the first with a standard deviation of %g",
				l.Name, len(l.Mean), l.Sigma[0][0])
		}
		first = append(first, l.Mean[1]...)
	}
	if !slices.Equal(first, draws[1][20/3-1]) {
		t.Error("component 2 isn't the draw after a third of chain 2")
	}
	cells, err := run.Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 6, Images: 4}, nil)
	if err != nil || len(cells) != 6 {
		t.Errorf("%d cells (%v), want 6", len(cells), err)
	}
	p := predicted(t, run, Evaluation{Images: 4, Samples: 12})
	for i := range p.Images { // the second six samples repeat the first
		row := p.LogProbabilities[i*12*p.Classes:][:12*p.Classes]
		near(t, "repeated draws", row[6*p.Classes:], row[:6*p.Classes], 0)
	}
}

// A stopped sampling ends with the same draws, bit for bit, in the warm-up and after it, also if
// the parent is gone.
func TestSamplingContinuesBitForBit(t *testing.T) {
	parent, run := sampledRun(t, nil)
	want := trainedCard(t, run)
	testkit.NoError(t, os.RemoveAll(run.directory))
	for _, epoch := range []int{3, 9, 10, 21} {
		stopAt(t, run, epoch)
		testkit.NoError(t, os.RemoveAll(parent.directory))
	}
	got := trainedCard(t, run)
	equal(t, "state", got.StateSHA256, want.StateSHA256)
	equal(t, "how the chains mix", *got.Sampling, *want.Sampling)
}

// gamma tempers the posterior: the draws of a hot one, whose likelihood and prior hardly count, are
// wider.
func TestSamplingIsTempered(t *testing.T) {
	width := func(gamma float64) (sum float64) {
		_, run := sampledRun(t, func(c *Config) { c.Objective.Gamma = gamma })
		trainedCard(t, run)
		for _, chain := range testkit.Must(run.SampledLatents())(t) {
			for _, z := range chain {
				for _, x := range z {
					sum += (x - 1) * (x - 1)
				}
			}
		}
		return sum
	}
	if cold, hot := width(0), width(15); hot < 4*cold {
		t.Errorf("at gamma 15 the mean square is %.1f times as large, want 4 times or more",
			hot/cold)
	}
}

// The density is that of the likelihood times the prior, to the power tau, and its gradient the
// slope.
func TestDensityOfLatents(t *testing.T) {
	_, run := sampledRun(t, func(c *Config) { c.Objective.Gamma, c.Posterior.PriorStd = 3, 0.4 })
	data := testkit.Must(run.Config().OpenData(t.Context()))(t)
	s := testkit.Must(newTrainer(run, data))(t).sampler
	var z []float64
	for i := range run.config.Network.Architecture(10).Latents(run.config.Posterior.Mode) {
		z = append(z, float64(float32(1+0.2*math.Cos(float64(i)))))
	}
	value, gradient, err := s.density(z)
	testkit.NoError(t, err)
	likelihood, _, _, err := s.likelihood(z)
	testkit.NoError(t, err)
	squares, length := 0.0, 0.0
	for i, x := range z {
		squares += (x - 1) * (x - 1)
		length += gradient[i] * gradient[i]
	}
	near(t, "log-density", value, (likelihood-squares/(2*0.4*0.4))/4, 1e-9)
	length = math.Sqrt(length)
	ends := make([]float64, 2)
	for side, step := range []float64{-1e-3, 1e-3} {
		moved := slices.Clone(z)
		for i := range moved {
			moved[i] += step * gradient[i] / length
		}
		ends[side], _, err = s.density(moved)
		testkit.NoError(t, err)
	}
	near(t, "slope along the gradient", (ends[1]-ends[0])/2e-3/length, 1.0, 0.03)
}

func TestSamplingRefuses(t *testing.T) {
	directory := t.TempDir()
	_, err := SampleOf(trainedRun(t, directory, ordinaryConfig()))
	checkError(t, "no latents", err, "has no latents to sample: make a node-BNN of it first")
	_, run := sampledRun(t, nil)
	for want, change := range map[string]func(c *Config){
		"asks for the posterior to the power": func(c *Config) {
			c.Objective.Gamma = -0.5
		},
		"chains is 1: give a number from 2 up to 64": func(c *Config) {
			c.Posthoc.Chains = 1
		},
		"leapfrog is 2000: give a number from 1 up to 1024": func(c *Config) {
			c.Posthoc.Leapfrog = 2000
		},
		"acceptance is 1: give a number above 0 and below 1": func(c *Config) {
			c.Posthoc.Acceptance = 1
		},
		"leave 8 draws of a chain": func(c *Config) {
			c.Training.Epochs = 12
		},
		"64 components are more than the 40 draws": func(c *Config) {
			c.Posterior.Components = 64
		},
	} {
		c := run.Config()
		change(&c)
		checkError(t, want, c.Validate(), want)
	}
	usual := run.Config()
	usual.Posthoc.Acceptance = 0.8
	if usual.Hash() != run.Config().Hash() {
		t.Error("the usual acceptance is another run than none")
	}
	_, run = sampledRun(t, func(c *Config) { c.Data.Train += 4 })
	checkError(t, "other images", run.Train(t.Context(), nil), "given other images or layers "+
		"than it was trained with")
	_, err = run.SampledLatents()
	checkError(t, "untrained", err, "trained")
}

// Chains that don't agree are said with R-hat, and so are divergences.
func TestSamplingSaysWhetherItMixes(t *testing.T) {
	good := Sampling{Chains: 4, Draws: 100, Latents: 10, MaxRHat: 1.04, Mixed: 1, MixedWidths: 1,
		StepSize: 0.374}
	stuck, broken, alternating := good, good, good
	alternating.MixedWidths = 0.4
	stuck.Mixed, stuck.MaxRHat, broken.Divergences = 0.9, 1.4, 5
	for _, test := range []struct {
		Sampling
		mixes bool
		says  string
	}{
		{good, true, "R-hat below 1.05 for 100 % of them, at most 1.04"},
		{stuck, false, "at most 1.40, and of their widths for 100 %; 0 effective " +
			"samples at least, acceptance 0.00, 0 " +
			"divergences: the chains don't agree"},
		{alternating, false, "widths for 40 %; 0 effective samples at least, acceptance 0.00, 0 " +
			"divergences: the chains don't agree, so these aren't draws from the posterior, " +
			"and no claim may rest on them; take more epochs, or 4 leapfrog steps"},
		{broken, false, "5 divergences: the chains don't agree, so these aren't draws from the " +
			"posterior, and no claim may rest on them; take shorter leapfrog steps, by"},
	} {
		test.Mixes = test.Sampling.mixes()
		if test.Mixes != test.mixes || !strings.Contains(test.note(), test.says) {
			t.Errorf("%+v mixes: %t, %q; want %t, %q", test.Sampling, test.Mixes, test.note(),
				test.mixes, test.says)
		}
	}
}

// Chains on posthoc runs of two seeds are two seeds of one method, as their parents' parents are.
func TestCompareSampledSeeds(t *testing.T) {
	directory, evaluation := t.TempDir(), Evaluation{Suite: "fog", Samples: 6, Images: 4}
	var runs []*Run
	for seed := range uint64(2) {
		ordinary := ordinaryConfig()
		ordinary.Training.Epochs, ordinary.Seed = 1, seed+1
		config := testkit.Must(PosthocOf(trainedRun(t, directory, ordinary)))(t)
		config.Training.Epochs = 1
		sampled := testkit.Must(SampleOf(trainedRun(t, directory, config)))(t)
		sampled.Posthoc.Chains, sampled.Posthoc.Leapfrog, sampled.Training.Epochs = 2, 1, 30
		sampled.Posterior.Components = 6
		run := trainedRun(t, directory, sampled)
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		runs = append(runs, run)
	}
	compared := testkit.Must(Compare(runs, evaluation, ""))(t)
	if len(compared.Methods) != 1 || len(compared.Methods[0].Cells) != 2 {
		t.Errorf("%d methods, the first with %d runs, want one with two", len(compared.Methods),
			len(compared.Methods[0].Cells))
	}
}

// Draws that predict are no components of a posterior in training: the estimate of a sampling and
// the refusal of one that is too large don't grow with them. 256 components would take 36 GB.
func TestDrawsNeedNoMemoryOfComponents(t *testing.T) {
	sampling := func(width, draws int) Config {
		return Config{
			Network: Network{Width: width}, Posterior: Posterior{Components: draws},
			Posthoc: Posthoc{Run: strings.Repeat("0", 12), Weights: strings.Repeat("0", 64),
				Chains: 4},
			Training: Training{Batch: 32},
		}.WithDefaults()
	}
	cost := testkit.Must(EstimateTraining(t.Context(), sampling(32, 256)))(t)
	if cost.Memory > 4e9 {
		t.Errorf("256 draws need %g bytes, want at most 4 GB", cost.Memory)
	}
	one, many := checkMemory(sampling(1<<16, 1)), checkMemory(sampling(1<<16, 256))
	if fmt.Sprint(one) != fmt.Sprint(many) {
		t.Errorf("the refusals differ: %v, with 256 draws %v", one, many)
	}
}
