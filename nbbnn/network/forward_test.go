package network

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
)

// graphLogits runs the forward pass of an architecture, x is [rows, side, side, 3].
func graphLogits(t *testing.T, a Architecture, mode Mode, store *model.Store, x *tensors.Tensor, noise [][][]float32) [][]float32 {
	t.Helper()
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(e.Backend, store, func(scope *model.Scope, args []*Node) []*Node {
		p := &pass{graph: args[0].Graph(), store: scope.Store(), mode: mode}
		p.sample(a.layers, args[1:])
		return []*Node{a.forward(p, args[0])}
	})
	if err != nil {
		t.Fatal(err)
	}
	args := []any{x}
	for _, draws := range noise {
		args = append(args, draws)
	}
	logits, err := exec.Call1(args...)
	if err != nil {
		t.Fatal(err)
	}
	return logits.Value().([][]float32)
}

// The forward pass of All-CNN-C equals one by hand: with latents that are one, which leave no
// trace, and with given draws.
func TestForwardPassEqualsOneByHand(t *testing.T) {
	const rows, side, classes = 5, 8, 10
	for _, c := range []struct {
		form       Form
		mode       Mode
		components int
		certain    bool // means 1, rho -20
		tolerance  float64
	}{
		{Published, Output, 1, true, 1e-5},
		{Narrow, Output, 1, true, 1e-5},
		{Narrow, Both, 2, true, 1e-5},
		{Published, Output, 2, false, 1e-5},
		{Narrow, Output, 3, false, 1e-5},
		{Published, Both, 2, false, 1e-5},
		{Narrow, Input, 2, false, 1e-5},
	} {
		t.Run(fmt.Sprintf("%s %s K=%d certain=%v",
			c.form, c.mode, c.components, c.certain), func(t *testing.T) {
			random := rand.New(rand.NewPCG(11, 12))
			a := Network{Name: "allcnnc", Width: 2, Form: c.form}.Architecture(classes)
			config := Settings{Network: Network{Form: c.form}, Posterior: Posterior{Components: c.components, Mode: c.mode, InitStd: 0.3}}
			store := livelyStore(t, a, config, random)
			noise := drawNoise(a, c.mode, rows, random)
			handNoise := noise
			if c.certain {
				handNoise = nil
				for _, l := range a.layers {
					setValues(t, store, meanPath(l), func() float64 { return 1 })
					setValues(t, store, rhoPath(l), func() float64 { return -20 })
				}
			}
			x := fill(rows*side*side*3, random.NormFloat64)
			got := graphLogits(t, a, c.mode, store, tensors.FromFlatDataAndDimensions(x, rows, side, side, 3), noise)
			network := handCopy(t, a, config, store)
			var want [][]float64
			for row, image := range pictures(side, widen(x)) {
				want = append(want, network.logits(image, handNoise, row))
			}
			near(t, "logits", got, want, c.tolerance)
			checkLively(t, want)
		})
	}
}

// checkLively refuses logits that don't depend on the image, which a comparison would say nothing
// about.
func checkLively(t *testing.T, logits [][]float64) {
	t.Helper()
	different := 0
	for class := range logits[0] {
		if logits[0][class] != logits[1][class] {
			different++
		}
	}
	if different < 2 {
		t.Errorf("%d logits depend on the image, want at least 2 for a test that means something",
			different)
	}
}
