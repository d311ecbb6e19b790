package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/hmc"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Posthoc makes a node-BNN of a trained ordinary network: the weights and the running statistics of
// its parent stay as they are, and only the posterior of the latents is trained, with the
// gamma-ELBO. The zero value trains weights from random ones.
type Posthoc struct {
	// Run is the name of the parent, a trained run in the same directory of runs.
	Run string `json:"run"`
	// Weights is the SHA-256 of the parent's weights and running statistics, as
	// network.State.WeightsSHA256 returns it.
	Weights string `json:"weights_sha256"`
	// FixedNoise trains nothing: the posterior stays N(1, InitStd^2), which a trained one has to
	// beat. Of the training's settings only Batch, NoAugmentation and LearningRate distinguish two
	// such runs: they change the run's name, not its noise.
	FixedNoise bool `json:"fixed_noise,omitempty"`
	// FreeWeights trains the weights as well. They start at the parent's, with a rate of 0.001
	// if Training.LearningRate is 0. Batch normalisations of a file keep their running statistics.
	FreeWeights bool `json:"free_weights,omitempty"`
	// Chains samples the posterior of the latents, as SampleOf says, with this many chains; 0
	// trains a posterior.
	Chains int `json:"chains,omitempty" range:"[2,64]"`
	// Leapfrog is the number of leapfrog steps of a transition, with Jitter the mean; 0 means 8.
	Leapfrog int `json:"leapfrog,omitempty" range:"[1,1024]"`
	// Jitter varies the leapfrog steps of a transition from half of Leapfrog to 3/2 of it, as
	// SampleOf asks for. Without it, widths mix badly where Leapfrog steps are half an orbit.
	Jitter bool `json:"jitter,omitempty"`
	// Acceptance is the mean acceptance that the length of the leapfrog steps is adapted to; 0
	// means 0.8. More of it shortens the steps, against divergences.
	Acceptance float64 `json:"acceptance,omitempty" range:"(0,1)"`
}

// CardParent is the ordinary network of a posthoc run.
type CardParent struct {
	Run string `json:"run"` // the parent's Card.Run
	// the parent's Run.WeightsSHA256; "" if unknown
	WeightsSHA256 string `json:"weights_sha256,omitempty"`
	StateSHA256   string `json:"state_sha256,omitempty"` // the parent's Card.StateSHA256
	Method        string `json:"method,omitempty"`       // that trained it
	// for example "imported from resnet18.safetensors"; "" if we trained it
	Source string `json:"source,omitempty"`
}

// The defaults of a posthoc run are the settings whose results docs/posthoc.md shows. The published
// standard deviations belong to weights that learnt with the noise, and disturb others too much.
const (
	posthocEpochs  = 3
	posthocInitStd = 0.2
	posthocGamma   = 10
)

// Defaults of posthoc epochs and rate. They never change, because hashes depend on them.
const (
	defaultPosthocEpochs = 5
	defaultPosthocRate   = 0.01
	defaultTuningRate    = 0.001 // of free weights
)

// PosthocOf returns the configuration of a node-BNN of a trained ordinary network: its network,
// images, augmentation and seed, and a posterior on the outputs of all layers that starts with a
// standard deviation of 0.2 and is trained for 3 epochs with gamma 10 and one sample of the latents
// an image. Change the posterior, the objective and the training as in any other configuration, and
// open the run in the parent's directory of runs.
func PosthocOf(parent *Run) (Config, error) {
	c := parent.Config()
	child, err := childOf(parent)
	switch {
	case err != nil:
		return Config{}, err
	case c.Posterior.Mode != Deterministic:
		return Config{}, fmt.Errorf("nbbnn: run %s is a node-BNN already, of mode %q: give the "+
			"run of an ordinary network, for example of the method map",
			parent.directory, c.Posterior.Mode)
	case methods.HasSeveralWeights(c.Method):
		return Config{}, fmt.Errorf("nbbnn: run %s of the method %s predicts with several sets "+
			"of weights: give a run with one, for example of the method map",
			parent.directory, c.Method.Name)
	}
	child.Network.NoDropout = false
	child.Posterior, child.Objective = Posterior{InitStd: posthocInitStd},
		Objective{Gamma: posthocGamma}
	child.Training = Training{
		Epochs: posthocEpochs, Batch: c.Training.Batch, Samples: 1,
		NoAnnealing: true, NoAugmentation: c.Training.NoAugmentation,
		Augmentation: c.Training.Augmentation,
	}
	return child, nil
}

// childOf returns the parts of the configuration of a run with a trained parent's weights that are
// the parent's.
func childOf(parent *Run) (Config, error) {
	if !parent.Complete() {
		return Config{}, parent.untrained()
	}
	c := parent.Config()
	stored, _, err := parent.checkpoints().read(parent.checkpointPath())
	return Config{
		Network: c.Network, Data: c.Data, Pixels: c.Pixels, Seed: c.Seed,
		Posthoc: Posthoc{Run: c.RunName(), Weights: weightsSHA256(stored)},
	}, err
}

// isSet reports whether the run begins with the weights of a parent.
func (p Posthoc) isSet() bool { return p != (Posthoc{}) }

// isFrozen reports whether no weight is trained.
func (p Posthoc) isFrozen() bool { return p.isSet() && !p.FreeWeights }

// withPosthocDefaults fills in what differs from the defaults of other trainings.
func withPosthocDefaults(c Config) Config {
	if !c.Posthoc.isSet() {
		return c
	}
	t := &c.Training
	if c.Posthoc.FixedNoise {
		*t = Training{ // the rate is a default of the network, which another program may not define
			Epochs: 1, Batch: t.Batch, Samples: 1, LearningRate: t.LearningRate, NoAnnealing: true,
			NoAugmentation: t.NoAugmentation,
		}
		c.Objective = Objective{}
	}
	if c.Posthoc.Chains > 0 {
		c.Posthoc.Leapfrog = cmp.Or(c.Posthoc.Leapfrog, samplingLeapfrog)
		if c.Posthoc.Acceptance == hmc.Acceptance { // as in runs from before the field
			c.Posthoc.Acceptance = 0
		}
		t.Epochs, t.Samples, t.NoAnnealing, t.NoAugmentation = cmp.Or(t.Epochs, samplingEpochs), 1,
			true, true
	}
	t.Epochs = cmp.Or(t.Epochs, defaultPosthocEpochs)
	t.PosteriorLearningRate = cmp.Or(t.PosteriorLearningRate, defaultPosthocRate)
	if c.Posthoc.FreeWeights {
		t.LearningRate = cmp.Or(t.LearningRate, defaultTuningRate)
	}
	return c
}

var (
	runNamePattern = regexp.MustCompile(`^[0-9a-f]{12}$`)
	sha256Pattern  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// validate checks the settings together with the method, which trains weights.
func (p Posthoc) validate(method Method) error {
	switch {
	case !p.isSet():
		return nil
	case !runNamePattern.MatchString(p.Run) || !sha256Pattern.MatchString(p.Weights):
		return fmt.Errorf("nbbnn: posthoc names the run %q with weights of SHA-256 %q: PosthocOf "+
			"and `nbbnn posthoc` fill both in", p.Run, p.Weights)
	case p.FreeWeights && (p.FixedNoise || p.Chains > 0):
		return fmt.Errorf("nbbnn: posthoc run of %s trains no weights with fixed noise or with "+
			"chains: leave out free_weights (--free-weights), or the other", p.Run)
	case method != Method{}:
		return fmt.Errorf("nbbnn: method %s trains weights, and a posthoc run keeps the weights "+
			"of run %s: leave the method out", method.Name, p.Run)
	}
	return nil
}

// weightsSHA256 returns the checksum of the weights and running statistics among variables, without
// posterior and buffers: equal networks have equal checksums, however they were trained.
func weightsSHA256(variables []network.Tensor) string {
	return safetensors.SHA256(slices.DeleteFunc(slices.Clone(variables),
		func(tensor network.Tensor) bool {
			return !strings.HasPrefix(tensor.Name, "theta.") &&
				!strings.HasPrefix(tensor.Name, "running.")
		}))
}

// checkWeights checks that the variables hold the weights of the parent.
func (p Posthoc) checkWeights(variables []network.Tensor) error {
	if !p.isSet() {
		return nil
	}
	if have := weightsSHA256(variables); have != p.Weights {
		return fmt.Errorf("nbbnn: the weights have the SHA-256 %.12s, not %.12s of run %s that "+
			"they have to keep: remove the run and make it again",
			have, p.Weights, p.Run)
	}
	return nil
}

// note describes the run on its card.
func (p Posthoc) note() string {
	switch {
	case p.Chains > 0:
		return fmt.Sprintf("draws of Hamiltonian Monte Carlo from the posterior of the latents "+
			"of run %s, whose weights are frozen", p.Run)
	case p.FixedNoise:
		return fmt.Sprintf("noise of fixed standard deviation on the nodes of run %s, without "+
			"training", p.Run)
	case p.FreeWeights:
		return fmt.Sprintf("a posterior and weights, trained from those of run %s on", p.Run)
	}
	return fmt.Sprintf("a posterior for the trained weights of run %s, which are frozen", p.Run)
}

// adoptWeights gives the network of a posthoc run that begins the weights of its parent; other runs
// have none.
func (t *trainer) adoptWeights(ctx context.Context) error {
	config := t.run.config
	if !config.Posthoc.isSet() || exists(t.run.checkpointPath()) {
		return nil
	}
	parent, err := openParent(t.run)
	if err != nil {
		return err
	}
	if err := checkNormalisation(ctx, t, parent); err != nil {
		return err
	}
	card, err := parent.Card()
	if err != nil {
		return err
	}
	stored, _, err := parent.checkpoints().read(parent.checkpointPath())
	if err != nil {
		return err
	}
	if err := config.Posthoc.checkWeights(stored); err != nil {
		return err
	}
	if err := t.stepper.Model.SetVariables(stored, true); err != nil {
		return fmt.Errorf("nbbnn: %s %w: give the network of run %s", parent.checkpointPath(), err,
			parent.config.RunName())
	}
	weights, err := exportedSHA256(parent.config, stored)
	if err != nil {
		return err
	}
	if t.sampler != nil {
		layers, err := parent.Posterior(0)
		if err = cmp.Or(err, sameData(parent.directory, card.Data.Hash, t.data)); err != nil {
			return err
		}
		t.sampler.start(layers)
	}
	from := &CardParent{Run: card.Run, WeightsSHA256: weights, StateSHA256: card.StateSHA256,
		Method: card.Method}
	if card.imported() {
		from.Source = card.Engine
	}
	t.state.Parent = from
	// trained by us, imported with the configuration of its training, or trained now
	if parent.config.Imported == "" || config.Posthoc.FreeWeights {
		return nil
	}
	return checkRecognises(ctx, t, from)
}

// openParent opens the parent of a posthoc run, in the same directory of runs.
func openParent(r *Run) (*Run, error) {
	runs, name := filepath.Dir(r.directory), r.config.Posthoc.Run
	path := filepath.Join(runs, name)
	if !exists(records.Path(path, "config.json")) {
		return nil, fmt.Errorf("nbbnn: run %s needs the weights of run %s, which isn't in %s: "+
			"copy it there, or give the directory of runs that holds it (--runs)",
			r.config.RunName(), name, runs)
	}
	parent, err := OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	if !parent.Complete() {
		return nil, parent.untrained()
	}
	return parent, checkParent(r.config, parent.config)
}

// checkParent checks that a configuration has the network and the classes of its parent, and holds
// out no images that its parent was trained on.
func checkParent(own, theirs Config) error {
	if own.Network.Name != theirs.Network.Name || own.Network.Width != theirs.Network.Width {
		return fmt.Errorf("nbbnn: run %s is %s of width %d, not %s of width %d: leave the "+
			"network and its width out",
			theirs.RunName(), theirs.Network.Name, theirs.Network.Width, own.Network.Name,
			own.Network.Width)
	}
	// a removed set has none
	if have, want := own.Data.Images().Size().Classes,
		theirs.Data.Images().Size().Classes; have != want && want > 0 {
		return fmt.Errorf("nbbnn: run %s distinguishes the %d classes of %s, and %s has %d: give "+
			"the data set that it was trained on",
			theirs.RunName(), want, theirs.Data.Name, own.Data.Name, have)
	}
	if own.Posthoc.Chains > 0 &&
		(own.Data != theirs.Data || own.Posterior.Mode != theirs.Posterior.Mode ||
			own.Network != theirs.Network) {
		return fmt.Errorf("nbbnn: run %s samples the latents of run %s given other images or "+
			"layers than it was trained with: take its data set, its mode and its layers "+
			"(SampleOf)",
			own.RunName(), theirs.RunName())
	}
	return checkHeldOut("run "+theirs.RunName(), own.Data, theirs.Data)
}

// checkNormalisation checks that images are normalised as in the parent's training.
func checkNormalisation(ctx context.Context, t *trainer, parent *Run) error {
	own, theirs := t.run.config, parent.config
	if own.Pixels == theirs.Pixels && own.Data.Name == theirs.Data.Name &&
		own.Data.Content == theirs.Data.Content {
		return nil
	}
	want, model := theirs.Pixels, t.stepper.Model
	if want == (dataset.Normalisation{}) {
		data, err := theirs.OpenData(ctx)
		// it's stated, and the other one is unknown
		if err != nil && own.Pixels != (dataset.Normalisation{}) {
			return nil
		}
		if err != nil {
			return err
		}
		want = dataset.Normalisation{Mean: data.Mean, Std: data.Std}
	}
	// as it's stated
	if have := (dataset.Normalisation{Mean: model.Mean,
		Std: model.Std}); have.String() != want.String() {
		return fmt.Errorf("nbbnn: run %s was trained with the normalisation %s, not %s: state it "+
			"with --normalisation %[2]s (Config.Pixels)",
			theirs.RunName(), want, have)
	}
	return nil
}

// recognisedImages training images test an imported network.
const recognisedImages = 500

// checkRecognises refuses an imported network that is wrong on almost as many training images as
// guessing: a sign of another normalisation or another order of classes.
func checkRecognises(ctx context.Context, t *trainer, parent *CardParent) error {
	images := t.data.Train.Slice(0, min(recognisedImages, t.data.Train.Count()))
	predictor, err := t.stepper.Model.With(OneLatents, 1, 0).NewPredictor(images.Count(), 1, 0)
	if err != nil {
		return err
	}
	prediction, err := predictor.Predict(ctx, images)
	if err != nil {
		return err
	}
	cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, images.Labels)
	if err != nil {
		return err
	}
	if cell.Error < check.Unrecognised(len(t.data.Classes)) {
		return nil
	}
	m := t.stepper.Model
	return fmt.Errorf("nbbnn: the network %s is wrong on %.0f %% of %d training images, nearly "+
		"as a guess is: train it for longer if it has learnt nothing; if it was trained with "+
		"another normalisation than %s, state it with --normalisation (Config.Pixels); else "+
		"check the order of the classes",
		strings.TrimPrefix(parent.Source, engine.ImportedFrom), 100*cell.Error, images.Count(),
		dataset.Normalisation{Mean: m.Mean, Std: m.Std})
}
