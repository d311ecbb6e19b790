package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
)

// handBatch is what a training step sees, and the loss that it goes down.
type handBatch struct {
	images    []picture // normalised
	labels    []int
	samples   int
	noise     [][][]float32
	beta      float64
	count     int // N of the objective
	objective Objective
	priorStd  float64
}

// loss is equation 3 of METHOD.md 3.1; nll is its first term and wrong the number of rows that are
// wrong.
func (b handBatch) loss(h handRun) (loss, nll float64, wrong int) {
	rows := h.logits("allcnnc", repeated(b.images, b.samples))
	for row, logits := range rows {
		logProbabilities := testkit.LogSoftmax(logits)
		nll -= logProbabilities[b.labels[row/b.samples]] / float64(len(rows))
		if slices.Index(logProbabilities, slices.Max(logProbabilities)) != b.labels[row/b.samples] {
			wrong++
		}
	}
	return nll + b.beta/float64(b.count)*b.regulariser(h), nll, wrong
}

// regulariser is CE - (1+gamma) H by the closed forms of METHOD.md 3.2, over the layers or all of
// them joined.
func (b handBatch) regulariser(h handRun) (sum float64) {
	joinedMeans, joinedSigmas := make([][]float64, h.components), make([][]float64, h.components)
	for i := range handLayers {
		means, sigmas := make([][]float64, h.components), make([][]float64, h.components)
		for k := range h.components {
			means[k], sigmas[k] = h.component(fmt.Sprintf("/phi/conv%d", i+1), k)
			joinedMeans[k], joinedSigmas[k] = append(joinedMeans[k], means[k]...),
				append(joinedSigmas[k], sigmas[k]...)
		}
		sum += b.regulariserOf(means, sigmas)
	}
	if b.objective.Scope == jointScope {
		return b.regulariserOf(joinedMeans, joinedSigmas)
	}
	return sum
}

func (b handBatch) regulariserOf(means, sigmas [][]float64) float64 {
	c := map[Bound]float64{ReferenceBound: 1.0 / 16, ExactBound: 1.0 / 4}[b.objective.Bound]
	components := float64(len(means))
	crossEntropy, entropy := 0.0, 0.0
	for k := range means {
		overlap := 0.0
		for r := range means {
			distance := 0.0
			for d := range means[k] {
				v := sigmas[k][d]*sigmas[k][d] + sigmas[r][d]*sigmas[r][d]
				distance += c*(means[k][d]-means[r][d])*(means[k][d]-means[r][d])/v +
					0.5*math.Log(v/2/sigmas[k][d]/sigmas[r][d])
			}
			overlap += math.Exp(-distance)
		}
		entropy -= (math.Log(overlap) - math.Log(components)) / components
		for d, s := range sigmas[k] {
			entropy += (0.5*math.Log(2*math.Pi*math.E) + math.Log(s)) / components
			away := means[k][d] - 1
			crossEntropy += (0.5*math.Log(2*math.Pi) + math.Log(b.priorStd) +
				(s*s+away*away)/(2*b.priorStd*b.priorStd)) / components
		}
	}
	return crossEntropy - (1+b.objective.Gamma)*entropy
}

// slope is the derivative of the loss by one value of a parameter, from finite differences.
func (b handBatch) slope(h handRun, path string, index int) float64 {
	const step = 1e-6
	value := h.values[path][index]
	defer func() { h.values[path][index] = value }()
	h.values[path][index] = value + step
	above, _, _ := b.loss(h)
	h.values[path][index] = value - step
	below, _, _ := b.loss(h)
	return (above - below) / (2 * step)
}

// stepCase is one training step of a tiny network.
type stepCase struct {
	form      string
	mode      Mode
	bound     Bound
	scope     string
	tolerance float64
}

func (c stepCase) config() Settings {
	return Settings{
		Network:   Network{Width: 2, Form: c.form},
		Posterior: Posterior{Components: 2, Mode: c.mode, InitStd: 0.3, PriorStd: 0.4},
		Objective: Objective{Gamma: 5, Bound: c.bound, Scope: c.scope},
		Training:  Training{Epochs: 1, Batch: 3, Samples: 2, WeightDecay: 0.02, Momentum: 0.9},
		Seed:      9,
	}.WithDefaults()
}

// Rates of the step; they are large so that the changes can be told from the rounding of float32.
const (
	stepThetaRate = 0.5
	stepPhiRate   = 2.0
	stepBeta      = 0.5
	stepImages    = 12 // N of the objective
)

// A step moves theta by Nesterov momentum with weight decay, phi by plain SGD, down the slope of a
// loss that is computed by hand: one value of every parameter of the network.
func TestTrainingStepGoesDownTheLossByHand(t *testing.T) {
	for _, c := range []stepCase{
		{Narrow, Output, ReferenceBound, layerScope, 2e-5},
		{Published, Output, ReferenceBound, layerScope, 2e-5},
		{Narrow, Both, ExactBound, jointScope, 2e-5},
		{Published, Input, ExactBound, layerScope, 2e-5},
	} {
		t.Run(fmt.Sprint(c.form, " ", c.mode, " ", c.bound, " ", c.scope), func(t *testing.T) {
			random := rand.New(rand.NewPCG(21, 22))
			n, data := stepNetwork(t, c.config(), random)
			chosen := []int32{3, 0, 4}
			batch := newHandBatch(n, data, chosen, random)
			before := handCopy(t, n.Architecture, n.Settings, n.store, batch.noise)
			nll, wrong := takeStep(t, n, data, chosen, batch.noise)
			_, wantNLL, wantWrong := batch.loss(before)
			testkit.Near(t, "nll", nll, wantNLL, c.tolerance)
			testkit.Near(t, "wrong rows", wrong, float64(wantWrong), 0)
			for _, path := range n.Architecture.thetaPaths() {
				i := random.IntN(len(before.values[path]))
				gradient := batch.slope(before, path, i) + 0.02*before.values[path][i]
				want := before.values[path][i] - stepThetaRate*(1+0.9)*gradient
				testkit.Near(t, fmt.Sprint(path, i), storedValues(t, n.store, path)[i], want,
					c.tolerance)
				testkit.Near(t, fmt.Sprint("momentum of ", path, i),
					storedValues(t, n.store, bufferPath(momentumBuffer, path))[i], gradient,
					c.tolerance)
			}
			for _, path := range n.Architecture.phiPaths(n.Settings.Posterior.Mode) {
				i := random.IntN(len(before.values[path]))
				want := before.values[path][i] - stepPhiRate*batch.slope(before, path, i)
				testkit.Near(t, fmt.Sprint(path, i), storedValues(t, n.store, path)[i], want,
					c.tolerance)
			}
		})
	}
}

// stepNetwork is the network of a configuration, with five random images of 8 by 8 pixels.
func stepNetwork(t *testing.T, config Settings, random *rand.Rand) (*Model, *dataset.Dataset) {
	t.Helper()
	const count, side = 5, 8
	data := &dataset.Dataset{Classes: make([]string, 10), Mean: [3]float64{0.5, 0.4, 0.6},
		Std: [3]float64{0.3, 0.2, 0.25}}
	data.Train = dataset.Images{Height: side, Width: side, Labels: []uint8{7, 1, 4, 0, 9}}
	for range count * side * side * 3 {
		data.Train.Pixels = append(data.Train.Pixels, uint8(random.IntN(256)))
	}
	n := testkit.Must(NewModel(config, data, ModelOptions{}))(t)
	n.store = livelyStore(t, n.Architecture, config, random)
	testkit.NoError(t, addBuffers(n.store, Nesterov(), n))
	return n, data
}

// newHandBatch is the batch of the chosen images with fresh noise.
func newHandBatch(n *Model, data *dataset.Dataset, chosen []int32, random *rand.Rand) handBatch {
	var pixels []float64
	for i, pixel := range data.Train.Pixels {
		pixels = append(pixels, (float64(pixel)/255-data.Mean[i%3])/data.Std[i%3])
	}
	samples := n.Settings.Training.Samples
	b := handBatch{samples: samples, beta: stepBeta, count: stepImages,
		objective: n.Settings.Objective, priorStd: n.Settings.Posterior.PriorStd}
	for _, image := range chosen {
		b.images = append(b.images, pictures(data.Train.Height, pixels)[image])
		b.labels = append(b.labels, int(data.Train.Labels[image]))
	}
	b.noise = drawNoise(n.Architecture, n.Settings.Posterior.Mode, len(chosen)*samples, random)
	return b
}

// takeStep runs the graph of one training step without augmentation.
func takeStep(t *testing.T, n *Model, data *dataset.Dataset, chosen []int32,
	noise [][][]float32) (nll, wrong float64) {
	t.Helper()
	exec := testkit.Must(model.NewExec(n.Engine.Backend, n.store,
		func(_ *model.Scope, args []*Node) []*Node {
			options := StepperOptions{Rule: Nesterov()}
			g := newStepGraph(n, args, stepImages, options)
			options.Rule.Update(g)
			return []*Node{g.nll, g.wrong}
		}))(t)
	seen := plainView(len(chosen))
	args := []any{imagesTensor(data.Train), data.Train.Labels, chosen, seen.down, seen.across,
		seen.mirror,
		float32(stepThetaRate), float32(stepPhiRate), float32(stepBeta)}
	for _, draws := range noise {
		args = append(args, draws)
	}
	outputs := testkit.Must(exec.Call(args...))(t)
	return scalar(outputs[0]), scalar(outputs[1])
}

// Among logits that are all equal the first is the guess: a network that says nothing is right for
// one class in ten.
func TestEqualLogitsAreWrongNineTimesInTen(t *testing.T) {
	const images, samples, classes = 20, 2, 10
	labels := make([]uint8, images)
	for i := range labels {
		labels[i] = uint8(i % classes)
	}
	logits := make([][][]float32, images)
	for i := range logits {
		logits[i] = [][]float32{make([]float32, classes), make([]float32, classes)}
	}
	outputs := run(t, func(args []*Node) []*Node {
		nll, wrong := gibbsLoss(LogSoftmax(args[0]), args[1])
		return []*Node{nll, wrong}
	}, logits, labels)
	testkit.Near(t, "wrong rows", outputs[1], 0.9*images*samples, 0)
	testkit.Near(t, "nll", outputs[0], math.Log(classes), 1e-6)
}
