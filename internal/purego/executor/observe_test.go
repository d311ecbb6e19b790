package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// observed are the executions of a graph.
func observed(t *testing.T, build func([]*Node) []*Node, inputs ...any) (all []Execution) {
	t.Helper()
	stop := Observe()
	defer func() { all = stop() }()
	run(t, build, inputs...)
	return nil
}

func TestObserveNamesOperations(t *testing.T) {
	needKernels(t)
	l := layerSizes{9, 16, 16, 32, 32, 3, 1, 1, 1}
	all := observed(t, func(in []*Node) []*Node {
		y := relu(Mul(l.convolve(in[0], in[1]), in[3]))
		return append([]*Node{y, operation.HalveByMaximum(y)}, Gradient(ReduceAllSum(Mul(y, in[4])), in[:2]...)...)
	}, l.values()...)
	var names []string
	for _, e := range all {
		names = append(names, e.Name+" "+e.Shape)
	}
	for _, want := range []string{"convolution 3x3, Winograd 9x16x16x32", "input gradient 3x3, Winograd 9x16x16x32", "kernel gradient 3x3, Winograd 3x3x32x32",
		"rectify gradient 9x16x16x32", "pool maximum 9x8x8x32"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %q among what was observed: %q", want, names)
		}
	}
}

func TestObserveEnds(t *testing.T) {
	values := normals(rand.New(rand.NewPCG(85, 86)), 3)
	sine := func(in []*Node) []*Node { return []*Node{Sin(in[0])} }
	stop := Observe()
	run(t, sine, values)
	all := stop()
	run(t, sine, values)
	if len(all) != 1 {
		t.Errorf("%d operations were observed, want the one before the observation ended", len(all))
	}
}

// What the body of a function does counts as the function.
func TestObserveCountsFunctionsOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(83, 84))
	all := observed(t, func(in []*Node) []*Node { return []*Node{operation.HalveByMaximum(in[0])} }, normals(random, 2, 4, 4, 5))
	if len(all) != 1 || all[0].Name != string(operation.PoolMaximum) || all[0].Shape != "2x2x2x5" {
		t.Errorf("observed %+v, want one pooling to 2x2x2x5", all)
	}
}
