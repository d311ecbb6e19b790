package network

import (
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/random"
)

// Stepper trains a network in memory: it knows no directory, clock or progress. It holds the
// training images on the device and the compiled graphs of the steps. Every random number is
// counted, so a stepper that continues from the State of another takes the same steps.
type Stepper struct {
	Model    *Model   // that is trained
	Position Position // how far the training is; SetState sets it
	Steps    int      // of an epoch; an incomplete last batch is dropped
	// steps that a call of Step takes, unless too few are left in the epoch: then it takes one
	StepsPerCall int

	options StepperOptions
	images  dataset.Images
	pixels  *tensors.Tensor // uint8 [count, height, width, 3]
	labels  *tensors.Tensor // uint8 [count]
	single  *Program        // one step
	many    *Program        // StepsPerCall steps; nil if that is one
	order   []int32         // of the images in the epoch orderOf
	orderOf int
	terms   *Program
	noise   *stepNoise
	drawn   *tensors.Tensor // the normal numbers of each step
	ahead   *mixing         // images of the steps after the next ones; nil without AugMix
	passes  float64         // of the last graph of a step
}

// StepperOptions choose how a Stepper trains. The zero value is the training of the paper.
type StepperOptions struct {
	// Rule is the update rule; the zero value means the usual one of the settings.
	Rule Rule
	// Schedule returns the rates of an epoch, counted from 0; nil means Training.Rates, with a
	// posterior's rate that falls if the weights are frozen. A rule with a rate for each step gives
	// the first, for the record of a training.
	Schedule func(epoch int) (theta, phi, beta float64)
	// Gamma returns the weight of the extra entropy in an epoch, counted from 0; nil keeps
	// Objective.Gamma.
	Gamma func(epoch int) float64
	// Loss returns the loss of a batch, a scalar; nil means the gamma-ELBO.
	Loss func(l LossGraph) *Node
	// Hooks are called after steps and epochs.
	Hooks []Hook
	// Order returns the indices of the images in the order of an epoch; nil means a random
	// permutation.
	Order func(epoch int) []int32
	// StepsPerCall is the number of steps in one call of the engine; 0 means 1, or several if the
	// device draws the noise.
	StepsPerCall int
}

// NewStepper returns a stepper before the first step of a training on images, which follows the
// network's Settings.Training. The update rule adds its buffers to the network's variables.
func NewStepper(m *Model, images dataset.Images, options StepperOptions) (*Stepper, error) {
	if options.Schedule == nil {
		options.Schedule = usualSchedule(m.Settings)
	}
	s := &Stepper{
		Model: m, options: options, images: images, orderOf: -1,
		pixels: tensors.FromFlatDataAndDimensions(
			images.Pixels, images.Count(), images.Height, images.Width, 3),
		labels: tensors.FromFlatDataAndDimensions(images.Labels, images.Count()),
		noise:  newStepNoise(m),
	}
	s.Steps = len(s.orderIn(0)) / m.Settings.Training.Batch
	if s.Steps == 0 {
		return nil, fmt.Errorf("nbbnn: %d training images make no batch of %d: "+
			"choose a smaller batch or more images",
			images.Count(), m.Settings.Training.Batch)
	}
	if err := checkNormalised(m); err != nil {
		return nil, err
	}
	if options.Rule.Update == nil {
		s.options.Rule = usualRule(m.Settings, s.Steps)
	}
	return s, s.prepare()
}

// prepare adds the buffers of the update rule and prepares the graphs.
func (s *Stepper) prepare() (err error) {
	m := s.Model
	if err := addBuffers(m.store, s.options.Rule, m); err != nil {
		return err
	}
	if s.single, err = s.newProgram(s.step); err != nil {
		return err
	}
	s.StepsPerCall = max(1, s.options.StepsPerCall)
	if m.Noise == DeviceNoise && s.options.StepsPerCall == 0 {
		s.StepsPerCall = engine.StepsPerCall(s.Steps)
	}
	if s.StepsPerCall > 1 {
		if s.many, err = s.newProgram(manySteps(m, s.StepsPerCall, s.step)); err != nil {
			return err
		}
	}
	s.terms, err = m.newVariablesProgram("posterior's entropy", func(g *Graph) []*Node {
		terms := modelTerms(m, newPass(m, g, 1, false))
		return []*Node{terms.CrossEntropy, terms.Entropy}
	})
	return err
}

// step builds the graph of one training step. It updates the variables, and returns the mean
// negative log-likelihood of the rows (the Gibbs loss, METHOD.md 3.5) and the number of rows that
// are wrong.
func (s *Stepper) step(args []*Node) []*Node {
	g := newStepGraph(s.Model, args, s.imagesUsed(), s.options)
	s.options.Rule.Update(g)
	if g.nll == nil {
		panic(fmt.Errorf("network: the rule %q never calls StepGraph.Loss: take the gradients "+
			"of it", s.options.Rule.Name))
	}
	s.passes = g.passes
	return []*Node{g.nll, g.wrong}
}

func (s *Stepper) newProgram(build func(args []*Node) []*Node) (*Program, error) {
	training := s.Model.Settings.Training
	program, err := s.Model.NewProgram("training step", build)
	if err != nil {
		return nil, err
	}
	program.large = fmt.Sprintf("a training step of %s x %s",
		quantity.Count(training.Batch, "image"), quantity.Count(training.Samples, "sample"))
	program.cure = "take a smaller batch or fewer samples"
	return program, nil
}

// Rates returns the learning rates of weights and posterior, the annealing of the regulariser and
// the weight of the extra entropy in an epoch, counted from 0. If the rule has a rate for each
// step, it returns that of the epoch's first step.
func (s *Stepper) Rates(epoch int) (theta, phi, beta, gamma float64) {
	theta, phi, beta = s.options.Schedule(epoch)
	gamma = s.Model.Settings.Objective.Gamma
	if s.options.Gamma != nil {
		gamma = s.options.Gamma(epoch)
	}
	return theta, phi, beta, gamma
}

// Passes returns how many forward and backward passes of each image a step takes: samples of the
// latents times losses of the whole batch. It's 0 before the first step.
func (s *Stepper) Passes() int {
	return int(math.Round(s.passes * float64(s.Model.Settings.Training.Samples)))
}

// imagesUsed returns the number of training images that an epoch uses, N of the objective.
func (s *Stepper) imagesUsed() int { return s.Steps * s.Model.Settings.Training.Batch }

// DeviceMemory returns the device memory that the steps need, in bytes, or 0 if unknown, as before
// the first step.
func (s *Stepper) DeviceMemory() int64 { return max(s.single.memory(), s.many.memory()) }

// Step takes the next step of the training, or the next StepsPerCall, and returns their losses. A
// cancelled context ends it before the step; a step itself can't be interrupted. The error is a
// NotFiniteError if the negative log-likelihood isn't finite.
func (s *Stepper) Step(ctx context.Context) (Losses, error) {
	if err := ctx.Err(); err != nil {
		return Losses{}, err
	}
	before := s.Position
	losses, err := s.take(s.stepsAt(before))
	if err != nil {
		return losses, err
	}
	if math.IsNaN(losses.NLL) || math.IsInf(losses.NLL, 0) {
		return losses, NotFiniteError{before, losses}
	}
	return losses, s.callHooks(losses)
}

// stepsAt returns the number of steps of a call at a position.
func (s *Stepper) stepsAt(p Position) int {
	if s.StepsPerCall > 1 && p.Step%s.StepsPerCall == 0 && p.Step+s.StepsPerCall <= s.Steps {
		return s.StepsPerCall
	}
	return 1
}

// after returns the position after the next steps of an epoch.
func (s *Stepper) after(steps int) Position {
	if s.Position.Step+steps == s.Steps {
		return Position{Epoch: s.Position.Epoch + 1}
	}
	return Position{s.Position.Epoch, s.Position.Step + steps}
}

// program returns the compiled program for a number of steps.
func (s *Stepper) program(steps int) *Program {
	if steps > 1 {
		return s.many
	}
	return s.single
}

// take runs the next steps in one call of the engine and moves the position behind them.
func (s *Stepper) take(count int) (Losses, error) {
	inputs := s.arguments(count)
	s.mixNext(count)
	s.noise.begin(s.counter() + count)
	outputs, err := s.program(count).Call(inputs)
	if err != nil {
		return Losses{}, err
	}
	s.Position = s.after(count)
	return Losses{Steps: count, NLL: scalar(outputs[0]), Wrong: scalar(outputs[1])}, nil
}

func (s *Stepper) callHooks(losses Losses) error {
	for _, hook := range s.options.Hooks {
		if hook.AfterCall != nil {
			if err := hook.AfterCall(s, losses); err != nil {
				return err
			}
		}
		if hook.AfterEpoch != nil && s.Position.Step == 0 {
			if err := hook.AfterEpoch(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// orderIn returns the sequence in which an epoch shows the images.
func (s *Stepper) orderIn(epoch int) []int32 {
	if s.orderOf == epoch {
		return s.order
	}
	s.orderOf = epoch
	if s.options.Order != nil {
		s.order = s.options.Order(epoch)
		return s.order
	}
	rng := random.New(s.Model.Settings.Seed, random.Order, uint64(epoch))
	permutation := rng.Perm(s.images.Count())
	s.order = make([]int32, len(permutation))
	for i, image := range permutation {
		s.order[i] = int32(image)
	}
	return s.order
}

// PosteriorTerms returns the posterior's cross-entropy and entropy bound in nats.
func (s *Stepper) PosteriorTerms() (crossEntropy, entropy float64, err error) {
	outputs, err := s.terms.Call(nil)
	if err != nil {
		return 0, 0, err
	}
	return scalar(outputs[0]), scalar(outputs[1]), nil
}
