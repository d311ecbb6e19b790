package baseline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Method selects how weights are trained and which weights predict. The zero value is the node-BNN
// of the paper, or MAP if the network has no latents. The tag "of" of an option names the methods
// that have it: zero means the default, and an option of another method is refused. Package
// internal/fields reads all tags.
type Method struct {
	// "" means NodeBNN
	Name Name `json:"name" help:"method of training; empty means nodebnn, or map without latents"`
	// Fingerprint identifies a method added with Define; "" means this program's.
	Fingerprint string `json:"fingerprint,omitempty"`

	// Rho is the length of the move of SAM and ASAM; 0 means the published one: for SAM 0.05, for
	// ASAM 0.5, and twice as long on CIFAR-100 and TinyImageNet.
	Rho float64 `json:"rho,omitempty" range:"(0,1e38]" of:"sam asam" help:"length of the move before the gradient is taken; if left out, the published one"`
	// BothPasses lets both passes of SAM and ASAM update the running statistics of batch
	// normalisation; the default is only the first pass.
	BothPasses bool `json:"both_passes,omitempty" of:"sam asam" help:"let both passes of a step update the running statistics of batch normalisation"`

	Start int `json:"start,omitempty" range:"[1,4294967296]" flag:"swag-start" of:"swag" from:"epochs" help:"epochs before the weights of each epoch are collected; if left out, 161 of 300, or the same share"`
	// Rate is SWAG's constant learning rate from nine tenths of Start on; 0 means the published
	// share of the first one: a fifth for networks without batch normalisation, half for CIFAR-100
	// and TinyImageNet, a tenth otherwise.
	Rate     float64 `json:"rate,omitempty" range:"(0,1e38]" flag:"swag-rate" of:"swag" from:"learning-rate" help:"constant learning rate while weights are collected; if left out, the published share of the first rate"`
	Rank     int     `json:"rank,omitempty" range:"[2,16777216]" flag:"swag-rank" of:"swag" help:"epochs whose deviations make up half of the covariance; if left out, 20"`
	Diagonal bool    `json:"diagonal,omitempty" flag:"swag-diagonal" of:"swag" help:"leave out the half of the covariance that is not diagonal"`

	Cycles      int     `json:"cycles,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs" help:"cycles of the learning rate, a divisor of the epochs; if left out, cycles of about 50 epochs, two at least"`
	Snapshots   int     `json:"snapshots,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs cycles" help:"last epochs of a cycle whose weights are samples; if left out, 5, or half a cycle"`
	NoiseEpochs int     `json:"noise_epochs,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs cycles" help:"last epochs of a cycle with noise; if left out, a tenth of the cycle, and the snapshots at least"`
	Temperature float64 `json:"temperature,omitempty" range:"(0,1e38]" of:"csghmc" help:"factor of the variance of the noise, 1 samples the posterior; if left out, 1/50,000, as published"`

	// Dropout is the probability with which MCDropout drops an input; 0 means 0.5 for networks
	// whose layers have dropout (VGG16) and 0.1 for others, where all layers but the first get it.
	Dropout float64 `json:"dropout,omitempty" range:"(0,1)" of:"mcdropout" help:"probability of dropping an input; if left out, 0.5 for vgg16, 0.1 for networks without dropout"`

	// Std is the standard deviation of the factors of DAMP; 0 means 0.2, or 0.1 on CIFAR-100 and
	// TinyImageNet.
	Std        float64 `json:"std,omitempty" range:"(0,1e38]" flag:"damp-std" of:"damp" help:"standard deviation of the factors of the weights; if left out, the published one"`
	SubBatches int     `json:"sub_batches,omitempty" range:"[1,16777216]" flag:"damp-sub-batches" of:"damp" help:"parts of a batch with factors of their own; if left out, 8, or the largest divisor of the batch below. 1, published for CIFAR, takes about as long as map; each further part adds to that (docs/numbers.md)"`
}

// Name names a method.
type Name string

// The methods.
const (
	NodeBNN Name = "nodebnn" // the method of the paper: a posterior over the latents of the nodes
	MAP     Name = "map"     // SGD with Nesterov momentum: one network, the maximum a posteriori
)

// Names lists the methods of this program: the node-BNN, the other built-in ones, then Define's.
func Names() []Name {
	names := make([]Name, 0)
	for _, d := range definitions.All() {
		names = append(names, d.name)
	}
	return names
}

// Title returns the name of a method in texts and pictures, for example "SWAG". A name that isn't
// in Names is its own title.
func (n Name) Title() string {
	return cmp.Or(definitionOf(Method{Name: n}).title, string(n))
}

// Apply returns the method with its defaults, and the settings that it trains with: a network
// without latents unless the method is NodeBNN or one of Define. The names NodeBNN and MAP become
// "", since the settings distinguish them: Of names them.
func (m Method) Apply(s network.Settings, data string) (Method, network.Settings) {
	if m.Name == NodeBNN {
		m.Name = ""
	}
	d := definitionOf(m)
	if !d.isOrdinary() {
		m.Fingerprint = cmp.Or(m.Fingerprint, d.fingerprint)
		return m, s
	}
	s.Posterior.Mode = cmp.Or(s.Posterior.Mode, network.Deterministic)
	if t := &s.Training; d.rateFactor != 0 && t.LearningRate == 0 {
		t.LearningRate = d.rateFactor * s.WithDefaults().Training.LearningRate
	}
	if t := &s.Training; d.momentum != 0 && !t.NoMomentum {
		t.Momentum = cmp.Or(t.Momentum, d.momentum)
	}
	if d.fill != nil {
		m = d.fill(m, target{settings: s.WithDefaults(), data: data})
	}
	if m == (Method{Name: MAP}) && s.Posterior.Mode == network.Deterministic {
		m = Method{}
	}
	return m, s
}

// Of returns the name of the method that trains settings.
func (m Method) Of(s network.Settings) Name {
	if m.Name == "" && s.Posterior.Mode == network.Deterministic {
		return MAP
	}
	return cmp.Or(m.Name, NodeBNN)
}

// Validate checks a method and settings that Apply has returned.
func (m Method) Validate(s network.Settings, data string) error {
	d := definitionOf(m)
	if err := m.Undefined(); err != nil {
		return err
	}
	if err := check.Known("method", m.Of(s), Names()...); err != nil {
		return cmp.Or(definitions.Refused(string(m.Name)),
			fmt.Errorf("%w; one of your own is in your program", err))
	}
	if err := check.Ranges(m); err != nil || !d.isOrdinary() {
		return err
	}
	if mode := s.Posterior.Mode; mode != network.Deterministic {
		return fmt.Errorf("nbbnn: method %s trains a network without latents, not mode %q: "+
			"leave the mode out",
			m.Name, mode)
	}
	if d.check == nil {
		return nil
	}
	return d.check(m, target{settings: s, data: data})
}

// CheckLatents returns an error if a network without latents can't predict with fixed latents:
// SWAG's mean counts as such.
func (m Method) CheckLatents(latents network.Latents) error {
	d := definitionOf(m)
	if !d.isOrdinary() || latents == "" || slices.Contains(d.fixed, latents) {
		return nil
	}
	return fmt.Errorf("nbbnn: latents %q can't be fixed in a network of the method %s, which has "+
		"none: leave them out",
		latents, m.Name)
}

// Training returns how a Stepper trains the filled method: its update rule, schedule and hooks.
// images is the number of training images.
func (m Method) Training(s network.Settings, images int) network.StepperOptions {
	d := definitionOf(m)
	if d.training == nil {
		return network.StepperOptions{}
	}
	return d.training(m, target{settings: s, images: images})
}

// Compress returns the method for a training of another number of epochs: options that count epochs
// are scaled, and cycles become shorter, the default's too.
func (m Method) Compress(from, to int) Method {
	if m.Start != 0 {
		start := int(math.Round(float64(m.Start) * float64(to) / float64(from)))
		m.Start = latestStart(start, to)
	}
	if m.Name == CSGHMC {
		m = compressCycles(m, from, to)
	}
	return m
}

// compressCycles keeps the number of cycles of a training, the default one too if cycles of two
// epochs or more allow it.
func compressCycles(m Method, from, to int) Method {
	before := fillCSGHMC(m, epochsOnly(from))
	if before.Cycles < 1 { // an error of the check
		return m
	}
	m.Cycles = 1
	if before.Cycles > 1 {
		m.Cycles = equalCycles(to, min(before.Cycles, max(1, to/2)))
	}
	if m.Cycles < 1 {
		return m
	}
	cycle := to / m.Cycles
	m.Snapshots = min(before.Snapshots, max(1, cycle/2))
	m.NoiseEpochs = compressNoise(before, from/before.Cycles, cycle)
	return m
}

// compressNoise returns the number of epochs with noise of a shorter cycle: the same share of it,
// or 0 for the default, if m has the default.
func compressNoise(m Method, from, to int) int {
	filled := fillCSGHMC(Method{Cycles: 1, Snapshots: m.Snapshots}, epochsOnly(from))
	if m.NoiseEpochs == 0 || m.NoiseEpochs == filled.NoiseEpochs {
		return 0
	}
	noisy := int(math.Round(float64(m.NoiseEpochs) * float64(to) / float64(from)))
	return min(max(1, noisy), to)
}

// epochsOnly returns a target of which nothing but the epochs of the training matters.
func epochsOnly(epochs int) target {
	return target{settings: network.Settings{Training: network.Training{Epochs: epochs}}}
}

// Switched returns the training of the weights for the method instead of another one: as long, with
// a learning rate in the same relation to the network's.
func (m Method) Switched(from Method, t network.Training) network.Training {
	before, after := definitionOf(from), definitionOf(m)
	if before.name == after.name { // not even rounded
		return t
	}
	t.LearningRate = t.LearningRate * cmp.Or(after.rateFactor, 1) / cmp.Or(before.rateFactor, 1)
	if before.momentum != after.momentum {
		t.Momentum, t.NoMomentum = 0, false
	}
	return t
}
