package network

import (
	"fmt"
	"math/rand/v2"
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

// The statistics of a batch take away a change of scale and shift of the stem's outputs, which
// running statistics don't: that's what they are for.
func TestBatchStatisticsUndoAChangeOfContrast(t *testing.T) {
	settings := renormalisedSettings(8)
	m := renormalisedModel(t, settings)
	random := rand.New(rand.NewPCG(5, 6))
	pixels := make([]float32, 8*8*8*3)
	for i := range pixels {
		pixels[i] = 255 * random.Float32()
	}
	dull := make([]float32, len(pixels))
	for i := range dull {
		// around the mean of the data set, which is a pixel of 0 for the network: so is the padding
		dull[i] = 0.4*(pixels[i]-127.5) + 127.5
	}
	difference := func(m *Model) (most float64) {
		p := testkit.Must(m.NewPredictor(8, 1, 0))(t)
		a := testkit.Must(p.PredictValues(t.Context(), pixels, 8, 8))(t)
		b := testkit.Must(p.PredictValues(t.Context(), dull, 8, 8))(t)
		for i := range a.LogProbabilities {
			most = max(most, float64(a.LogProbabilities[i]-b.LogProbabilities[i]), float64(b.LogProbabilities[i]-a.LogProbabilities[i]))
		}
		return most
	}
	if batch, running := difference(m.WithBatchStatistics(8)), difference(m); batch > 1e-3 || running < 10*batch {
		t.Errorf("less contrast moves a log-probability by %.2g with batch statistics and %.2g without, want 0 and more", batch, running)
	}
}
