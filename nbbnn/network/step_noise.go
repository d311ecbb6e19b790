package network

import (
	"math/rand/v2"
	"sync"
	"weak"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
)

// stepNoise draws TrainingNoise of one step after another into the same memory. It begins with that
// of the next step while the engine computes one: cores of the pure-Go engine draw it while they
// wait for each other.
type stepNoise struct {
	model  *Model
	layers []layer
	given  []any // noise of the step that runs

	mutex sync.Mutex // of what follows
	next  []any      // noise of the step after it
	drawing
}

// drawing is how far the noise of a step is drawn.
type drawing struct {
	step  int        // -1 if none is
	layer int        // the last one that is left, -1 if none is: drawing begins with the last
	drawn int        // numbers of that layer
	rng   *rand.Rand // of that layer
}

// noDrawing is that of no step.
var noDrawing = drawing{step: -1, layer: -1}

// pieceNumbers is how many numbers a waiting core draws at a time: half a microsecond.
const pieceNumbers = 64

func newStepNoise(m *Model) *stepNoise {
	n := &stepNoise{model: m, drawing: noDrawing}
	if m.deviceNoise {
		return n
	}
	n.layers = m.drawnLayers(true)
	n.given = m.trainingTensors(n.layers, m.keptTensor)
	n.next = m.trainingTensors(n.layers, m.keptTensor)
	return n
}

// take returns the noise of a step, as TrainingNoise does. It is valid until begin is called after
// the next take.
func (n *stepNoise) take(step int) []any {
	if n.model.deviceNoise {
		return n.model.TrainingNoise(step)
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.step != step {
		n.start(step)
	}
	n.model.drawTraining(step, n.layers[:n.layer+1], n.next)
	n.given, n.next, n.drawing = n.next, n.given, noDrawing
	return n.given
}

// begin lets waiting cores draw the noise of a step.
func (n *stepNoise) begin(step int) {
	if n.model.deviceNoise {
		return
	}
	n.mutex.Lock()
	n.start(step)
	n.mutex.Unlock()
	n.offer()
}

// offer gives the drawing to waiting cores. It doesn't keep an abandoned training alive.
func (n *stepNoise) offer() {
	pointer := weak.Make(n)
	parallel.WhileIdle(func() (more bool) {
		n := pointer.Value()
		return n != nil && n.piece()
	})
}

func (n *stepNoise) start(step int) { n.drawing = drawing{step: step, layer: len(n.layers) - 1} }

// piece draws a few numbers, unless another core is drawing, and reports whether more are left.
func (n *stepNoise) piece() (more bool) {
	if !n.mutex.TryLock() {
		return true
	}
	defer n.mutex.Unlock()
	if n.layer >= 0 {
		n.drawPiece()
	}
	return n.layer >= 0
}

// drawPiece draws the next pieceNumbers of a layer, or fewer if it ends before.
func (n *stepNoise) drawPiece() {
	if n.drawn == 0 {
		n.rng = n.model.trainingGenerator(n.step, n.layer)
	}
	tensors.MustMutableFlatData(n.next[n.layer].(*tensors.Tensor), func(values []float32) {
		rest := values[n.drawn:]
		rest = rest[:min(len(rest), pieceNumbers)]
		n.model.fill(n.layers[n.layer], rest, n.rng)
		if n.drawn += len(rest); n.drawn == len(values) {
			n.layer, n.drawn = n.layer-1, 0
		}
	})
}
