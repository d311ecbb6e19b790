package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The distance of components is symmetric and zero on the diagonal, so that their overlap there is
// one.
func TestOverlapIsSymmetric(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	for _, bound := range []Bound{ReferenceBound, ExactBound} {
		mean, sigma := randomPosterior(random, 4, 6)
		distance := run(t, func(args []*Node) []*Node {
			return []*Node{ReduceSum(overlapDistance(args[0], args[1], bound.coefficient()), -1)}
		}, mean, sigma)[0].([][]float64)
		for k := range distance {
			near(t, "distance of a component from itself", distance[k][k], 0.0, 0)
			for r := range k {
				near(t, "distance the other way round", distance[k][r], distance[r][k], 1e-13)
				if distance[k][r] <= 0 {
					t.Errorf("distance of the components %d and %d is %g, want a positive one",
						k, r, distance[k][r])
				}
			}
		}
	}
}

// With one component KL is that of two Gaussians, and the options of the published code make no
// difference.
func TestSingleComponentIsAGaussian(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	mean, sigma := randomPosterior(random, 1, 7)
	_, divergence := componentSums(mean, sigma, 0.3)
	for _, objective := range []Objective{
		{Bound: ReferenceBound}, {Bound: ExactBound}, {Bound: ReferenceBound, Scope: JointScope},
		{Divergence: ComponentDivergence, ExtraEntropy: SumComponentEntropy}, {ExtraEntropy: MeanComponentEntropy},
	} {
		outputs := run(t, func(args []*Node) []*Node {
			terms := ObjectiveTerms(args[:1], args[1:], 0.3, objective)
			return []*Node{terms.KL, terms.regulariser(5), Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 6))}
		}, mean, sigma)
		near(t, fmt.Sprintf("KL with %+v", objective), outputs[0], divergence, 1e-12)
		near(t, fmt.Sprintf("regulariser with %+v", objective), outputs[1], outputs[2], 1e-12)
	}
}

// Averaged over many draws, a linear layer is the layer at the mean of its latents: z and s are
// independent.
func TestLinearLayerAveragesToItsMean(t *testing.T) {
	const rows, in, out = 60_000, 3, 2
	random := rand.New(rand.NewPCG(35, 36))
	mean, sigma := randomPosterior(random, 2, in+out)
	var x, epsilon [][]float64
	for range rows {
		x = append(x, []float64{0.5, -1, 2})
		draws := make([]float64, in+out)
		for d := range draws {
			draws[d] = random.NormFloat64()
		}
		epsilon = append(epsilon, draws)
	}
	weights, bias := [][]float64{{0.3, -0.5}, {0.7, 0.2}, {-0.4, 0.6}}, []float64{0.1, -0.2}
	outputs := run(t, func(args []*Node) []*Node {
		x, weights, bias := args[0], args[1], args[2]
		z, s := splitLatents(SampleLatents(args[3], args[4], args[5]), Both, in)
		noisy := noisyDense(x, weights, bias, z, s) // rows of both components
		var plain []*Node
		for k := range 2 {
			z, s := splitLatents(Slice(args[3], AxisRange(k, k+1)), Both, in)
			plain = append(plain, noisyDense(Slice(x, AxisRange(0, 1)), weights, bias, z, s))
		}
		return []*Node{ReduceMean(noisy, 0), Squeeze(MulScalar(Add(plain[0], plain[1]), 0.5), 0)}
	}, x, weights, bias, mean, inverseSoftplusOf(sigma), epsilon)
	near(t, "mean of the outputs", outputs[0], outputs[1], 5*1.5/math.Sqrt(rows))
}

// propertyNetwork returns a small network for random images with the given number of classes.
func propertyNetwork(t *testing.T, config Settings, side, classes int) *Model {
	t.Helper()
	return testkit.Must(NewModel(config, randomData(4, side, classes), ModelOptions{}))(t)
}

// propertyLogits are the log-probabilities of images for samples of the posterior,
// [images][samples][classes].
func propertyLogits(t *testing.T, n *Model, side, images, samples int, training bool) [][][]float32 {
	t.Helper()
	random := rand.New(rand.NewPCG(39, 40))
	pixels := make([][][][]float32, images)
	for i := range pixels {
		pixels[i] = make([][][]float32, side)
		for y := range pixels[i] {
			pixels[i][y] = make([][]float32, side)
			for x := range pixels[i][y] {
				pixels[i][y][x] = fill(3, func() float64 { return (random.Float64() - 0.5) / 0.29 }) // normalised
			}
		}
	}
	exec, err := model.NewExec(n.engine.Backend, n.store, func(_ *model.Scope, args []*Node) *Node {
		return n.asLogProbabilities(forward(n, newPass(n, args[0].Graph(), samples, training), args[0], args[1:]), images, samples)
	})
	if err != nil {
		t.Fatal(err)
	}
	output := testkit.Must(exec.Call1(append([]any{pixels}, n.EvaluationNoise(1, 0, images, samples)...)...))(t)
	return output.Value().([][][]float32)
}

// Row i depends on component i mod K alone: moving the means of another component doesn't change
// it.
func TestRowsDependOnTheirComponentAlone(t *testing.T) {
	for _, name := range []string{"allcnnc", "resnet18"} {
		n := propertyNetwork(t, Settings{Network: Network{Name: name, Width: 2}, Posterior: Posterior{Components: 2, Mode: Both}}, 8, 5)
		before := propertyLogits(t, n, 8, 2, 4, false)
		for _, l := range n.architecture.layers {
			values := storedValues(t, n.store, meanPath(l))
			next := 0
			setValues(t, n.store, meanPath(l), func() float64 {
				value := values[next]
				if next >= len(values)/2 { // the second component
					value += 0.5
				}
				next++
				return value
			})
		}
		after := propertyLogits(t, n, 8, 2, 4, false)
		for image := range before {
			for sample := range before[image] {
				same := fmt.Sprint(before[image][sample]) == fmt.Sprint(after[image][sample])
				if same != (sample%2 == 0) {
					t.Errorf("%s: sample %d of image %d is unchanged: %v, want only those of the first component",
						name, sample, image, same)
				}
			}
		}
	}
}

// Where every standard deviation goes to zero and every mean is one, the network is the ordinary
// one.
func TestCertainLatentsOfOneAreTheOrdinaryNetwork(t *testing.T) {
	for _, name := range []string{"allcnnc", "resnet18", "preactresnet18"} {
		for _, mode := range []Mode{Output, Input, Both} {
			n := propertyNetwork(t, Settings{Network: Network{Name: name, Width: 2}, Posterior: Posterior{Components: 2, Mode: mode}}, 8, 5)
			for _, l := range n.architecture.layers {
				setValues(t, n.store, meanPath(l), func() float64 { return 1 })
				setValues(t, n.store, rhoPath(l), func() float64 { return -40 })
			}
			noisy := propertyLogits(t, n, 8, 2, 2, false)
			n.fixed = OneLatents
			ordinary := propertyLogits(t, n, 8, 2, 1, false)
			for image := range noisy {
				for sample := range noisy[image] {
					near(t, fmt.Sprintf("%s, mode %s", name, mode), noisy[image][sample], ordinary[image][0], 1e-5)
				}
			}
		}
	}
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
		{Settings{Network: Network{Name: "vgg16"}, Posterior: Posterior{Components: 4}}, 32, 100, 2, math.Log(100), 0.05},
		{Settings{Network: Network{Name: "resnet18"}, Posterior: Posterior{Components: 4}}, 32, 10, 4, 2.4, 0.3},
		{Settings{}, 32, 10, 2, 2.29, 0.05},
		{Settings{Network: Network{Name: "preactresnet18"}, Posterior: Posterior{Components: 4}}, 64, 200, 1, 5.4, 0.3},
	} {
		n := propertyNetwork(t, c.config, c.side, c.classes)
		sum, count := 0.0, 0
		for _, image := range propertyLogits(t, n, c.side, c.images, 4, true) {
			for _, sample := range image {
				for _, l := range sample { // the mean over all labels, each as likely
					sum -= float64(l)
					count++
				}
			}
		}
		near(t, "initial loss of "+n.Settings.Network.Name, sum/float64(count), c.want, c.slack)
	}
}
