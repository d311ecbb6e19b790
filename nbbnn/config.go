package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Config holds everything that a run depends on: equal configurations give equal weights. Its zero
// value trains the published All-CNN-C on Shapes10. Durations, directories and the engine are no
// part of it.
type Config struct {
	Network   Network   `json:"network"`
	Data      Data      `json:"data"`
	Posterior Posterior `json:"posterior"`
	Objective Objective `json:"objective"`
	Training  Training  `json:"training"`
	Seed      uint64    `json:"seed" help:"seed of all random numbers; 0 is a seed like any other"`

	// Method trains the weights and selects the predicting ones. The zero value is the node-BNN, or
	// MAP for a network without latents.
	Method Method `json:"method,omitzero"`

	// Posthoc makes a node-BNN of a trained ordinary network; PosthocOf fills it in. The zero value
	// trains the weights.
	Posthoc Posthoc `json:"posthoc,omitzero"`
	// Pixels is the normalisation that a network was trained with elsewhere; zero means the data
	// set's.
	Pixels dataset.Normalisation `json:"pixels,omitzero" flag:"normalisation" help:"pixels from 0 to 1 become (pixel - mean) / standard deviation: three means and three deviations, as in 0.5,0.5,0.5/0.25,0.25,0.25, or imagenet, inception, clip, none for 0 to 1, or bytes for 0 to 255; the data set's own if left out"`
	// Imported is the SHA-256 of the weights of a run that ImportOrdinary made, or Import of a file
	// without a configuration; "" for all others.
	Imported string `json:"imported,omitempty"`
}

// Method is a method of package baseline with its options.
type Method = baseline.Method

// The settings of the network and its training come from package network, under the names of a
// configuration.
type (
	Network   = network.Network   // the architecture
	Posterior = network.Posterior // the mixture of Gaussians over the latents, and its prior
	Mode      = network.Mode      // which side of a layer is noisy
	Objective = network.Objective // the gamma-ELBO
	Training  = network.Training  // how long and how fast the parameters are trained
)

// The modes, and the fixed values of latents.
const (
	Output        = network.Output
	Input         = network.Input
	Both          = network.Both
	Deterministic = network.Deterministic

	OneLatents  = network.OneLatents
	MeanLatents = network.MeanLatents
)

// Settings returns everything except Data: what the weights depend on besides images.
func (c Config) Settings() network.Settings {
	return network.Settings{
		Network: c.Network, Posterior: c.Posterior, Objective: c.Objective, Training: c.Training,
		Seed:    c.Seed,
		Dropout: c.Method.Dropout, FrozenWeights: c.Posthoc.isFrozen(), Pixels: c.Pixels,
	}
}

// Layers returns the names of the layers with latents, in the order of the forward pass.
func (c Config) Layers() []string { return c.WithDefaults().Network.Architecture(1).Layers() }

// WithDefaults returns the configuration with every zero that means a default replaced by it. A run
// keeps this filled form and takes its hash of it, so that leaving a field out and giving its
// default are the same run.
func (c Config) WithDefaults() Config {
	for _, f := range allFields {
		if value := f.In(&c); value.Kind() == reflect.Float64 && value.Float() == 0 {
			value.SetFloat(0) // -0 would be another run
		}
	}
	c = withPosthocDefaults(c)
	method, settings := methods.Apply(c.Method, c.Settings(), c.Data.withDefaults().Name)
	filled := settings.WithDefaults()
	c.Method = method
	c.Network, c.Posterior, c.Objective, c.Training = filled.Network, filled.Posterior,
		filled.Objective, filled.Training
	c.Data = c.Data.withDefaults()
	return c
}

// Validate returns an error that names the first value that no run can have, and the cure. Zeros
// that mean a default are valid.
func (c Config) Validate() error {
	c = c.WithDefaults()
	err := cmp.Or(
		check.Ranges(c.Posthoc), c.Posthoc.validate(c.Method), validateSampling(c),
		c.checkOptions(),
		methods.Validate(c.Method, c.Settings(), c.Data.Name),
		c.Settings().Validate(), c.Data.validate(), c.checkMethod(),
	)
	if err != nil {
		return err
	}
	if !c.Data.isHere() {
		return nil
	}
	size := c.Data.Images().Size() // known before the images are read
	return cmp.Or(c.checkBatch(), c.Network.Architecture(size.Classes).CheckSize(c.Network.Name,
		size.Height, size.Width))
}

// checkMethod refuses a method of the program's own that trains the configuration as the node-BNN
// does, by an options.Error.
func (c Config) checkMethod() error {
	if !methods.IsOwn(c.Method) || c.changesTraining() {
		return nil
	}
	return options.Error{Method: c.Method.Name, Flag: "method", Text: fmt.Sprintf("nbbnn: method "+
		"%s trains as the method without it here, with gamma %g in every epoch: give another "+
		"gamma, or leave the method out", c.Method.Name, c.Objective.Gamma)}
}

// changesTraining reports whether the program's own method of a filled configuration trains as the
// node-BNN doesn't: one that multiplies gamma changes nothing if that is 0.
func (c Config) changesTraining() bool {
	o := methods.Training(c.Method, c.Settings(), network.UsualImages)
	if methods.IsLoop(c.Method) || o.Rule.Update != nil || o.Schedule != nil || o.Loss != nil ||
		o.Order != nil || len(o.Hooks) > 0 {
		return true
	}
	for epoch := range c.Training.Epochs {
		if o.Gamma != nil && o.Gamma(epoch) != c.Objective.Gamma {
			return true
		}
	}
	return false
}

// checkBatch checks that an epoch has at least one step.
func (c Config) checkBatch() error {
	images := c.Data.Images()
	train, whose, cure := images.Size().Train-c.Data.Validation, "", "give more images"
	if train >= c.Training.Batch {
		return nil
	}
	if c.Posthoc.isSet() {
		whose = ", the parent's unless another is given"
	}
	if train > 0 {
		cure = fmt.Sprintf("give a batch of at most %d (Config.Training.Batch or --batch) or more "+
			"images", train)
	}
	if c.Data.Validation > 0 {
		cure += fmt.Sprintf(", or hold out fewer (now %d)", c.Data.Validation)
	}
	if images.TrainFirst > 0 {
		images.TrainFirst, images.TrainCount = 0, 0
		cure += fmt.Sprintf(", or begin before place %d of the %d that %s has", c.Data.First,
			images.Size().Train, c.Data.Name)
	}
	return fmt.Errorf("nbbnn: %d training images make no batch of %d%s: %s", max(0, train),
		c.Training.Batch, whose, cure)
}

// OpenData opens the data set of the configuration, without the images that are held out.
func (c Config) OpenData(ctx context.Context) (*dataset.Dataset, error) {
	p, err := openParts(ctx, c.Data)
	if err != nil {
		return nil, err
	}
	return p.Dataset, nil
}

// With returns the configuration that trains the same network on the same images, as long and with
// the same learning rate, by another method; csghmc has a learning rate and a momentum of its own.
// Options of the configuration's own method and settings of its posterior are gone; the given
// method's are filled with their published values. A method of baseline.Define trains the network
// as it is.
func (c Config) With(method Method) Config {
	c.Training = methods.Switched(method, c.Method, c.Training)
	c.Method = method
	if methods.IsOwn(method) {
		return c
	}
	c.Network.Latents = ""
	c.Posterior, c.Objective = Posterior{}, Objective{}
	t := &c.Training
	t.Samples, t.PosteriorLearningRate, t.BetaEpochs, t.NoAnnealing = 0, 0, 0, false
	return c
}

// Compress returns the configuration with its schedule shortened to the given number of epochs
// (METHOD.md 4.1). The ramp of beta keeps its share of the epochs. The learning rate of the
// posterior grows as the number of steps shrinks, so that the posterior moves as far. The learning
// rate of the weights depends on the epochs already.
func (c Config) Compress(epochs int) (Config, error) {
	if epochs < 1 {
		return c, fmt.Errorf("nbbnn: a training can't be compressed to %d epochs: give 1 or more",
			epochs)
	}
	c.Training = c.WithDefaults().Training
	share := float64(epochs) / float64(c.Training.Epochs)
	c.Method = methods.Compress(c.Method, c.Training.Epochs, epochs)
	c.Training.Epochs = epochs
	c.Training.PosteriorLearningRate /= share
	if !c.Training.NoAnnealing {
		c.Training.BetaEpochs = max(1, int(math.Round(share*float64(c.Training.BetaEpochs))))
	}
	return c, nil
}

// Cost estimates a training on this machine.
type Cost struct {
	StepSeconds  float64 `json:"step_seconds"`
	EpochSeconds float64 `json:"epoch_seconds"`
	TotalSeconds float64 `json:"total_seconds"` // of all epochs
	Steps        int     `json:"steps"`         // of an epoch
	// peak of the process, or need of a device; 0 if unknown
	Memory float64 `json:"memory_bytes"`
	Images int     `json:"images"` // of the largest trial step
}

// EstimateTraining estimates the cost of a configuration's training on this machine, with the
// engine in use. It takes a few trial steps of about a second on random images and extends them to
// the whole training; on a busy machine the estimate may be off by a factor of two. No data set is
// read.
func EstimateTraining(ctx context.Context, config Config) (Cost, error) {
	if err := config.Validate(); err != nil {
		return Cost{}, err
	}
	config = config.WithDefaults()
	if err := config.undefined(); err != nil {
		return Cost{}, err
	}
	own := Method{} // whose cost is in no table
	if methods.IsOwn(config.Method) {
		own = config.Method
	}
	settings := config.Settings()
	if config.Posthoc.Chains > 0 { // the draws are no components of an objective
		settings.Posterior.Components = 1
	}
	cost, err := trial.Estimate(ctx, settings, own, trialData(config))
	step := cost.Seconds * float64(methods.Passes(config.Method)*config.Posthoc.passes())
	epoch := step * float64(cost.Steps)
	return Cost{StepSeconds: step, EpochSeconds: epoch,
		TotalSeconds: epoch * float64(config.Training.Epochs), Steps: cost.Steps,
		Memory: cost.Memory, Images: cost.Images}, stopped(err)
}

// trialData returns the numbers of images on which the memory of a training depends.
func trialData(c Config) trial.Data {
	return trial.Data{Size: c.Data.Images().Size(), Validation: c.Data.Validation}
}

// checkMemory returns an error if a training can't fit in the memory of this machine.
func checkMemory(c Config) error {
	if !c.Data.isHere() {
		return nil // opening it will report how to get it
	}
	return trial.CheckTraining(c.Settings(), trialData(c))
}
