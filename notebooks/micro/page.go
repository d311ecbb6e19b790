//go:build js

package main

import (
	"math"
	"math/rand/v2"
	"syscall/js"
)

// The plane of a page goes from -reach to reach, in rows and columns of cells.
const reach, cells = 2.4, 32

// init gives a page of the site an object micro, and doesn't return, so main isn't run there:
//
//	points(jitter)    points of the test [x, y, class, ...], both coordinates from 0 to 1
//	train(gamma)      trains a network, an object with
//	    draw()                the probabilities of the classes in all cells under a draw, in bytes
//	    nll(jitter, draws)    of the test
func init() {
	js.Global().Set("micro",
		map[string]any{"points": js.FuncOf(points), "train": js.FuncOf(train)})
	select {}
}

// test returns the points that the lesson tests on.
func test(jitter js.Value) []Point {
	level := uint64(math.Round(jitter.Float() / 0.15))
	return Pinwheel(rand.New(rand.NewPCG(3, level)), 300, jitter.Float())
}

func points(_ js.Value, given []js.Value) any {
	var all []any
	for _, point := range test(given[0]) {
		all = append(all, (point.X[0]+reach)/(2*reach), (reach-point.X[1])/(2*reach), point.Class)
	}
	return all
}

func train(_ js.Value, given []js.Value) any {
	random, points := rand.New(rand.NewPCG(2, 0)), Pinwheel(rand.New(rand.NewPCG(1, 0)), 90, 0)
	net := NewNetwork(random, 0.16)
	net.Train(random, points,
		Objective{Gamma: given[0].Float(), PriorStd: 0.16, Images: len(points)})
	return map[string]any{
		"draw": js.FuncOf(func(js.Value, []js.Value) any { return draw(net, random) }),
		"nll": js.FuncOf(func(_ js.Value, given []js.Value) any {
			return net.NLL(rand.New(rand.NewPCG(4, 0)), test(given[0]), given[1].Int())
		}),
	}
}

func draw(net Network, random *rand.Rand) js.Value {
	var bytes []byte
	epsilon := net.Noise(random)
	for cell := range cells * cells {
		x, y := float64(cell%cells)+0.5, float64(cell/cells)+0.5
		at := []float64{reach * (2*x/cells - 1), reach * (1 - 2*y/cells)}
		logits, _ := net.Forward(at, epsilon)
		for _, log := range logSoftmax(logits) {
			bytes = append(bytes, byte(255*math.Exp(log)))
		}
	}
	array := js.Global().Get("Uint8Array").New(len(bytes))
	js.CopyBytesToJS(array, bytes)
	return array
}
