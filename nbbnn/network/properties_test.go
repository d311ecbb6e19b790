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

// propertyNetwork returns a small network for random images with the given number of classes.
func propertyNetwork(t *testing.T, config Settings, side, classes int) *Model {
	t.Helper()
	n := testkit.Must(NewModel(config, randomData(4, side, classes), ModelOptions{}))(t)
	return n
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
	exec := testkit.Must(model.NewExec(n.engine.Backend, n.store, func(_ *model.Scope, args []*Node) *Node {
		return n.asLogProbabilities(forward(n, newPass(n, args[0].Graph(), samples, training), args[0], args[1:]), images, samples)
	}))(t)
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
