package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Arguments of the training step, in order; the standard normal draws of the layers follow them.
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
	argEpsilon
)

// trainingStep returns the graph of one step of SGD on the gamma-ELBO. It updates every variable of the store, and returns
// the mean negative log-likelihood of the rows (the Gibbs loss, METHOD.md 3.5) and the number of rows that are wrong.
func (n *network) trainingStep(count int) func(*model.Scope, []*Node) []*Node {
	return func(scope *model.Scope, args []*Node) []*Node {
		g := args[argData].Graph()
		images := n.trainingImages(args)
		labels := Gather(args[argLabels], ExpandAxes(args[argChosen], 1)) // [batch]
		samples := n.config.Training.Samples
		logProbabilities := n.logProbabilities(scope.Store(), images, samples, true, args[argEpsilon:]) // [batch, samples, classes]
		nll, wrong := gibbsLoss(logProbabilities, labels)
		loss := Loss(nll, n.posteriorTerms(scope.Store(), g), n.config.Objective.Gamma, args[argBeta], count)
		rate := rates{theta: args[argThetaRate], phi: args[argPhiRate], beta: args[argBeta]}
		update(n.architecture, n.config.Posterior.Mode, scope.Store(), loss, rate, n.config.Training)
		return []*Node{nll, wrong}
	}
}

// trainingImages are the normalised images of a training step, [batch, height, width, 3].
func (n *network) trainingImages(args []*Node) *Node {
	views := operation.Views{Data: args[argData], Chosen: args[argChosen], Down: args[argDown], Across: args[argAcross],
		Mirror: args[argMirror], Padding: cropPadding}
	return views.Normalised(pixelNormalisation(args[argData].Graph(), n.mean, n.std))
}

// logProbabilities is the forward pass: normalised images [batch, height, width, 3] and the layers' draws, each
// [batch*samples, D], or the key to draw them on the device, to log-probabilities [batch, samples, classes].
func (n *network) logProbabilities(store *model.Store, images *Node, samples int, training bool, epsilon []*Node) *Node {
	logits := n.logits(store, images, samples, training, epsilon) // [batch*samples, classes]
	return Reshape(LogSoftmax(logits), images.Shape().Dim(0), samples, n.classes)
}

// logits is logProbabilities before the softmax, [batch*samples, classes].
func (n *network) logits(store *model.Store, images *Node, samples int, training bool, epsilon []*Node) *Node {
	p := n.newPass(images.Graph(), store, samples, training)
	p.setEpsilon(n.drawnLayers(training), n.draws(epsilon, images.Shape().Dim(0), samples, training))
	return n.architecture.forward(p, images)
}

// newPass begins a forward pass, whose draws are still missing.
func (n *network) newPass(g *Graph, store *model.Store, samples int, training bool) *pass {
	p := &pass{graph: g, store: store, mode: n.config.Posterior.Mode, samples: samples,
		precision: n.config.Network.Precision, training: training, observe: n.observe, epsilon: map[string]*Node{}}
	if !training {
		p.fixed = n.fixed
	}
	return p
}

// draws are the layers' draws for so many images, each [images*samples, D]: those given, or on a device those of the key given.
func (n *network) draws(epsilon []*Node, images, samples int, training bool) []*Node {
	if n.deviceNoise {
		return n.drawNoise(epsilon[0], images, samples, training)
	}
	return epsilon
}

// setEpsilon gives each layer its draws.
func (p *pass) setEpsilon(layers []layer, epsilon []*Node) {
	for i, l := range layers {
		p.epsilon[l.name] = epsilon[i]
	}
}

// gibbsLoss returns the mean negative log-likelihood over all rows and the number of rows whose likeliest class is wrong,
// from log-probabilities [batch, samples, classes] and labels [batch]. The mean is outside the logarithm.
func gibbsLoss(logProbabilities, labels *Node) (nll, wrong *Node) {
	samples, classes := logProbabilities.Shape().Dim(1), logProbabilities.Shape().Dim(2)
	truth := ExpandAxes(OneHot(ConvertDType(labels, labelType), classes, computeType), 1) // [batch, 1, classes]
	likelihood := ReduceSum(Mul(logProbabilities, truth), -1)                             // [batch, samples]
	best := ArgMax(StopGradient(logProbabilities), -1, labelType)                         // [batch, samples], the first of equals
	wrong = ReduceAllSum(ConvertDType(NotEqual(best, ExpandAxes(ConvertDType(labels, labelType), 1)), computeType))
	return MulScalar(ReduceAllSum(likelihood), -1/float64(labels.Shape().Dim(0)*samples)), wrong
}

// posteriorTerms are the terms of the objective for the posterior in the store.
func (n *network) posteriorTerms(store *model.Store, g *Graph) Terms {
	if n.config.Posterior.Mode == Deterministic {
		return Terms{CrossEntropy: ScalarZero(g, computeType), Entropy: ScalarZero(g, computeType), KL: ScalarZero(g, computeType)}
	}
	var means, rhos []*Node
	for _, l := range n.architecture.layers {
		means = append(means, store.GetVariable(meanPath(l)).NodeValue(g))
		rhos = append(rhos, store.GetVariable(rhoPath(l)).NodeValue(g))
	}
	joined := joinLayers(means, rhos)
	joined.sigma = StandardDeviation(joined.sigma)
	return joined.objectiveTerms(n.config.Posterior.PriorStd, n.config.Objective)
}
