package baseline

import (
	"cmp"
	"math"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// Compress returns the method for a training of another number of epochs: options that are numbers
// of epochs are scaled, and cycles become shorter, those of the default too.
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

// compressCycles keeps the number of cycles of a training, the default one too, where cycles of two
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

// epochsOnly is a target of which nothing but the epochs of the training matters.
func epochsOnly(epochs int) target {
	return target{settings: network.Settings{Training: network.Training{Epochs: epochs}}}
}

// Switched returns the training of the weights for the method instead of another one: as long, with
// a learning rate in the same relation to the network's.
func (m Method) Switched(from Method, t network.Training) network.Training {
	before, _ := definitionOf(from)
	after, _ := definitionOf(m)
	if before.name == after.name { // not even rounded
		return t
	}
	t.LearningRate = t.LearningRate * cmp.Or(after.rateFactor, 1) / cmp.Or(before.rateFactor, 1)
	if before.momentum != after.momentum {
		t.Momentum, t.NoMomentum = 0, false
	}
	return t
}
