package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
)

// networkCase is one network under test with its store, two images of three samples each and draws
// for all rows.
type networkCase struct {
	name     string
	mode     Mode
	training bool
	side     int

	architecture Architecture
	store        *model.Store
	images       []float32
	noise        [][][]float32 // [layer][row][D]
	hand         handRun
}

const caseImages, caseSamples, caseClasses = 2, 3, 5

func newNetworkCase(t *testing.T, name string, mode Mode, training bool, side int) networkCase {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	a := testArchitecture(name, 2, caseClasses)
	config := Settings{Network: Network{Form: Published}, Posterior: Posterior{Mode: mode,
		Components: 3, InitStd: 0.3}}
	store := testStore(t, a, config)
	for _, n := range a.normalisations {
		setValues(t, store, n.scalePath(), func() float64 { return 1 + 0.2*random.NormFloat64() })
		setValues(t, store, n.shiftPath(), func() float64 { return 0.3 + 0.2*random.NormFloat64() })
		setValues(t, store, n.meanPath(), func() float64 { return 0.1 * random.NormFloat64() })
		setValues(t, store, n.variancePath(), func() float64 { return 0.5 + random.Float64() })
	}
	for _, l := range a.layers {
		setValues(t, store, weightPath(l), func() float64 {
			return random.NormFloat64() * math.Sqrt(2/float64(l.fanIn()))
		})
		if l.bias {
			setValues(t, store, biasPath(l), func() float64 {
				return 0.2 + 0.1*random.NormFloat64()
			})
		}
	}
	c := networkCase{name: name, mode: mode, training: training, side: side, architecture: a,
		store: store}
	c.images = fill(caseImages*side*side*3, random.NormFloat64)
	if mode != Deterministic {
		c.noise = drawNoise(a, mode, caseImages*caseSamples, random)
	}
	c.hand = handCopy(t, a, config, store, c.noise)
	c.hand.training = training
	return c
}

// pass starts the forward pass in a graph.
func (c networkCase) pass(store *model.Store, args []*Node) *pass {
	p := &pass{graph: args[0].Graph(), store: store, mode: c.mode, samples: caseSamples,
		training: c.training}
	if c.mode != Deterministic {
		p.sample(c.architecture.layers, args[1:])
	}
	return p
}

// run executes a graph on the images and the draws.
func (c networkCase) run(t *testing.T, graph func(scope *model.Scope,
	args []*Node) []*Node) []*tensors.Tensor {
	t.Helper()
	e := testkit.Must(engine.Open())(t)
	exec := testkit.Must(model.NewExec(e.Backend, c.store, graph))(t)
	args := []any{tensors.FromFlatDataAndDimensions(c.images, caseImages, c.side, c.side, 3)}
	for _, draws := range c.noise {
		args = append(args, draws)
	}
	return testkit.Must(exec.Call(args...))(t)
}

// handLogits is the forward pass by hand.
func (c networkCase) handLogits() [][]float64 {
	return c.hand.logits(c.name, repeated(pictures(c.side, widen(c.images)), caseSamples))
}

// The networks of the paper equal loops over float64, in training and in evaluation, in every mode.
func TestNetworksEqualLoopsByHand(t *testing.T) {
	for name, side := range map[string]int{"allcnnc": 8, "vgg16": 32, "resnet18": 8,
		"preactresnet18": 16, imageNetResNet18: 18} {
		for _, mode := range []Mode{Output, Input, Both, Deterministic} {
			for _, training := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s training=%v", name, mode, training), func(t *testing.T) {
					c := newNetworkCase(t, name, mode, training, side)
					want := c.handLogits()
					testkit.Near(t, "logits", c.logits(t), want, 2e-5*largest(want))
				})
			}
		}
	}
}

// largest is the largest magnitude.
func largest[F float32 | float64](rows [][]F) (most float64) {
	for _, row := range rows {
		for _, v := range row {
			most = max(most, math.Abs(float64(v)))
		}
	}
	return most
}

// The gradient of every parameter equals the quotient of differences of the loops by hand, batch
// statistics included.
func TestGradientsEqualDifferencesByHand(t *testing.T) {
	for name, side := range map[string]int{"allcnnc": 8, "vgg16": 32, "resnet18": 8,
		"preactresnet18": 8, imageNetResNet18: 18} {
		t.Run(name, func(t *testing.T) {
			c := newNetworkCase(t, name, Both, true, side)
			paths := append(c.architecture.thetaPaths(), c.architecture.phiPaths(Both)...)
			gradients := c.run(t, func(scope *model.Scope, args []*Node) []*Node {
				p := c.pass(scope.Store(), args)
				var parameters []*Node
				for _, path := range paths {
					parameters = append(parameters, p.value(path))
				}
				return Gradient(ReduceAllSum(Sin(c.architecture.forward(p, args[0]))),
					parameters...)
			})
			random := rand.New(rand.NewPCG(5, 6))
			for i, path := range paths {
				gradient := testkit.Must(tensors.CopyFlatData[float32](gradients[i]))(t)
				index := random.IntN(len(gradient))
				checkSlope(t, c, path, index, float64(gradient[index]))
			}
		})
	}
}

// checkSlope compares one derivative with the quotient of differences. Where two steps disagree, a
// rectifier or a maximum switches in between, and there's nothing to compare.
func checkSlope(t *testing.T, c networkCase, path string, index int, got float64) {
	t.Helper()
	slope := func(step float64) float64 {
		values := c.hand.values[path]
		kept := values[index]
		defer func() { values[index] = kept }()
		values[index] = kept + step
		above := sumOfSines(c.handLogits())
		values[index] = kept - step
		return (above - sumOfSines(c.handLogits())) / (2 * step)
	}
	want, rough := slope(1e-6), slope(4e-6)
	if math.Abs(want-rough) > 1e-4*(1+math.Abs(want)) {
		return
	}
	if tolerance := 2e-3 * (1 + math.Abs(want)); math.Abs(got-want) > tolerance {
		t.Errorf("%s[%d]: gradient %g, want %g: difference %.2g, tolerance %.2g",
			path, index, got, want, got-want, tolerance)
	}
}

func sumOfSines(rows [][]float64) (sum float64) {
	for _, row := range rows {
		for _, v := range row {
			sum += math.Sin(v)
		}
	}
	return sum
}

// The loss of the untrained networks of the paper (METHOD.md 9.2), at their full width: about log C
// where the logits are small.
func TestInitialLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("networks of full width: skipped in short mode")
	}
	for _, c := range []struct {
		config        Settings
		side, classes int
		images        int
		want, slack   float64
	}{
		{Settings{Network: Network{Name: "vgg16"}, Posterior: Posterior{Components: 4}}, 32, 100, 2,
			math.Log(100), 0.05},
		{Settings{Network: Network{Name: "resnet18"}, Posterior: Posterior{Components: 4}}, 32, 10,
			4, 2.4, 0.3},
		{Settings{}, 32, 10, 2, 2.29, 0.05},
		{Settings{Network: Network{Name: "preactresnet18"}, Posterior: Posterior{Components: 4}},
			64, 200, 1, 5.4, 0.3},
	} {
		data := randomData(c.images, c.side, c.classes)
		m := testkit.Must(NewModel(c.config, data, ModelOptions{}))(t).With("", 1, c.images)
		p := testkit.Must(m.NewPredictor(c.images, 4, 1))(t)
		logs := testkit.Must(p.Predict(t.Context(), data.Train))(t).LogProbabilities
		sum := 0.0
		for _, l := range logs { // the mean over all labels, each as likely
			sum -= float64(l)
		}
		testkit.Near(t, "initial loss of "+m.Settings.Network.Name, sum/float64(len(logs)), c.want,
			c.slack)
	}
}
