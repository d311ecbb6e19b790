package network

import (
	"math/rand/v2"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
)

// stepNoise draws TrainingNoise of one step after another into the same memory. It begins with that
// of the next step while the engine computes one: cores of the pure-Go engine draw it while they
// wait for each other.
type stepNoise struct {
	model       *Model
	layers      []layer
	given, next []any // of the step that runs, and of that after it

	mutex sync.Mutex // of what follows, and of next
	step  int        // whose noise is drawn into next; -1 if none is
	layer int        // from which noise is left to draw, counted down
	drawn int        // numbers of that layer
	rng   *rand.Rand // of that layer
}

// pieceNumbers is how many numbers a waiting core draws at a time: half a microsecond.
const pieceNumbers = 64

func newStepNoise(m *Model) *stepNoise {
	n := &stepNoise{model: m, step: -1}
	if m.deviceNoise {
		return n
	}
	n.layers = m.drawnLayers(true)
	rows := m.Settings.Training.Batch * m.Settings.Training.Samples
	n.given, n.next = m.noiseTensors(n.layers, rows, m.keptTensor), m.noiseTensors(n.layers, rows, m.keptTensor)
	return n
}

// take returns the noise of a step, as TrainingNoise does. They stay until begin after the next take.
func (n *stepNoise) take(step int) []any {
	if n.model.deviceNoise {
		return n.model.TrainingNoise(step)
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.step != step {
		n.start(step)
	}
	if n.drawn > 0 {
		n.draw(n.next[n.layer].(*tensors.Tensor).Size())
	}
	n.model.drawLayers(n.layers[:n.layer+1], n.next, func(layer int, values []float32) {
		n.model.fill(n.layers[layer], values, n.model.trainingGenerator(step, layer))
	})
	n.step = -1
	n.given, n.next = n.next, n.given
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
	parallel.WhileIdle(n.piece)
}

// start begins with the last layer: see drawLayers.
func (n *stepNoise) start(step int) { n.step, n.layer, n.drawn = step, len(n.layers)-1, 0 }

// piece draws a few numbers, unless another core is at it, and tells whether more are left.
func (n *stepNoise) piece() (more bool) {
	if !n.mutex.TryLock() {
		return true
	}
	defer n.mutex.Unlock()
	if n.step >= 0 && n.layer >= 0 {
		n.draw(pieceNumbers)
	}
	return n.step >= 0 && n.layer >= 0
}

// draw draws the next numbers of a layer, or fewer if it ends before.
func (n *stepNoise) draw(count int) {
	if n.drawn == 0 {
		n.rng = n.model.trainingGenerator(n.step, n.layer)
	}
	tensors.MustMutableFlatData(n.next[n.layer].(*tensors.Tensor), func(values []float32) {
		rest := values[n.drawn:]
		rest = rest[:min(len(rest), count)]
		n.model.fill(n.layers[n.layer], rest, n.rng)
		if n.drawn += len(rest); n.drawn == len(values) {
			n.layer, n.drawn = n.layer-1, 0
		}
	})
}
