package network

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Arguments of the graph of a training step, in order. The noise of the layers follows them, then
// the numbers of StepGraph.Normals, or on a device their key, the numbers of Rule.Inputs, if the
// rule uses them, and gamma and 1 + gamma, if they change.
const (
	argData   = iota // uint8 [count, height, width, 3], the whole training set
	argLabels        // uint8 [count]
	argChosen        // int32 [images], which images make up the batch
	argDown          // int32 [images], the views
	argAcross
	argMirror
	argThetaRate // scalars of the schedule
	argPhiRate
	argBeta
	argNoise
)

// StepGraph is the graph of one training step while it's built, as an update rule sees it.
type StepGraph struct {
	Graph              *Graph
	Settings           Settings
	Theta, Phi         []StepParameter // in the order of the layers
	ThetaRate, PhiRate *Node           // learning rates, scalars
	Beta               *Node           // annealing of the regulariser, a scalar
	Inputs             *Node           // result of Rule.Inputs, float32 [count]; or nil
	// set by rules whose losses all update the running statistics
	AllPasses bool
	// Smooth replaces ReLUs by x / (1 + exp(-x)) and max pools by means. A rule that measures the
	// rounding of gradients sets it, since rounding moves values over kinks.
	Smooth bool

	model          *Model
	loss           func(l LossGraph) *Node // nil means LossGraph.ELBO
	gamma          *Node                   // gamma and 1 + gamma; nil if they don't change
	passes         float64                 // of the batch by the losses so far
	images, labels *Node
	noise          []*Node
	// normal numbers for theta, [draws, values]; on a device their key
	normals    *Node
	draws      int            // of normal numbers, for each parameter of theta
	parts      [][]*Node      // the normal numbers in the shapes of theta, [draw][parameter]
	drawn      map[string]int // calls of Normals, by parameter
	count      int            // N of the objective
	reported   int            // images of the batch whose losses the step reports
	nll, wrong *Node
}

// StepParameter is a parameter of the network with its value before the step.
type StepParameter struct {
	Path  string // of its variable, for example /theta/conv1/weights
	Value *Node
}

// newStepGraph begins the graph of a step; count is the number of images that an epoch uses.
func newStepGraph(m *Model, args []*Node, count int, options StepperOptions) *StepGraph {
	rule := options.Rule
	s := &StepGraph{
		Graph: args[argData].Graph(), Settings: m.Settings, model: m, loss: options.Loss,
		count: count,
		draws: rule.Normals, drawn: map[string]int{},
		ThetaRate: args[argThetaRate], PhiRate: args[argPhiRate], Beta: args[argBeta],
		images: trainingImages(m, args),
		labels: Gather(args[argLabels], ExpandAxes(args[argChosen], 1)), // [batch]
	}
	rest := args[argNoise:]
	if options.Gamma != nil {
		s.gamma, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	if rule.Inputs != nil {
		s.Inputs, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	if rule.Normals > 0 {
		s.normals, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	s.noise = rest
	for _, path := range m.Architecture.thetaPaths() {
		s.Theta = append(s.Theta, s.parameter(path))
	}
	for _, path := range m.Architecture.phiPaths(m.Settings.Posterior.Mode) {
		s.Phi = append(s.Phi, s.parameter(path))
	}
	return s
}

func (s *StepGraph) parameter(path string) StepParameter {
	return StepParameter{path, s.model.store.GetVariable(path).NodeValue(s.Graph)}
}

// Loss returns the objective of the batch (paper, equation 2, per training image), a scalar, with
// other values for some of the parameters: nil means the current ones. Every call sees the same
// images and the same draws of the latents. If all parameters have float64 values, so have the
// pass, the loss and its gradients. The first call gives the losses that the step reports
// and updates the running statistics of batch normalisation; others leave them, unless AllPasses
// says otherwise.
func (s *StepGraph) Loss(changed []StepParameter) *Node { return s.LossOfPart(changed, 0, 1) }

// LossOfPart is Loss of one of several equal slices of the batch, counted from 0. The step reports
// the losses of the first calls that together show each image once.
func (s *StepGraph) LossOfPart(changed []StepParameter, part, parts int) *Node {
	p := newPass(s.model, s.Graph, s.Settings.Training.Samples, true)
	p.constant, p.smooth = s.Settings.FrozenWeights, s.Smooth
	p.frozen, p.values = s.nll != nil && !s.AllPasses, map[string]*Node{}
	for _, parameter := range changed {
		p.values[parameter.Path], p.double = parameter.Value,
			parameter.Value.DType() == dtypes.Float64
	}
	logits, labels := s.logits(p, part, parts) // [images*samples, classes], [images]
	images := labels.Shape().Dim(0)
	l := LossGraph{LogProbabilities: s.model.asLogProbabilities(logits, images, p.samples),
		Labels: labels, Images: s.count}
	var wrong *Node
	l.NLL, wrong = gibbsLoss(l.LogProbabilities, labels)
	s.report(l.NLL, wrong, images)
	s.passes += 1 / float64(parts)
	l.Beta, l.timesGamma = ConvertDType(s.Beta, p.numbers()), s.timesGamma
	l.Terms = modelTerms(s.model, p)
	if s.loss != nil {
		return s.loss(l)
	}
	return l.ELBO(l.NLL)
}

// timesGamma returns x (gamma + plus), where plus is 0 or 1.
func (s *StepGraph) timesGamma(x *Node, plus int) *Node {
	if s.gamma == nil {
		return timesConstant(s.Settings.Objective.Gamma)(x, plus)
	}
	return Mul(x, ConvertDType(Squeeze(Slice(s.gamma, AxisElem(plus))), x.DType()))
}

// logits runs the forward pass for a part of the batch.
func (s *StepGraph) logits(p *pass, part, parts int) (logits, labels *Node) {
	all := ConvertDType(s.images, p.numbers())
	if parts == 1 {
		return forward(s.model, p, all, s.noise), s.labels
	}
	batch := all.Shape().Dim(0)
	first, next := part*batch/parts, (part+1)*batch/parts
	draws := slices.Clone(s.model.layerDraws(s.noise, batch, p.samples, true))
	for i, draw := range draws {
		draws[i] = Slice(draw, AxisRange(first*p.samples, next*p.samples))
	}
	p.sample(s.model.drawnLayers(true), draws)
	images := Slice(all, AxisRange(first, next))
	return p.logits(s.model.Architecture, images), Slice(s.labels, AxisRange(first, next))
}

// report adds the losses of some images to the step's, until all images are in them.
func (s *StepGraph) report(nll, wrong *Node, images int) {
	nll, wrong = ConvertDType(nll, computeType), ConvertDType(wrong, computeType)
	batch := s.images.Shape().Dim(0)
	switch {
	case s.reported == batch:
		return
	case images == batch:
		s.nll, s.wrong = nll, wrong
	default:
		nll = MulScalar(nll, float64(images)/float64(batch))
		if s.nll != nil {
			nll, wrong = Add(s.nll, nll), Add(s.wrong, wrong)
		}
		s.nll, s.wrong = nll, wrong
	}
	s.reported += images
}

// Gradients returns the gradients of a scalar by the values of theta and phi, in their order.
func (s *StepGraph) Gradients(loss *Node) (theta, phi []*Node) {
	gradients := Gradient(loss, slices.Concat(parameterValues(s.Theta), parameterValues(s.Phi))...)
	return gradients[:len(s.Theta)], gradients[len(s.Theta):]
}

// posteriorGradients returns the gradients of a scalar only by the values of phi, in their order.
func (s *StepGraph) posteriorGradients(loss *Node) []*Node {
	return Gradient(loss, parameterValues(s.Phi)...)
}

func parameterValues(parameters []StepParameter) []*Node {
	values := make([]*Node, len(parameters))
	for i, p := range parameters {
		values[i] = p.Value
	}
	return values
}

// Set gives a parameter or a buffer its value after the step.
func (s *StepGraph) Set(p StepParameter, value *Node) {
	s.model.store.GetVariable(p.Path).SetNodeValue(value)
}

// Buffer returns one of the rule's buffers for a parameter, for example its momentum, for Set.
func (s *StepGraph) Buffer(name string, p StepParameter) StepParameter {
	return s.parameter(bufferPath(name, p.Path))
}

// NesterovStep gives the parameters of theta their values after one step of SGD with the momentum
// and weight decay of the settings, as PyTorch defines them, along gradients in their order. The
// rule needs the buffers of Nesterov.
func (s *StepGraph) NesterovStep(gradients []*Node) {
	buffers := make([]StepParameter, len(s.Theta))
	for i, p := range s.Theta {
		buffers[i] = s.Buffer(momentumBuffer, p)
	}
	t := s.Settings.Training
	next, velocities := operation.Descend(
		parameterValues(s.Theta), parameterValues(buffers), gradients, s.ThetaRate, t.Momentum,
		t.WeightDecay)
	for i, p := range s.Theta {
		s.Set(p, next[i])
		s.Set(buffers[i], velocities[i])
	}
}

// PlainStep gives the parameters of phi their values after one step of SGD without momentum and
// weight decay, along gradients in their order.
func (s *StepGraph) PlainStep(gradients []*Node) {
	for i, next := range operation.DescendPlainly(parameterValues(s.Phi), gradients, s.PhiRate) {
		s.Set(s.Phi[i], next)
	}
}

// Normals returns standard normal numbers in the shape of a parameter of theta, others in every
// call and every step. They depend only on the seed and the step. Rule.Normals must bound the
// number of calls for each parameter.
func (s *StepGraph) Normals(p StepParameter) *Node {
	place := slices.IndexFunc(s.Theta, func(other StepParameter) bool {
		return other.Path == p.Path
	})
	shape, draw := p.Value.Shape(), s.drawn[p.Path]
	if place < 0 || draw >= s.draws {
		panic(fmt.Errorf("network: normal numbers number %d for %s: the rule announces %d for "+
			"each parameter of theta: raise Rule.Normals, or leave out what is none",
			draw+1, p.Path, s.draws))
	}
	s.drawn[p.Path]++
	if s.model.Noise == DeviceNoise {
		numbers := normalsFromKey(s.normals, shape.Size(), draw*len(s.Theta)+place)
		return Reshape(numbers, shape.Dimensions...)
	}
	if draw == len(s.parts) {
		s.parts = append(s.parts, s.cutNormals(draw))
	}
	return s.parts[draw][place]
}

// cutNormals returns the normal numbers of a draw in the shapes of theta. Other draws' take no
// memory until they are needed.
func (s *StepGraph) cutNormals(draw int) []*Node {
	arrays := make([]shapes.Shape, len(s.Theta))
	for i, p := range s.Theta {
		arrays[i] = p.Value.Shape()
	}
	return operation.Cut(s.normals, draw*s.normals.Shape().Dim(1), arrays...)
}

// gibbsLoss returns the mean negative log-likelihood over all rows and the number of rows whose
// likeliest class is wrong, from log-probabilities [batch, samples, classes] and labels [batch].
// The mean is outside the logarithm.
func gibbsLoss(logProbabilities, labels *Node) (nll, wrong *Node) {
	const labelType = dtypes.Int32
	samples, classes := logProbabilities.Shape().Dim(1), logProbabilities.Shape().Dim(2)
	numbers := logProbabilities.DType()
	truth := OneHot(ConvertDType(labels, labelType), classes, numbers)       // [batch, classes]
	likelihood := ReduceSum(Mul(logProbabilities, ExpandAxes(truth, 1)), -1) // [batch, samples]
	// best is [batch, samples], the first of equally likely classes.
	best := ArgMax(StopGradient(logProbabilities), -1, labelType)
	differs := NotEqual(best, ExpandAxes(ConvertDType(labels, labelType), 1))
	wrong = ReduceAllSum(ConvertDType(differs, numbers))
	return MulScalar(ReduceAllSum(likelihood), -1/float64(labels.Shape().Dim(0)*samples)), wrong
}
