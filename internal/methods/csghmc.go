package methods

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Published values. The momentum is the rest of the velocity after a friction of 0.9; the rate is
// 0.5 for a ResNet18, whose usual one is 0.1.
const (
	hmcCycleEpochs = 50
	hmcSnapshots   = 5 // of a cycle; 3 are published, but samples of all methods should be 30
	hmcNoiseShare  = 0.1
	hmcTemperature = 1.0 / 50_000
	hmcMomentum    = 0.1
	hmcRateFactor  = 5
)

func csghmcDefinition() definition {
	return definition{
		name:       baseline.CSGHMC,
		title:      "cSG-HMC",
		rateFactor: hmcRateFactor,
		momentum:   hmcMomentum,
		fill:       fillCSGHMC,
		check:      checkCSGHMC,
		training: func(m Method, at target) network.StepperOptions {
			kept := &snapshots{chosen: isSnapshot(m, at.settings.Training.Epochs)}
			return network.StepperOptions{
				Rule: hamiltonian(m, at),
				// the rule has a rate for each step
				Schedule: func(epoch int) (theta, phi, beta float64) {
					_, phi, beta = at.settings.Training.Rates(epoch)
					return cyclicalRateAt(m, at, network.Position{Epoch: epoch}), phi, beta
				},
				Hooks: []network.Hook{kept.hook()},
			}
		},
		copies:  func(m Method, _ int) int { return m.Cycles * m.Snapshots },
		kept:    snapshotsAfter,
		weights: csghmcWeights,
	}
}

func fillCSGHMC(m Method, at target) Method {
	epochs := at.settings.Training.Epochs
	if m.Cycles == 0 {
		m.Cycles = equalCycles(epochs, max(1, int(math.Round(float64(epochs)/hmcCycleEpochs))))
	}
	if m.Cycles < 1 { // an error of the check
		return m
	}
	cycle := epochs / m.Cycles
	if m.Snapshots == 0 {
		m.Snapshots = min(hmcSnapshots, max(1, cycle/2))
	}
	if m.NoiseEpochs == 0 {
		m.NoiseEpochs = max(m.Snapshots, int(math.Round(hmcNoiseShare*float64(cycle))))
	}
	if m.Temperature == 0 {
		m.Temperature = hmcTemperature
	}
	return m
}

// equalCycles returns the largest number of cycles up to a limit that divides the epochs, but
// instead of 1 the smallest above the limit, since one cycle samples one mode. Fewer than four
// epochs are one cycle; 0 means that only single epochs would be equal cycles.
func equalCycles(epochs, most int) int {
	if epochs < 4 {
		return 1
	}
	if d := largestDivisor(epochs, most); d > 1 {
		return d
	}
	for d := 2; d*d <= epochs; d++ {
		if epochs%d == 0 {
			return d
		}
	}
	return 0
}

// largestDivisor returns the largest divisor of a number of epochs or images that is at most a
// limit.
func largestDivisor(count, most int) int {
	largest := 1
	for d := 1; d*d <= count; d++ {
		for _, divisor := range []int{d, count / d} {
			if count%d == 0 && divisor <= most {
				largest = max(largest, divisor)
			}
		}
	}
	return largest
}

func checkCSGHMC(m Method, at target) error {
	epochs := at.settings.Training.Epochs
	if m.Cycles == 0 {
		return fmt.Errorf("nbbnn: %d epochs can't be several cycles of equal length: give %d or "+
			"%d epochs, or 1 cycle (--cycles 1)",
			epochs, epochs-1, epochs+1)
	}
	if epochs%m.Cycles != 0 {
		return fmt.Errorf("nbbnn: %d epochs can't be %d cycles of equal length: give %d cycles, "+
			"or a multiple of %d epochs",
			epochs, m.Cycles, largestDivisor(epochs, m.Cycles), m.Cycles)
	}
	if cycle := epochs / m.Cycles; m.Snapshots > cycle || m.NoiseEpochs > cycle {
		return fmt.Errorf("nbbnn: a cycle has %d epochs, fewer than its %d snapshots or %d epochs "+
			"with noise: give fewer, or fewer cycles",
			cycle, m.Snapshots, m.NoiseEpochs)
	}
	return nil
}

// cyclicalRate returns the learning rate of a step of a cycle: half a cosine from the first rate
// to 0.
func cyclicalRate(first float64, step, steps int) float64 {
	return first / 2 * (math.Cos(math.Pi*float64(step)/float64(steps)) + 1)
}

// cyclicalRateAt returns the learning rate of the next step of a training.
func cyclicalRateAt(m Method, at target, p network.Position) float64 {
	t := at.settings.Training
	steps, cycle := at.images/t.Batch, t.Epochs/m.Cycles
	return cyclicalRate(t.LearningRate, p.Epoch%cycle*steps+p.Step, cycle*steps)
}

// hamiltonian returns the rule of a step. Its inputs are the rate of the step and the standard
// deviation of the noise.
func hamiltonian(m Method, at target) network.Rule {
	rule := network.Nesterov()
	buffer, t := rule.ThetaBuffers[0], at.settings.Training
	cycle := t.Epochs / m.Cycles
	rule.Name, rule.Normals = string(baseline.CSGHMC), 1
	rule.Inputs = func(p network.Position) []float32 {
		rate, noise := cyclicalRateAt(m, at, p), 0.0
		if p.Epoch%cycle >= cycle-m.NoiseEpochs {
			noise = hamiltonianNoise(t.Momentum, rate, m.Temperature, at.images)
		}
		return []float32{float32(rate), float32(noise)}
	}
	rule.Update = func(s *network.StepGraph) {
		gradients, _ := s.Gradients(s.Loss(nil))
		input := func(i int) *Node { return Reshape(Slice(s.Inputs, AxisElem(i))) }
		for i, p := range s.Theta {
			before := s.Buffer(buffer, p)
			next, velocity := hamiltonianStep(p.Value, before.Value, gradients[i], s.Normals(p),
				input(0), input(1), s.Settings.Training.Momentum, s.Settings.Training.WeightDecay)
			s.Set(p, next)
			s.Set(before, velocity)
		}
	}
	return rule
}

// hamiltonianNoise returns the standard deviation of the noise of a step: sqrt(2 a l T / N) with
// the friction a = 1 - momentum. With T = 1 the steps sample the posterior of N images.
func hamiltonianNoise(momentum, rate, temperature float64, images int) float64 {
	return math.Sqrt(2 * (1 - momentum) * rate * temperature / float64(images))
}

// hamiltonianStep returns a parameter and its velocity after one step: v' = momentum v - rate (g +
// decay w) + noise xi, and w' = w + v'. xi is standard normal, in the parameter's shape.
func hamiltonianStep(
	parameter, velocity, gradient, normal, rate, noise *Node, momentum, weightDecay float64,
) (next, nextVelocity *Node) {
	force := Add(gradient, MulScalar(parameter, weightDecay))
	kept := Sub(MulScalar(velocity, momentum), Mul(rate, force))
	nextVelocity = Add(kept, Mul(noise, normal))
	return Add(parameter, nextVelocity), nextVelocity
}

// csghmcWeights returns the snapshots that a training has kept.
func csghmcWeights(m Method, at target, state []network.Tensor) (weights, error) {
	k := &snapshots{}
	if err := k.setState(k.hook().Tensors(state)); err != nil {
		return weights{}, err
	}
	count := len(k.kept)
	if count == 0 {
		cycle := at.settings.Training.Epochs / m.Cycles
		return weights{}, fmt.Errorf("nbbnn: csghmc has no snapshot before the end of the first "+
			"cycle: take an epoch from %d",
			cycle-m.Snapshots+1)
	}
	return weights{count: count, stored: func(sample, samples int) []network.Tensor {
		return k.kept[spread(sample, samples, count)]
	}}, nil
}

// spread returns the snapshot that is sample number i of a smaller number: evenly spread, with the
// last of all as the last.
func spread(i, samples, count int) int { return (i+1)*count/samples - 1 }
