package methods

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/schedule"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Published values, of 300 epochs.
const (
	swagRank       = 20
	swagStartShare = 161.0 / 300
)

// swagFewest is the number of epochs after the start that a covariance needs.
const swagFewest = 2

func swagDefinition() definition {
	return definition{
		name:  baseline.SWAG,
		title: "SWAG",
		fill:  fillSWAG,
		check: checkSWAG,
		copies: func(m Method, epochs int) int {
			return 2 + min(rankOf(m), max(0, epochs-m.Start))
		},
		draws:   true,
		fixed:   []network.Latents{network.MeanLatents},
		weights: swagWeights,
		training: func(m Method, at target) network.StepperOptions {
			collected := &moments{start: m.Start, rank: rankOf(m)}
			rate := at.settings.Training.LearningRate
			return network.StepperOptions{
				Rule: heavyBall(),
				Schedule: func(epoch int) (theta, phi, beta float64) {
					_, phi, beta = at.settings.Training.Rates(epoch)
					return rate * schedule.Factor(epoch, m.Start, m.Rate/rate), phi, beta
				},
				Hooks: []network.Hook{collected.hook()},
			}
		},
	}
}

// rankOf returns the number of deviations that are kept.
func rankOf(m Method) int {
	if m.Diagonal {
		return 0
	}
	return m.Rank
}

func fillSWAG(m Method, at target) Method {
	t := at.settings.Training
	if m.Start == 0 {
		m.Start = latestStart(int(math.Round(swagStartShare*float64(t.Epochs))), t.Epochs)
	}
	if m.Rate == 0 {
		m.Rate = t.LearningRate * swagRateShare(at.settings.Network.Name, at.hasManyClasses())
	}
	if m.Rank == 0 && !m.Diagonal {
		m.Rank = swagRank
	}
	return m
}

// latestStart returns a start that was computed, or an earlier one that leaves enough epochs.
func latestStart(start, epochs int) int { return max(1, min(start, epochs-swagFewest)) }

// swagRateShare returns the constant learning rate as a share of the first one: 0.01 of 0.05 for a
// VGG16, and for residual networks 0.05 of 0.1, or 0.01 of 0.1 on CIFAR-10.
func swagRateShare(name string, many bool) float64 {
	switch {
	case name == "vgg16" || name == "allcnnc":
		return 0.2
	case many:
		return 0.5
	}
	return 0.1
}

func checkSWAG(m Method, at target) error {
	epochs := at.settings.Training.Epochs
	if m.Diagonal && m.Rank != 0 {
		return fmt.Errorf("nbbnn: rank is %d, and diagonal asks for none: leave one of the two out",
			m.Rank)
	}
	if epochs <= swagFewest {
		return fmt.Errorf("nbbnn: swag collects the weights of two epochs or more after its "+
			"start, and the training has %d: give 3 epochs or more",
			epochs)
	}
	if m.Start > epochs-swagFewest {
		return fmt.Errorf("nbbnn: swag collects the weights of each epoch after %d of %d, "+
			"and needs two epochs or more: give a start from 1 to %d, or more epochs",
			m.Start, epochs, epochs-swagFewest)
	}
	return nil
}

// heavyBall is SGD with momentum that isn't Nesterov's, and weight decay.
func heavyBall() network.Rule {
	rule := network.Nesterov()
	buffer := rule.ThetaBuffers[0]
	rule.Name = "momentum"
	rule.Update = func(s *network.StepGraph) {
		t := s.Settings.Training
		gradients, _ := s.Gradients(s.Loss(nil))
		for i, p := range s.Theta {
			next := Add(gradients[i], MulScalar(p.Value, t.WeightDecay))
			before := s.Buffer(buffer, p)
			next = Add(MulScalar(before.Value, t.Momentum), next)
			s.Set(p, Sub(p.Value, Mul(s.ThetaRate, next)))
			s.Set(before, next)
		}
	}
	return rule
}

// swagWeights returns the draws of the Gaussian that a training has collected.
func swagWeights(m Method, at target, state []network.Tensor) (weights, error) {
	c := &moments{start: m.Start, rank: rankOf(m)}
	if err := c.setState(c.hook().Tensors(state)); err != nil {
		return weights{}, err
	}
	if c.snapshots < 2 {
		return weights{}, fmt.Errorf("nbbnn: swag has the weights of %d of the two epochs that a "+
			"covariance needs: take an epoch after %d",
			c.snapshots, m.Start+1)
	}
	return weights{
		mean: func() []float32 { return c.mean },
		draw: func(seed uint64, sample int) []float32 {
			rng := random.New(at.settings.Seed, random.Weights, seed, uint64(sample))
			return c.sample(normalValues(rng, len(c.mean)), normalValues(rng, len(c.deviations)))
		},
	}, nil
}

// smallestVariance bounds the diagonal of the covariance from below.
const smallestVariance = 1e-30

// sample returns one draw from standard normal numbers, diagonal for each weight and low for each
// deviation: with only the diagonal it's mean + sqrt(v) z, otherwise mean + sqrt(1/2) (sqrt(v) z1 +
// D z2 / sqrt(R-1)), where v is the variance of each weight and D holds the last R deviations.
func (c *moments) sample(diagonal, low []float64) []float32 {
	drawn := make([]float32, len(c.mean))
	scale, lowScale := 1.0, 0.0
	if len(c.deviations) > 0 {
		scale, lowScale = math.Sqrt(0.5), 1/math.Sqrt(float64(max(1, len(c.deviations)-1)))
	}
	for i := range drawn {
		mean := float64(c.mean[i])
		variance := max(float64(c.square[i])-mean*mean, smallestVariance)
		step, sum := math.Sqrt(variance)*diagonal[i], 0.0
		for k, d := range c.deviations {
			sum += float64(d[i]) * low[k]
		}
		drawn[i] = float32(mean + scale*(step+sum*lowScale))
	}
	return drawn
}

// moments are the statistics that SWAG collects of the weights after each epoch from start on.
type moments struct {
	start, rank  int
	snapshots    int
	mean, square []float32   // of each weight, and of its square
	deviations   [][]float32 // of the last snapshots from the mean at their time
}

// add takes in the weights of one more epoch.
func (c *moments) add(weights []float32) {
	n := float64(c.snapshots)
	mean, square := make([]float32, len(weights)), make([]float32, len(weights))
	for i, w := range weights {
		m, q := 0.0, 0.0
		if c.snapshots > 0 {
			m, q = float64(c.mean[i]), float64(c.square[i])
		}
		mean[i] = float32((m*n + float64(w)) / (n + 1))
		square[i] = float32((q*n + float64(w)*float64(w)) / (n + 1))
	}
	c.mean, c.square, c.snapshots = mean, square, c.snapshots+1
	if c.rank == 0 {
		return
	}
	deviation := make([]float32, len(weights))
	for i, w := range weights {
		deviation[i] = w - mean[i]
	}
	first := max(0, len(c.deviations)+1-c.rank)
	c.deviations = append(slices.Clone(c.deviations[first:]), deviation)
}

// hook collects after each epoch, and keeps everything in checkpoints.
func (c *moments) hook() network.Hook {
	return network.Hook{
		Name: string(baseline.SWAG),
		AfterEpoch: func(s *network.Stepper) error {
			if s.Position.Epoch <= c.start {
				return nil
			}
			variables, err := s.Model.Variables()
			if err != nil {
				return err
			}
			c.add(thetaValues(variables))
			return nil
		},
		State:    c.state,
		SetState: c.setState,
	}
}

// state returns the tensors of a checkpoint; none before the first snapshot.
func (c *moments) state() ([]network.Tensor, error) {
	if c.snapshots == 0 {
		return nil, nil
	}
	vector := func(name string, values []float32) network.Tensor {
		return safetensors.FromFloats(name, values, len(values))
	}
	all := []network.Tensor{
		vector("snapshots", []float32{float32(c.snapshots)}), vector("mean", c.mean),
		vector("square", c.square),
	}
	for i, d := range c.deviations {
		all = append(all, vector(fmt.Sprintf("deviation%02d", i), d))
	}
	return all, nil
}

// setState continues from the tensors of a checkpoint.
func (c *moments) setState(state []network.Tensor) error {
	*c = moments{start: c.start, rank: c.rank}
	for _, tensor := range state {
		switch values := tensor.Floats(); tensor.Name {
		case "snapshots":
			c.snapshots = int(values[0])
		case "mean":
			c.mean = values
		case "square":
			c.square = values
		default:
			c.deviations = append(c.deviations, values)
		}
	}
	return nil
}
