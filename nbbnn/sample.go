package nbbnn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/hmc"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Sampling records on a run's card how well its chains agree after the warm-up.
type Sampling struct {
	Chains  int     `json:"chains"`
	Draws   int     `json:"draws"`   // of each chain, after the warm-up
	Latents int     `json:"latents"` // of the network
	MaxRHat float64 `json:"max_r_hat"`
	// share of the latents with R-hat below MixedRHat
	Mixed float64 `json:"mixed"`
	// the same of R-hat of distances from the median; 0 in records before 0.1.0 was released
	MixedWidths float64 `json:"mixed_widths,omitempty"`
	// of the latent with the fewest, all chains together
	Effective   float64 `json:"effective_samples"`
	Acceptance  float64 `json:"acceptance"` // mean probability
	Divergences int     `json:"divergences"`
	StepSize    float64 `json:"step_size"` // in adapted standard deviations
	Mixes       bool    `json:"mixes"`     // the draws may be taken for the posterior's
}

// MixedRHat is the R-hat below which chains agree on a latent. Draws count as the posterior's if they
// agree on 95 % of the latents, and hardly a transition diverged.
const (
	MixedRHat   = 1.05
	enoughMixed = 0.95
)

// mixes reports whether the chains agree on where nearly all latents are and how wide, and hardly a
// transition diverged.
func (s Sampling) mixes() bool {
	return min(s.Mixed, s.MixedWidths) >= enoughMixed && !s.diverges()
}

// diverges reports whether over a hundredth of the transitions diverged.
func (s Sampling) diverges() bool { return 100*s.Divergences > s.Chains*s.Draws }

// note describes the chains' result for the card.
func (s Sampling) note() string {
	text := fmt.Sprintf("%d chains of %d draws of %d latents: R-hat below %g for %.0f %% of "+
		"them, at most %.2f, and of their widths for %.0f %%; %.0f effective samples at least, "+
		"acceptance %.2f, %s",
		s.Chains, s.Draws, s.Latents, MixedRHat, 100*s.Mixed, s.MaxRHat, 100*s.MixedWidths,
		s.Effective, s.Acceptance, quantity.Count(s.Divergences, "divergence"))
	if !s.Mixes {
		cure := fmt.Sprintf("more epochs, or %.0f leapfrog steps (a quarter of an orbit)",
			max(1, math.Round(math.Pi/2/s.StepSize)))
		if s.diverges() {
			cure = "shorter leapfrog steps, by an --acceptance nearer to 1, and more of them"
		}
		text += ": the chains don't agree, so these aren't draws from the posterior, and no " +
			"claim may rest on them; take " + cure
	}
	return text
}

// The defaults of a run that samples.
const (
	samplingEpochs   = 600
	samplingChains   = 4
	samplingLeapfrog = 8
	samplingDraws    = 32
)

// SampleOf returns the configuration of a run that samples the posterior of the latents of a
// trained node-BNN, with its weights and running statistics frozen, by Hamiltonian Monte Carlo: the
// likelihood of all training images under one value of the latents, without augmentation, times the
// prior. An epoch is one transition of every chain, and the first third of them adapts. 4 chains,
// the first from 1 and the others from draws of the parent's posterior, take 600 transitions of 4
// to 12 leapfrog steps. Posterior.Components draws predict. Objective.Gamma raises likelihood and
// prior to the power network.Temperature. Open the run in the parent's directory of runs.
func SampleOf(parent *Run) (Config, error) {
	c := parent.Config()
	sampled, err := childOf(parent)
	switch {
	case err != nil:
		return Config{}, err
	case c.Posterior.Mode == Deterministic:
		return Config{}, fmt.Errorf("nbbnn: run %s has no latents to sample: make a node-BNN of "+
			"it first (PosthocOf, `nbbnn posthoc --from %s`), and sample that",
			parent.directory, c.RunName())
	case c.Posthoc.Chains > 0:
		return Config{}, fmt.Errorf("nbbnn: run %s holds samples of the latents already: give "+
			"its parent %s", parent.directory, c.Posthoc.Run)
	}
	sampled.Posthoc.Chains, sampled.Posthoc.Leapfrog, sampled.Posthoc.Jitter = samplingChains,
		samplingLeapfrog, true
	sampled.Posterior, sampled.Training = c.Posterior, Training{Epochs: samplingEpochs,
		Batch: c.Training.Batch, Samples: 1, NoAnnealing: true, NoAugmentation: true}
	sampled.Posterior.Components = samplingDraws
	return sampled, nil
}

// validateSampling checks the settings of a filled configuration that samples.
func validateSampling(c Config) error {
	chains, leapfrog := c.Posthoc.Chains, c.Posthoc.Leapfrog
	kept := c.Training.Epochs - c.Posthoc.warmup(c.Training.Epochs)
	switch {
	case chains == 0 && leapfrog == 0 && c.Posthoc.Acceptance == 0:
		return nil
	case chains == 0:
		return fmt.Errorf("nbbnn: leapfrog steps (%d) and their acceptance (%g) are for chains: "+
			"give chains as well", leapfrog, c.Posthoc.Acceptance)
	case c.Objective.Gamma < 0:
		return fmt.Errorf("nbbnn: gamma %g asks for the posterior to the power %g: give gamma 0 "+
			"for the posterior, or more for a tempered one",
			c.Objective.Gamma, network.Temperature(c.Objective.Gamma))
	case kept < 20:
		return fmt.Errorf("nbbnn: %d epochs leave %d draws of a chain after the warm-up: give 30 "+
			"epochs or more", c.Training.Epochs, kept)
	case c.Posterior.Components > chains*kept:
		return fmt.Errorf("nbbnn: %d components are more than the %d draws of all chains: give "+
			"fewer --components or more --epochs", c.Posterior.Components, chains*kept)
	}
	return nil
}

// warmup returns the number of transitions that adapt the sampler.
func (p Posthoc) warmup(epochs int) int { return epochs / 3 }

// passes returns how many forward and backward passes of each image an epoch takes: a gradient for
// each leapfrog step of each chain, or 1 in a training.
func (p Posthoc) passes() int { return max(1, p.Chains*p.Leapfrog) }

// sampler takes the place of the training steps in a run that samples.
type sampler struct {
	config     Config
	model      *network.Model
	likelihood func(z []float64) (value float64, gradient []float64, wrong float64, err error)
	images     int
	chains     hmc.Sampler
	scale      []float64 // of the parent's posterior
	// of the positions since the last transition, which the trace takes over or forgets
	outcomes map[*float64]outcome
}

// outcome scores a position on the training images.
type outcome struct{ likelihood, wrong float64 }

// newSampler prepares the sampling of a run; nil for one that trains.
func newSampler(c Config, model *network.Model, images dataset.Images) (*sampler, error) {
	if c.Posthoc.Chains == 0 {
		return nil, nil
	}
	likelihood, err := model.LatentLikelihood(images, c.Training.Batch)
	s := &sampler{config: c, model: model, likelihood: likelihood, images: images.Count(),
		outcomes: map[*float64]outcome{}}
	s.chains = hmc.Sampler{Density: s.density, Leapfrog: c.Posthoc.Leapfrog,
		Jitter: c.Posthoc.Jitter, Acceptance: c.Posthoc.Acceptance,
		Warmup: c.Posthoc.warmup(c.Training.Epochs), Seed: c.Seed}
	return s, err
}

// options make a stepper that takes no steps, and keeps the chains in checkpoints.
func (s *sampler) options() network.StepperOptions {
	return network.StepperOptions{
		Rule:  network.Rule{Name: chainsHook, Update: func(g *network.StepGraph) { g.Loss(nil) }},
		Hooks: []network.Hook{{Name: chainsHook, State: s.state, SetState: s.setState}},
	}
}

const chainsHook = "chains"

// start begins the first chain at 1 and the others at draws from the parent's posterior.
func (s *sampler) start(parent []network.LayerPosterior) {
	mean, sigma := network.JoinPosterior(parent)
	starts := [][]float64{slices.Repeat([]float64{1}, len(mean[0]))}
	for c := 1; c < s.config.Posthoc.Chains; c++ {
		rng, k := random.New(s.config.Seed, random.Chains, uint64(c)), c%len(mean)
		start := slices.Clone(mean[k])
		for i := range start {
			start[i] += sigma[k][i] * rng.NormFloat64()
		}
		starts = append(starts, start)
	}
	s.scale = sigma[0]
	s.chains.Start(hmc.NewTrace(starts), s.scale)
}

// density returns the logarithm of p(D|z)^tau p(z)^tau with tau = 1 / (1 + gamma), up to a
// constant.
func (s *sampler) density(z []float64) (value float64, gradient []float64, err error) {
	value, gradient, wrong, err := s.likelihood(z)
	if err != nil {
		return 0, nil, err
	}
	s.outcomes[&z[0]] = outcome{value, wrong}
	tau, std := network.Temperature(s.config.Objective.Gamma), s.config.Posterior.PriorStd
	for i, x := range z {
		value -= (x - 1) * (x - 1) / (2 * std * std)
		gradient[i] = tau * (gradient[i] - (x-1)/(std*std))
	}
	return tau * value, gradient, nil
}

// step takes one transition of every chain. After the last, draws of the chains predict.
func (s *sampler) step() (losses network.Losses, err error) {
	if err := s.chains.Next(); err != nil {
		return losses, err
	}
	losses.Steps = 1
	trace, current := s.chains.Trace, map[*float64]outcome{}
	for _, z := range lastOf(trace) {
		here := s.outcomes[&z[0]]
		losses.NLL -= here.likelihood / float64(s.images*len(trace.Positions))
		losses.Wrong += here.wrong / float64(len(trace.Positions))
		current[&z[0]] = here
	}
	s.outcomes = current
	if len(trace.Transitions[0]) == s.config.Training.Epochs {
		err = setDraws(s.model, trace.Draws(s.chains.Warmup, s.config.Posterior.Components))
	}
	return losses, err
}

// pointRho is the parameter of a standard deviation that vanishes next to any mean, with a finite
// logarithm.
const pointRho = -50

// setDraws gives a network a posterior with a component of no width at each of K values of all
// latents, [K][D of all layers]: sample s of a prediction is value s mod K.
func setDraws(m *network.Model, values [][]float64) error {
	variables, err := m.Variables()
	if err != nil {
		return err
	}
	layers, err := m.Settings.LayerPosteriors(variables)
	if err != nil {
		return err
	}
	first := 0
	for _, l := range layers {
		var means []float32
		width := len(l.Mean[0])
		for _, value := range values {
			means = appendNarrow(means, value[first:first+width])
		}
		rhos := slices.Repeat([]float32{pointRho}, len(means))
		for kind, numbers := range map[string][]float32{".mean": means, ".rho": rhos} {
			name := "phi." + strings.ReplaceAll(l.Name, "/", ".") + kind
			i := slices.IndexFunc(variables, func(t network.Tensor) bool { return t.Name == name })
			variables[i] = safetensors.FromFloats(name, numbers, len(values), width)
		}
		first += width
	}
	return m.SetVariables(variables, false)
}

// lastOf returns where the chains are.
func lastOf(t hmc.Trace) (positions [][]float64) {
	for _, chain := range t.Positions {
		positions = append(positions, chain[len(chain)-1])
	}
	return positions
}

// epoch records a transition of every chain. Minus the log-prior is an estimate of the
// cross-entropy; the entropy of draws is unknown.
func (s *sampler) epoch(state trainingState) Epoch {
	std, squares := s.config.Posterior.PriorStd, 0.0
	for _, z := range lastOf(s.chains.Trace) {
		for _, x := range z {
			squares += (x - 1) * (x - 1) / float64(s.config.Posthoc.Chains)
		}
	}
	return Epoch{
		Epoch: state.Epoch + 1, Seconds: state.Seconds, Gamma: s.config.Objective.Gamma, Beta: 1,
		NLL: state.NLL, LogLikelihood: -state.NLL * float64(s.images),
		Error: state.Wrong / float64(s.images),
		CrossEntropy: squares/(2*std*std) +
			float64(len(s.scale))*math.Log(std*math.Sqrt(2*math.Pi)),
	}
}

// sampling returns the diagnostics of the draws.
func (s *sampler) sampling() *Sampling {
	mixing := s.chains.Trace.Mixing(s.chains.Warmup)
	result := &Sampling{
		Chains: s.config.Posthoc.Chains, Draws: s.config.Training.Epochs - s.chains.Warmup,
		Latents: len(mixing.RHat), MaxRHat: min(slices.Max(mixing.RHat), math.MaxFloat32),
		Mixed: mixedShare(mixing.RHat), MixedWidths: mixedShare(mixing.FoldedRHat),
		Effective: slices.Min(mixing.EffectiveSamples), Acceptance: mixing.Acceptance,
		Divergences: mixing.Divergences, StepSize: s.chains.StepSize(),
	}
	result.Mixes = result.mixes()
	return result
}

// mixedShare returns the share of latents on which, by R-hat, the chains agree.
func mixedShare(rHat []float64) float64 {
	mixed := 0.0
	for _, r := range rHat {
		if r < MixedRHat {
			mixed++
		}
	}
	return mixed / float64(len(rHat))
}

// state names the tensors that the chains continue from: positions [chains, 1 + transitions,
// latents], transitions [chains, transitions, 2] and the scale of the start.
func (s *sampler) state() ([]network.Tensor, error) {
	trace := s.chains.Trace
	chains, done, latents := len(trace.Positions), len(trace.Transitions[0]), len(s.scale)
	if done == 0 {
		return nil, nil
	}
	var positions, transitions, scale []float32
	for c := range chains {
		for _, z := range trace.Positions[c] {
			positions = appendNarrow(positions, z)
		}
		for _, how := range trace.Transitions[c] {
			diverged := float32(0)
			if how.Diverged {
				diverged = 1
			}
			transitions = append(transitions, float32(how.Acceptance), diverged)
		}
	}
	return []network.Tensor{
		safetensors.FromFloats("positions", positions, chains, 1+done, latents),
		safetensors.FromFloats("scale", appendNarrow(scale, s.scale), latents),
		safetensors.FromFloats("transitions", transitions, chains, done, 2),
	}, nil
}

func appendNarrow(narrow []float32, values []float64) []float32 {
	for _, x := range values {
		narrow = append(narrow, float32(x))
	}
	return narrow
}

// setState continues from the tensors of a checkpoint.
func (s *sampler) setState(state []network.Tensor) error {
	if len(state) == 0 {
		return nil
	}
	trace, err := traceOf(state, s.config.Posthoc.Chains)
	if err == nil {
		s.scale = npy.Float64s(state[1].Floats())
		s.chains.Start(trace, s.scale)
	}
	return err
}

// traceOf reads the trace of chains from the tensors of state.
func traceOf(state []network.Tensor, chains int) (trace hmc.Trace, err error) {
	if len(state) != 3 || len(state[0].Shape) != 3 || state[0].Shape[0] != chains ||
		state[0].Shape[1] < 2 || state[0].Shape[2] < 1 ||
		!slices.Equal(state[2].Shape, []int{chains, state[0].Shape[1] - 1, 2}) {
		return trace, fmt.Errorf("has no trace of %d chains", chains)
	}
	done, latents := state[2].Shape[1], state[0].Shape[2]
	all := slices.Collect(slices.Chunk(npy.Float64s(state[0].Floats()), latents))
	trace.Positions = slices.Collect(slices.Chunk(all, 1+done))
	var how []hmc.Transition
	for pair := range slices.Chunk(state[2].Floats(), 2) {
		how = append(how, hmc.Transition{Acceptance: float64(pair[0]), Diverged: pair[1] != 0})
	}
	trace.Transitions = slices.Collect(slices.Chunk(how, done))
	return trace, nil
}
