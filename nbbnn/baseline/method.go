package baseline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Method says how weights are trained and which weights predict. The zero value is the node-BNN of
// the paper, or MAP if the network has no latents. Its options belong to one method each: zero means
// the default, and an option of another method is refused.
type Method struct {
	Name Name `json:"name"` // "" means NodeBNN

	// Rho is the length of the move of SAM and ASAM; 0 means the published one: for SAM 0.05, for
	// ASAM 0.5, and twice as long on CIFAR-100 and TinyImageNet.
	Rho float64 `json:"rho,omitempty"`
	// BothPasses lets both passes of SAM and ASAM update the running statistics of batch
	// normalisation; the default is the first pass alone.
	BothPasses bool `json:"both_passes,omitempty"`

	// Start is the number of epochs before SWAG collects the weights of each epoch; 0 means 161 of
	// 300, or the same share.
	Start int `json:"start,omitempty"`
	// Rate is SWAG's constant learning rate from nine tenths of Start on; 0 means the published
	// share of the first one: a fifth for networks without batch normalisation, half for CIFAR-100
	// and TinyImageNet, a tenth otherwise.
	Rate float64 `json:"rate,omitempty"`
	// Rank is the number of epochs whose deviations make up half of SWAG's covariance; 0 means 20.
	Rank int `json:"rank,omitempty"`
	// Diagonal leaves out that half.
	Diagonal bool `json:"diagonal,omitempty"`

	// Cycles is the number of cycles of CSGHMC, a divisor of the epochs; 0 means cycles of about 50
	// epochs.
	Cycles int `json:"cycles,omitempty"`
	// Snapshots is the number of last epochs of a cycle whose weights CSGHMC keeps; 0 means 5, or
	// half a cycle.
	Snapshots int `json:"snapshots,omitempty"`
	// NoiseEpochs is the number of last epochs of a cycle with noise; 0 means a tenth of the cycle,
	// and Snapshots at least.
	NoiseEpochs int `json:"noise_epochs,omitempty"`
	// Temperature scales the variance of CSGHMC's noise: 1 samples the posterior; 0 means 1/50,000,
	// as published.
	Temperature float64 `json:"temperature,omitempty"`

	// Dropout is the probability with which MCDropout drops an input; 0 means 0.5 for networks whose
	// layers have dropout, such as VGG16, and 0.1 for others, where it's of all layers but the first.
	Dropout float64 `json:"dropout,omitempty"`

	// Std is the standard deviation of the factors of DAMP; 0 means 0.2, or 0.1 on CIFAR-100 and
	// TinyImageNet.
	Std float64 `json:"std,omitempty"`
	// SubBatches is the number of parts of a batch with factors of their own, a divisor of the batch
	// size; 0 means 8.
	SubBatches int `json:"sub_batches,omitempty"`
}

// Name names a method.
type Name string

// The methods.
const (
	NodeBNN Name = "nodebnn" // the method of the paper: a posterior over the latents of the nodes
	MAP     Name = "map"     // SGD with Nesterov momentum: one network, the maximum a posteriori
)

// Names lists the methods, the node-BNN first.
func Names() []Name {
	names := []Name{NodeBNN}
	for _, d := range definitions() {
		names = append(names, d.name)
	}
	return names
}

// definition is one of the methods that train an ordinary network.
type definition struct {
	name Name
	// rateFactor is the method's first learning rate as a multiple of the network's; 0 means 1.
	rateFactor float64
	// passes is the number of forward and backward passes of each image of a step; 0 means 1.
	passes int
	// momentum is the default; 0 means that of all networks.
	momentum float64
	// fill replaces the options that are zero by their defaults.
	fill func(m Method, at target) Method
	// check returns an error for options that the method can't have; nil means that it has none.
	check func(m Method, at target) error
	// training returns how a Stepper trains the method; nil means with Nesterov momentum.
	training func(m Method, at target) network.StepperOptions
	// copies returns how many further copies of the weights a checkpoint keeps; nil means none.
	copies func(m Method, epochs int) int
	// samples returns how many samples a prediction has if some number is asked for; nil means 1.
	samples func(m Method, asked int) int
	// kept returns how many snapshots a training of some epochs has after the first of them; nil if
	// samples are drawn.
	kept func(m Method, epoch, epochs int) int
	// fixed lists the fixed latents that predictions can be made with.
	fixed []network.Latents
	// weights returns the posterior of the weights from the variables of a checkpoint; nil means
	// that the network's own weights predict.
	weights func(m Method, at target, state []network.Tensor) (weights, error)
}

// target is what a method is applied to.
type target struct {
	settings network.Settings // filled, but for what the method itself decides
	data     string           // name of the data set
	images   int              // of the training set; 0 before it's known
}

// definitions returns the methods in the order of Names.
func definitions() []definition {
	return []definition{
		{name: MAP},
		samDefinition(SAM),
		samDefinition(ASAM),
		swagDefinition(),
		csghmcDefinition(),
		mcDropoutDefinition(),
		dampDefinition(),
	}
}

// definition returns what a method does. The node-BNN and unknown names have none.
func (m Method) definition() (d definition, found bool) {
	all := definitions()
	i := slices.IndexFunc(all, func(d definition) bool { return d.name == m.Name })
	if i < 0 {
		return definition{}, false
	}
	return all[i], true
}

// option is one of the fields of Method.
type option struct {
	name string // in JSON
	set  bool
	of   []Name
}

func (m Method) options() []option {
	return []option{
		{"rho", m.Rho != 0, []Name{SAM, ASAM}},
		{"both_passes", m.BothPasses, []Name{SAM, ASAM}},
		{"start", m.Start != 0, []Name{SWAG}},
		{"rate", m.Rate != 0, []Name{SWAG}},
		{"rank", m.Rank != 0, []Name{SWAG}},
		{"diagonal", m.Diagonal, []Name{SWAG}},
		{"cycles", m.Cycles != 0, []Name{CSGHMC}},
		{"snapshots", m.Snapshots != 0, []Name{CSGHMC}},
		{"noise_epochs", m.NoiseEpochs != 0, []Name{CSGHMC}},
		{"temperature", m.Temperature != 0, []Name{CSGHMC}},
		{"dropout", m.Dropout != 0, []Name{MCDropout}},
		{"std", m.Std != 0, []Name{DAMP}},
		{"sub_batches", m.SubBatches != 0, []Name{DAMP}},
	}
}

// Apply returns the method with its defaults, and the settings that it trains with: a network
// without latents unless the method is NodeBNN. The names NodeBNN and MAP become "", since the
// settings alone tell them apart: Of names them.
func (m Method) Apply(s network.Settings, data string) (Method, network.Settings) {
	if m.Name == NodeBNN {
		m.Name = ""
	}
	d, found := m.definition()
	if !found {
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
	if err := check.Known("method", m.Of(s), Names()...); err != nil {
		return err
	}
	if err := m.checkOptions(s); err != nil {
		return err
	}
	d, found := m.definition()
	if !found {
		return nil
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

// checkOptions refuses the options of other methods.
func (m Method) checkOptions(s network.Settings) error {
	name := m.Of(s)
	for _, o := range m.options() {
		if !o.set || slices.Contains(o.of, name) {
			continue
		}
		var owners []string
		for _, owner := range o.of {
			owners = append(owners, string(owner))
		}
		return fmt.Errorf("nbbnn: %s is an option of the method %s, not of %s: leave it out",
			strings.ReplaceAll(o.name, "_", " "), strings.Join(owners, " and "), name)
	}
	return nil
}

// Training returns how a Stepper trains the filled method: its update rule, schedule and hooks.
// images is the number of training images.
func (m Method) Training(s network.Settings, images int) network.StepperOptions {
	d, found := m.definition()
	if !found || d.training == nil {
		return network.StepperOptions{}
	}
	return d.training(m, target{settings: s, images: images})
}

// Compress returns the method for a training of another number of epochs: options that are numbers
// of epochs are scaled, and cycles become shorter.
func (m Method) Compress(from, to int) Method {
	if m.Start != 0 {
		m.Start = max(1, int(math.Round(float64(m.Start)*float64(to)/float64(from))))
	}
	if m.Cycles != 0 {
		before := m
		m.Cycles = largestDivisor(to, min(m.Cycles, max(1, to/2)))
		cycle := to / m.Cycles
		m.Snapshots = min(m.Snapshots, max(1, cycle/2))
		m.NoiseEpochs = before.compressNoise(from/before.Cycles, cycle)
	}
	return m
}

// compressNoise returns the number of epochs with noise of a shorter cycle: the same share of it, or
// 0 for the default, if m has the default.
func (m Method) compressNoise(from, to int) int {
	filled := fillCSGHMC(Method{Cycles: 1, Snapshots: m.Snapshots}, epochsOnly(from))
	if m.NoiseEpochs == 0 || m.NoiseEpochs == filled.NoiseEpochs {
		return 0
	}
	noisy := int(math.Round(float64(m.NoiseEpochs) * float64(to) / float64(from)))
	return min(max(1, noisy), to)
}

// epochsOnly is a target of which nothing but the epochs of the training matters.
func epochsOnly(epochs int) target {
	return target{settings: network.Settings{Training: network.Training{Epochs: epochs}}}
}

// Switched returns the training of the weights for the method instead of another one: as long, with
// a learning rate in the same relation to the network's.
func (m Method) Switched(from Method, t network.Training) network.Training {
	before, _ := from.definition()
	after, _ := m.definition()
	t.LearningRate = t.LearningRate * cmp.Or(after.rateFactor, 1) / cmp.Or(before.rateFactor, 1)
	if before.momentum != after.momentum {
		t.Momentum, t.NoMomentum = 0, false
	}
	return t
}

// Passes returns how many forward and backward passes of each image a step takes, without the
// samples of latents: the cost of a step in steps of MAP, but for noise and averages.
func (m Method) Passes() int {
	d, _ := m.definition()
	return cmp.Or(d.passes, 1)
}

// Copies returns how many copies of the weights the filled method keeps in a checkpoint after a
// number of epochs, besides the weights and the buffers of their update.
func (m Method) Copies(epochs int) int {
	d, _ := m.definition()
	if d.copies == nil {
		return 0
	}
	return d.copies(m, epochs)
}

// Renormalises reports whether each sample of a prediction needs a pass over the training images
// first, if the network has batch normalisation: running statistics of drawn weights aren't known.
func (m Method) Renormalises() bool { return m.Name == SWAG }

// Samples returns the number of samples of a prediction of a network without latents if some number
// is asked for: 1 if its weights alone predict, because all samples would be the same.
func (m Method) Samples(asked int) int {
	d, found := m.definition()
	if !found || d.samples == nil {
		return 1
	}
	return d.samples(m, asked)
}

// SamplesAfter is Samples for the weights after a number of epochs of a training: a method that keeps
// snapshots has fewer of them then. It is asked if there is no snapshot yet.
func (m Method) SamplesAfter(epoch int, s network.Settings, asked int) int {
	d, found := m.definition()
	if !found || d.kept == nil {
		return m.Samples(asked)
	}
	kept := d.kept(m, epoch, s.Training.Epochs)
	if kept == 0 {
		return asked
	}
	return min(asked, kept)
}

// HasSeveralWeights reports whether predictions take several sets of weights, so that the network of
// Run.Model alone predicts something else.
func (m Method) HasSeveralWeights() bool {
	d, found := m.definition()
	return found && d.weights != nil
}

// CheckLatents returns an error if a prediction of a network without latents can't be made with
// fixed latents, of which SWAG's mean is one.
func (m Method) CheckLatents(latents network.Latents) error {
	d, found := m.definition()
	if !found || latents == "" || slices.Contains(d.fixed, latents) {
		return nil
	}
	return fmt.Errorf("nbbnn: latents %q can't be fixed in a network of the method %s, which has none: "+
		"leave them out",
		latents, m.Name)
}
