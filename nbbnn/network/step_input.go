package network

import (
	"math/rand/v2"
	"sync"
	"weak"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/random"
)

// arguments returns the arguments of the graph of the next steps. For several steps, whose graph
// draws its noise on the device, each argument that differs between steps has an axis for them in
// front.
func (s *Stepper) arguments(steps int) []any {
	first, b, rule := s.counter(), s.batch(steps), s.options.Rule
	args := []any{b.pixels, b.labels}
	for _, places := range [][]int32{b.chosen, b.seen.down, b.seen.across, b.seen.mirror} {
		args = append(args, perStep(places, steps))
	}
	theta, phi, beta, gamma := s.Rates(s.Position.Epoch)
	args = append(args, float32(theta), float32(phi), float32(beta))
	if s.Model.Noise == DeviceNoise {
		args = append(args, ofSteps(steps, func(step int) []uint32 {
			return s.Model.trainingKey(first + step)
		}))
	} else {
		args = append(args, s.noise.take(first)...)
	}
	switch {
	case rule.Normals > 0 && s.Model.Noise == DeviceNoise:
		args = append(args, ofSteps(steps, func(step int) []uint32 {
			return noiseKey(random.Words(s.Model.Settings.Seed, random.Update, uint64(first+step)),
				0)
		}))
	case rule.Normals > 0:
		args = append(args, s.normals(first))
	}
	if rule.Inputs != nil {
		args = append(args, ofSteps(steps, func(step int) []float32 {
			return rule.Inputs(Position{s.Position.Epoch, s.Position.Step + step})
		}))
	}
	if s.options.Gamma != nil {
		args = append(args, ofSteps(steps, func(int) []float32 {
			return []float32{float32(gamma), float32(1 + gamma)}
		}))
	}
	return args
}

// ofSteps returns the values of each step, as perStep does.
func ofSteps[T uint32 | float32](steps int, of func(step int) []T) any {
	var values []T
	for step := range steps {
		values = append(values, of(step)...)
	}
	return perStep(values, steps)
}

// perStep returns values of several steps as a tensor with a row for each, and one step's as they
// are.
func perStep[T int32 | uint32 | float32](values []T, steps int) any {
	if steps == 1 {
		return values
	}
	return tensors.FromFlatDataAndDimensions(values, steps, len(values)/steps)
}

// counter returns the number of the next step, over all epochs.
func (s *Stepper) counter() int { return s.Position.Epoch*s.Steps + s.Position.Step }

// normals returns the numbers of StepGraph.Normals in a step, [draws, values of theta].
func (s *Stepper) normals(step int) *tensors.Tensor {
	if s.drawn == nil {
		s.drawn = s.Model.keptTensor(shapes.Make(dtypes.Float32, s.options.Rule.Normals,
			s.Model.Architecture.Parameters))
	}
	tensors.MustMutableFlatData(s.drawn, func(values []float32) {
		chunks := (len(values) + normalsChunk - 1) / normalsChunk
		parallel.OnCores(chunks, func(chunk int) {
			rng := random.New(s.Model.Settings.Seed, random.Update, uint64(step), uint64(chunk))
			fillNormals(values[chunk*normalsChunk:min(len(values), (chunk+1)*normalsChunk)], rng)
		})
	})
	return s.drawn
}

// normalsChunk normal numbers of an update rule share a generator. Results depend on it.
const normalsChunk = 1 << 16

// trainingImages returns the normalised images of a training step, [batch, height, width, 3].
func trainingImages(m *Model, args []*Node) *Node {
	views := operation.Views{
		Data: args[argData], Chosen: args[argChosen], Padding: cropPadding,
		Down: args[argDown], Across: args[argAcross], Mirror: args[argMirror],
	}
	return views.Normalised(m.pixelNormalisation(args[argData].Graph()))
}

// stepNoise draws TrainingNoise of one step after another into the same memory. It begins with the
// next step's while the engine computes one: cores of the pure-Go engine draw it while they wait
// for each other.
type stepNoise struct {
	model  *Model
	layers []layer
	given  []any // noise of the step that runs

	mutex sync.Mutex // of what follows
	next  []any      // noise of the step after it
	drawing
}

// drawing is the progress of drawing a step's noise.
type drawing struct {
	step  int        // -1 if none is
	layer int        // the last one left, -1 if none: drawing begins with the last
	drawn int        // numbers of that layer
	rng   *rand.Rand // of that layer
}

var noDrawing = drawing{step: -1, layer: -1}

// pieceNumbers are drawn at a time by a waiting core: half a microsecond.
const pieceNumbers = 64

func newStepNoise(m *Model) *stepNoise {
	n := &stepNoise{model: m, drawing: noDrawing}
	if m.Noise == DeviceNoise {
		return n
	}
	n.layers = m.drawnLayers(true)
	n.given = m.trainingTensors(n.layers, m.keptTensor)
	n.next = m.trainingTensors(n.layers, m.keptTensor)
	return n
}

// take returns the noise of a step that the host draws, as TrainingNoise does. It is valid until
// begin is called after the next take.
func (n *stepNoise) take(step int) []any {
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
	if n.model.Noise == DeviceNoise {
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
