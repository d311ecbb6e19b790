package network

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Arguments of the graph of a training step, in order. The noise of the layers follows them, then
// the key of StepGraph.Normals and the numbers of Rule.Inputs, if the rule uses them.
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

	model          *Model
	images, labels *Node
	noise          []*Node
	normalsKey     *Node
	normals        int // calls of Normals
	count          int // N of the objective
	nll, wrong     *Node
}

// StepParameter is a parameter of the network with its value before the step.
type StepParameter struct {
	Path  string // of its variable, such as /theta/conv1/weights
	Value *Node
}

// trainingStep returns the graph of one training step with an update rule. It updates the
// variables, and returns the mean negative log-likelihood of the rows (the Gibbs loss, METHOD.md
// 3.5) and the number of rows that are wrong. count is the number of images that an epoch uses.
func trainingStep(m *Model, count int, rule Rule) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		s := newStepGraph(m, args, count, rule)
		rule.Update(s)
		return []*Node{s.nll, s.wrong}
	}
}

func newStepGraph(m *Model, args []*Node, count int, rule Rule) *StepGraph {
	s := &StepGraph{
		Graph: args[argData].Graph(), Settings: m.Settings, model: m, count: count,
		ThetaRate: args[argThetaRate], PhiRate: args[argPhiRate], Beta: args[argBeta],
		images: trainingImages(m, args),
		labels: Gather(args[argLabels], ExpandAxes(args[argChosen], 1)), // [batch]
	}
	rest := args[argNoise:]
	if rule.Inputs != nil {
		s.Inputs, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	if rule.Normals {
		s.normalsKey, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	s.noise = rest
	for _, path := range m.architecture.thetaPaths() {
		s.Theta = append(s.Theta, s.parameter(path))
	}
	for _, path := range m.architecture.phiPaths(m.Settings.Posterior.Mode) {
		s.Phi = append(s.Phi, s.parameter(path))
	}
	return s
}

func (s *StepGraph) parameter(path string) StepParameter {
	return StepParameter{path, s.model.store.GetVariable(path).NodeValue(s.Graph)}
}

// Loss returns the objective of the batch (paper, equation 2, per training image), a scalar, with
// other values for some of the parameters: nil means the current ones. Every call sees the same
// images and the same draws of the latents. The first call gives the losses that the step reports
// and updates the running statistics of batch normalisation; others leave them.
func (s *StepGraph) Loss(changed []StepParameter) *Node {
	p := newPass(s.model, s.Graph, s.Settings.Training.Samples, true)
	p.frozen, p.values = s.nll != nil, map[string]*Node{}
	for _, parameter := range changed {
		p.values[parameter.Path] = parameter.Value
	}
	logits := forward(s.model, p, s.images, s.noise) // [batch*samples, classes]
	logProbabilities := s.model.asLogProbabilities(logits, s.images.Shape().Dim(0), p.samples)
	nll, wrong := gibbsLoss(logProbabilities, s.labels)
	if s.nll == nil {
		s.nll, s.wrong = nll, wrong
	}
	return Loss(nll, modelTerms(s.model, p), s.Settings.Objective.Gamma, s.Beta, s.count)
}

// Gradients returns the gradients of a scalar by the values of theta and phi, in their order.
func (s *StepGraph) Gradients(loss *Node) (theta, phi []*Node) {
	values := make([]*Node, 0, len(s.Theta)+len(s.Phi))
	for _, p := range s.Theta {
		values = append(values, p.Value)
	}
	for _, p := range s.Phi {
		values = append(values, p.Value)
	}
	gradients := Gradient(loss, values...)
	return gradients[:len(s.Theta)], gradients[len(s.Theta):]
}

// Set gives a parameter its value after the step.
func (s *StepGraph) Set(p StepParameter, value *Node) {
	s.model.store.GetVariable(p.Path).SetNodeValue(value)
}

// Buffer returns the value of one of the rule's buffers for a parameter, such as its momentum.
func (s *StepGraph) Buffer(name string, p StepParameter) *Node {
	return s.model.store.GetVariable(bufferPath(name, p.Path)).NodeValue(s.Graph)
}

// SetBuffer gives one of the rule's buffers for a parameter its value after the step.
func (s *StepGraph) SetBuffer(name string, p StepParameter, value *Node) {
	s.model.store.GetVariable(bufferPath(name, p.Path)).SetNodeValue(value)
}

// Normals draws standard normal numbers in the shape of a parameter, others in every call and every
// step. They depend on the seed and the step alone. The rule must ask for them with Rule.Normals.
func (s *StepGraph) Normals(p StepParameter) *Node {
	shape := p.Value.Shape()
	s.normals++
	at := func(i int) *Node { return Reshape(Slice(s.normalsKey, AxisElem(i))) }
	index := Iota(s.Graph, shapes.Make(dtypes.Uint32, shape.Size()), 0)
	counter := [4]*Node{index, Const(s.Graph, uint32(s.normals)), Const(s.Graph, uint32(0)), at(3)}
	words := philox(counter, [2]*Node{at(0), at(1)})
	return Reshape(normalOf(words[0], words[1]), shape.Dimensions...)
}

// gibbsLoss returns the mean negative log-likelihood over all rows and the number of rows whose
// likeliest class is wrong, from log-probabilities [batch, samples, classes] and labels [batch].
// The mean is outside the logarithm.
func gibbsLoss(logProbabilities, labels *Node) (nll, wrong *Node) {
	const labelType = dtypes.Int32
	samples, classes := logProbabilities.Shape().Dim(1), logProbabilities.Shape().Dim(2)
	truth := OneHot(ConvertDType(labels, labelType), classes, computeType)   // [batch, classes]
	likelihood := ReduceSum(Mul(logProbabilities, ExpandAxes(truth, 1)), -1) // [batch, samples]
	// best is [batch, samples], the first of equally likely classes.
	best := ArgMax(StopGradient(logProbabilities), -1, labelType)
	differs := NotEqual(best, ExpandAxes(ConvertDType(labels, labelType), 1))
	wrong = ReduceAllSum(ConvertDType(differs, computeType))
	return MulScalar(ReduceAllSum(likelihood), -1/float64(labels.Shape().Dim(0)*samples)), wrong
}
