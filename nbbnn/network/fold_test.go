package network

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A network whose latents are fixed at the average of its component means has the same logits as
// the ordinary network with these latents in its weights.
func TestFoldedNetworkEqualsFixedLatents(t *testing.T) {
	for name, side := range map[string]int{"vgg16": 32, "resnet18": 8, "preactresnet18": 8} {
		for _, mode := range []Mode{Output, Input, Both} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				c := newNetworkCase(t, name, mode, false, side)
				stored := testkit.Must(storeTensors(c.store))(t)
				for _, l := range c.architecture.layers { // all components at their average, and certain
					setMeanToAverage(t, c.store, l, c.hand.components)
					setValues(t, c.store, rhoPath(l), func() float64 { return -30 })
				}
				want := c.logits(t)
				config := Settings{Network: Network{Name: name, Width: 2, Form: Published}, Posterior: Posterior{Mode: mode, Components: c.hand.components}}
				folded := testkit.Must(config.Fold(stored, MeanLatents))(t)
				twin := newNetworkCase(t, name, Deterministic, false, side)
				twin.images = c.images
				setFolded(t, twin.store, folded)
				near(t, "logits", twin.logits(t), want, 2e-5*largest(flattenRows(want)))
			})
		}
	}
}

// logits is the forward pass of the graph.
func (c networkCase) logits(t *testing.T) [][]float32 {
	t.Helper()
	return c.run(t, func(scope *model.Scope, args []*Node) []*Node {
		return []*Node{c.architecture.forward(c.pass(scope.Store(), args), args[0])}
	})[0].Value().([][]float32)
}

func flattenRows(rows [][]float32) (wide [][]float64) {
	for _, row := range rows {
		wide = append(wide, widen(row))
	}
	return wide
}

func setMeanToAverage(t *testing.T, store *model.Store, l layer, components int) {
	t.Helper()
	values := storedValues(t, store, meanPath(l))
	dimensions := len(values) / components
	average := make([]float64, dimensions)
	for i, v := range values {
		average[i%dimensions] += v / float64(components)
	}
	next := 0
	setValues(t, store, meanPath(l), func() float64 {
		next++
		return average[(next-1)%dimensions]
	})
}

// setFolded gives the variables of a store the values of tensors, of which there must be no other.
func setFolded(t *testing.T, store *model.Store, values []Tensor) {
	t.Helper()
	all := testkit.Must(storeTensors(store))(t)
	testkit.NoError(t, setTensors(store, values, isWeight))
	if len(values) != len(all) {
		t.Errorf("%d tensors for %d variables", len(values), len(all))
	}
}
