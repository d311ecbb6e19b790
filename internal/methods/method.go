package methods

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/methods/own"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Names lists the methods of this program: the node-BNN, the other built-in ones, then Define's.
func Names() []string { return own.Methods.Names() }

// Title returns the name of a method in texts and pictures, for example "SWAG". A name that isn't
// in Names is its own title.
func Title(n baseline.Name) string {
	return cmp.Or(definitionOf(Method{Name: n}).title, string(n))
}

// Apply returns the method with its defaults, and the settings that it trains with: a network
// without latents unless the method is NodeBNN or a program's own. The names NodeBNN and MAP become
// "", since the settings distinguish them: Of names them.
func Apply(m Method, s network.Settings, data string) (Method, network.Settings) {
	if m.Name == baseline.NodeBNN {
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
	if m == (Method{Name: baseline.MAP}) && s.Posterior.Mode == network.Deterministic {
		m = Method{}
	}
	return m, s
}

// Of returns the name of the method that trains settings.
func Of(m Method, s network.Settings) baseline.Name {
	if m.Name == "" && s.Posterior.Mode == network.Deterministic {
		return baseline.MAP
	}
	return cmp.Or(m.Name, baseline.NodeBNN)
}

// Validate checks a method and settings that Apply has returned.
func Validate(m Method, s network.Settings, data string) error {
	d := definitionOf(m)
	if err := Undefined(m); err != nil {
		return err
	}
	if err := check.Known("method", string(Of(m, s)), Names()...); err != nil {
		return cmp.Or(own.Methods.Refused(string(m.Name)),
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
func CheckLatents(m Method, latents network.Latents) error {
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
func Training(m Method, s network.Settings, images int) network.StepperOptions {
	d := definitionOf(m)
	if d.training == nil {
		return network.StepperOptions{}
	}
	return d.training(m, target{settings: s, images: images})
}

// Compress returns the method for a training of another number of epochs: options that count epochs
// are scaled, and cycles become shorter, the default's too.
func Compress(m Method, from, to int) Method {
	if m.Start != 0 {
		start := int(math.Round(float64(m.Start) * float64(to) / float64(from)))
		m.Start = latestStart(start, to)
	}
	if m.Name == baseline.CSGHMC {
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
func Switched(m Method, from Method, t network.Training) network.Training {
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
