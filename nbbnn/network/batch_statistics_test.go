package network

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A prediction by batch statistics equals loops over float64 that compute them, in every mode, and
// leaves the running statistics as they were.
func TestBatchStatisticsEqualLoopsByHand(t *testing.T) {
	for name, side := range map[string]int{"resnet18": 8, "preactresnet18": 16} {
		for _, mode := range []Mode{Output, Input, Both, Deterministic} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				c := newNetworkCase(t, name, mode, false, side)
				c.hand.training = true // normalises by the statistics of all rows
				before := c.storedMeans(t)
				got := c.run(t, func(scope *model.Scope, args []*Node) []*Node {
					p := c.pass(scope.Store(), args)
					p.batch = true
					return []*Node{p.logits(c.architecture, args[0])}
				})[0].Value().([][]float32)
				want := c.handLogits()
				near(t, "logits", got, want, 2e-5*largest(want))
				near(t, "running means", c.storedMeans(t), before, 0)
			})
		}
	}
}

func (c networkCase) storedMeans(t *testing.T) (values []float64) {
	for _, n := range c.architecture.normalisations {
		values = append(values, storedValues(t, c.store, n.meanPath())...)
	}
	return values
}

// The draws of an image depend on its index alone, so each batch can be predicted by itself; the
// last one ends with the last image and begins where it's full.
func TestBatchesAreNormalisedApart(t *testing.T) {
	m := scaleModel(t, 1, HostNoise).WithBatchStatistics(3)
	all := randomData(16, 8, 10).Train
	whole := predicted(t, m, 7, 2)
	p, err := m.NewPredictor(3, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	row := 2 * m.Classes
	for _, first := range []int{0, 3, 4} {
		alone := testkit.Must(p.predictBatch(imagesTensor(all.Slice(first, first+3)), first))(t)
		from := max(first, 3*((first+2)/3)) // images that an earlier batch has predicted
		near(t, fmt.Sprintf("batch from %d", first), whole[from*row:][:(first+3-from)*row], alone[(from-first)*row:], 1e-6)
	}
	_, err = p.Predict(t.Context(), all.Slice(0, 2))
	checkError(t, "two images", err, "2 images can't fill a batch of 3")
}
