package paper

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

// exactPosterior asks whether the noise of the nodes is Bayes: it samples the posterior of the
// latents of trained networks, whose weights are frozen, by Hamiltonian Monte Carlo, and compares
// its draws with the Gaussian q that was trained, in 32 passes each.
var exactPosterior = Figure{
	Key:   "exact-posterior",
	Title: "The posterior of the latents, sampled, compared with the Gaussian q and with gamma",
	headline: headline{
		Shows:    "NLL under corruption of the sampled posterior and of q",
		Claimed:  "q at γ = 16 beats the exact posterior of the nodes",
		Opposite: "The exact posterior of the nodes beats q at γ = 16",
		Between: "in NLL under corruption between q at γ = 16 and the exact posterior of the " +
			"nodes",
	},
	Runs:    exactRuns,
	collect: exactMeasurement{},
	draw:    drawExact,
	claims: []claim{
		exactClaim(NLL, wideQ, plainExact).asPrimary(0),
		exactClaim(ScaledNLL, wideQ, plainExact),
		exactClaim(NLL, plainQ, plainExact),
		exactClaim(ScaledNLL, plainQ, plainExact),
		exactClaim(NLL, wideQ, wideExact),
		exactClaim(ScaledNLL, wideQ, wideExact),
		exactClaim(NLL, plainExact, mapName),
		exactClaim(ScaledNLL, plainExact, mapName),
		narrowClaim(plainExact),
		narrowClaim(wideExact),
		// asked later, before their runs
		exactClaim(NLL, mapExact, mapName),
		exactClaim(ScaledNLL, mapExact, mapName),
		exactClaim(NLL, mapPrior, mapExact),
		exactClaim(ScaledNLL, mapPrior, mapExact),
		exactClaim(NLL, wideQ, mapPrior),
		exactClaim(ScaledNLL, wideQ, mapPrior),
	},
}

// The posteriors. A method's name begins with its trained network's.
const (
	plainQ     = "γ = 0"
	wideQ      = "γ = 16"
	plainExact = plainQ + ", exact z"
	wideExact  = wideQ + ", exact z"
	mapPrior   = mapName + ", prior z"
	mapExact   = mapName + ", exact z"
)

// derivation configures a run of the one that it is made of.
type derivation func(parent *nbbnn.Run) (nbbnn.Config, error)

// derivations lead from a trained network to the run that predicts for a method; none if it does
// itself. The tempered posterior, to the power 1 / 17, is left out: its chains want a step for
// each network.
var derivations = map[string][]derivation{
	plainExact: {sampled}, wideExact: {sampled},
	mapPrior: {withPrior}, mapExact: {withPrior, sampled},
}

// withPrior returns the configuration of a network without latents that gets draws from the prior
// of the others.
func withPrior(parent *nbbnn.Run) (nbbnn.Config, error) {
	config, err := nbbnn.PosthocOf(parent)
	config.Posthoc.FixedNoise = true
	std := exactRuns(Quick).Config.Posterior.PriorStd
	config.Posterior = nbbnn.Posterior{InitStd: std, PriorStd: std}
	return config, err
}

// sampled returns the configuration of the draws from the posterior on the weights of a network:
// 150 transitions of each of four chains, two thirds of which count. With entropy, whose steps are
// longer, eight leapfrog steps are half an orbit, after which widths mixed badly in three of five
// seeds, so it takes five on average. On MAP's weights, which never met noise, orbits are longer and
// chains mix slowly: twice as many transitions, of eleven steps.
func sampled(parent *nbbnn.Run) (nbbnn.Config, error) {
	config, err := nbbnn.SampleOf(parent)
	config.Training.Epochs = 150
	switch parent := parent.Config(); {
	case parent.Posthoc.FixedNoise:
		config.Training.Epochs, config.Posthoc.Leapfrog = 300, 11
	case parent.Objective.Gamma > 0:
		config.Posthoc.Leapfrog = 5
	}
	config.Training.Batch = 125 // images of a call of the engine; it changes nothing but the time
	return config, err
}

// exactRuns has one component, 500 training images and All-CNN-C: the likelihood of all images is
// computed tens of thousands of times, and a chain of ResNet18 takes three times as long. Only the
// quick scale has networks that are small enough. All networks are trained to the end.
func exactRuns(scale Scale) Setup {
	if scale != Quick {
		return Setup{}
	}
	published := nbbnn.Paper("resnet18", dataset.CIFAR10)
	published.Posterior.Components = 1
	setup := sweepRuns(scale, published)
	setup.Config.Data.Train, setup.Config.Data.Validation, setup.Config.Training.Batch = 600, 100,
		25
	setup.Config.Network = nbbnn.Network{Name: "allcnnc", Width: 8}
	setup.Config.Training.LearningRate = 0.02
	setup.Config = shortened(setup.Config, nbbnn.Paper("resnet18", dataset.CIFAR10), 300, 200)
	setup.Evaluation.Samples = 32
	setup.Methods = append([]Method{ordinary}, withGammas(1, 0, 16)...)
	setup.Methods = append(setup.Methods,
		Method{Name: plainExact, Change: setup.Methods[1].Change},
		Method{Name: wideExact, Change: setup.Methods[2].Change},
		Method{Name: mapPrior, Change: ordinary.Change},
		Method{Name: mapExact, Change: ordinary.Change})
	return setup
}

// exactMeasurement tests each network, and the posteriors on its weights, which it makes first.
type exactMeasurement struct{ tests }

// exactness describes the mixing of a method's chains, and how q differs from their draws.
type exactness struct {
	unmixed string // why the draws aren't of the posterior; "" if they are
	layers  []layerFit

	q     []network.LayerPosterior // of the trained network
	draws [][]float64              // [draw][latent]
}

// layerFit compares q with the draws in the latents of a layer.
type layerFit struct {
	name   string
	widths []float64 // log2 of q's standard deviation, divided by the draws'
	learnt []float64 // log2 of the draws' standard deviation, divided by the prior's
	kl     float64   // in nats, from q to the Gaussians with the draws' means and variances
}

// all joins the layers.
func (e exactness) all() layerFit {
	joined := layerFit{name: "all"}
	for _, fit := range e.layers {
		joined.widths = append(joined.widths, fit.widths...)
		joined.learnt = append(joined.learnt, fit.learnt...)
		joined.kl += fit.kl
	}
	return joined
}

// last returns the run that predicts for a method, and the one that it is made of, each after made.
func (exactMeasurement) last(method string, run *nbbnn.Run,
	made func(*nbbnn.Run) error) (last, parent *nbbnn.Run, err error) {
	last = run
	for _, derive := range derivations[method] {
		config, err := derive(last)
		if err != nil {
			return nil, nil, err
		}
		parent = last
		if last, err = nbbnn.Open(filepath.Dir(run.Directory()), config); err != nil {
			return nil, nil, err
		}
		if err = made(last); err != nil {
			return nil, nil, err
		}
	}
	return last, parent, nil
}

// done reports whether all methods that share a trained run are tested.
func (m exactMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return !slices.ContainsFunc(s.alone(run).Methods, func(method Method) bool {
		last, _, err := m.last(method.Name, run, func(*nbbnn.Run) error { return nil })
		return err != nil || !last.Evaluated(s.evaluation(run.Config().Seed))
	})
}

// operations counts the tests of a method, and the mean over the methods of sampling.
func (m exactMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	// gradients of a transition of all chains, and transitions
	const passes, transitions = 4 * 8, (2*150 + 300) / 7
	config.Training.Epochs = passes * transitions
	return m.tests.operations(s, config) + estimate.Training(config)
}

func (m exactMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) error {
	result := &r.Runs[run]
	last, parent, err := m.last(result.Method, result.Run.Run, func(made *nbbnn.Run) error {
		return made.Train(ctx, progress)
	})
	if err != nil {
		return err
	}
	result.Run.Run = last // whose record and training NLL belong to the cells
	if result.History, err = last.History(); err != nil {
		return err
	}
	if result.Cells, err = last.Evaluate(ctx, r.Setup.evaluation(result.Seed),
		progress); err != nil {
		return err
	}
	card, err := last.Card()
	if err != nil || card.Sampling == nil {
		return err
	}
	if mixing := card.Sampling; !mixing.Mixes {
		result.Exact.unmixed = fmt.Sprintf("the chains of %s don't mix: R-hat is below %g for "+
			"%.0f %% of the latents and for %.0f %% of their widths, and %d transitions diverged",
			result.Name(), nbbnn.MixedRHat, 100*mixing.Mixed, 100*mixing.MixedWidths,
			mixing.Divergences)
	}
	if result.Exact.q, err = parent.Posterior(0); err != nil {
		return err
	}
	chains, err := last.SampledLatents()
	if err == nil {
		result.Exact.draws = slices.Concat(chains...)
		result.Exact.layers = layerFits(result.Exact.q, result.Exact.draws,
			last.Config().Posterior.PriorStd)
	}
	return err
}

// layerFits compares q with draws [draw][latent], and these with the prior.
func layerFits(layers []network.LayerPosterior, draws [][]float64,
	prior float64) (fits []layerFit) {
	values, latent := make([]float64, len(draws)), 0
	for _, layer := range layers {
		fit := layerFit{name: layer.Name}
		for i, mean := range layer.Mean[0] {
			for d, z := range draws {
				values[d] = z[latent]
			}
			latent++
			exact, std := stat.MeanStdDev(values, nil)
			ratio, shift := layer.Sigma[0][i]/std, (mean-exact)/std
			fit.widths = append(fit.widths, math.Log2(ratio))
			fit.learnt = append(fit.learnt, math.Log2(std/prior))
			fit.kl += (ratio*ratio+shift*shift-1)/2 - math.Log(ratio)
		}
		fits = append(fits, fit)
	}
	return fits
}

// fitQuantities are lines of the report, each a quantity of a layer.
var fitQuantities = []struct {
	what string
	of   func(layerFit) float64
}{
	{"log2 of the sd of q, divided by that of the draws", func(f layerFit) float64 {
		return stat.Mean(f.widths, nil)
	}},
	{"log2 of the sd of the draws, divided by the prior's", func(f layerFit) float64 {
		return stat.Mean(f.learnt, nil)
	}},
	{"KL from q to the draws' Gaussians (nats)", func(f layerFit) float64 { return f.kl }},
}

// numbers adds lines on how q and the draws differ in each layer and in all, which only the report
// has.
func (m exactMeasurement) numbers(r *Result) numbers {
	n := m.tests.numbers(r)
	for _, method := range r.methodNames() {
		for _, quantity := range fitQuantities {
			var names []string
			var values [][]float64
			for _, run := range r.of(method) {
				var value []float64
				names = nil
				for _, fit := range append(slices.Clone(run.Exact.layers), run.Exact.all()) {
					names, value = append(names, fit.name), append(value, quantity.of(fit))
				}
				values = append(values, value)
			}
			if len(names) > 1 {
				n.untabled = append(n.untabled, r.line(quantity.what, method, names, 2, values))
			}
		}
	}
	return n
}

// exactClaim compares a metric of two methods under corruption.
func exactClaim(metric, method, other string) claim {
	text := fmt.Sprintf("%s has a lower %s under corruption than %s", method,
		strings.Replace(metric, "Scaled", "scaled ", 1), other)
	return weCompare(text, metric, method, other).needing(metric)
}

// narrowClaim compares the standard deviations of q and of the draws.
func narrowClaim(method string) claim {
	return weAsk("q is narrower than the posterior that it approximates, "+method,
		func(r *Result) []Effect {
			var logs []float64
			for _, run := range r.of(method) {
				logs = append(logs, stat.Mean(run.Exact.all().widths, nil))
			}
			return []Effect{newEffect("log2 of the standard deviation of q, divided by that of "+
				"the draws, mean of latents", "", belowZero, logs)}
		}).of(method)
}

// drawExact draws the NLL of the posteriors at the levels, and with one temperature.
func drawExact(r *Result) (*viz.Figure, error) {
	var b board
	b.row()
	for _, metric := range []string{NLL, ScaledNLL} {
		b.add(r.LevelFigure(metric))
		b.title(exactTitle(r))
	}
	return b.arranged(sideBySide)
}

// exactTitle names the methods whose chains don't mix.
func exactTitle(r *Result) string {
	var unmixed []string
	for _, run := range r.Runs {
		if run.Exact.unmixed != "" {
			unmixed = quantity.AddNew(unmixed, run.Method)
		}
	}
	if len(unmixed) == 0 {
		return ""
	}
	return "chains don't mix: " + strings.Join(unmixed, "; ")
}
