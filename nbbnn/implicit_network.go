package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/stream"
)

// Draws of the search for implicit corruptions, each independent of the others and of those of an evaluation.
const (
	targetDraws = iota // Z
	outputDraws        // those whose mean logits are f
)

// implicitSeed is the seed of one kind of draws.
func implicitSeed(seed uint64, kind int) uint64 { return stream.Words(seed, stream.Implicit)[kind] }

// with returns the network with its latents fixed, or drawn for "".
func (n *network) with(latents Latents) *network {
	other := *n
	other.fixed = latents
	return &other
}

// expected returns f of Implicit, from images [rows, height, width, 3] to logits [rows, classes], and the arguments that it
// needs: under fixed latents, or the mean over draws that are the same for every image.
func (n *network) expected(settings Implicit) (f func(store *model.Store, images *Node, args []*Node) *Node, args []any) {
	n = n.with(settings.Latents)
	samples := max(1, settings.Expected)
	args = n.evaluationNoise(implicitSeed(settings.Seed, outputDraws), 0, 1, samples)
	return func(store *model.Store, images *Node, args []*Node) *Node {
		rows, layers := images.Shape().Dim(0), n.drawnLayers(false)
		p := n.newPass(images.Graph(), store, samples, false)
		for i, draws := range n.draws(args, 1, samples, false) {
			p.epsilon[layers[i].name] = repeatForAll(draws, rows)
		}
		logits := n.architecture.forward(p, images) // [rows*samples, classes]
		return ReduceMean(Reshape(logits, rows, samples, n.classes), 1)
	}, args
}

// repeatForAll gives every one of so many images the same draws, [samples, D] to [images*samples, D].
func repeatForAll(draws *Node, images int) *Node {
	samples, width := draws.Shape().Dim(0), draws.Shape().Dim(1)
	return Reshape(BroadcastToDims(ExpandAxes(draws, 0), images, samples, width), images*samples, width)
}

// newImplicitStep compiles a step of descent on the network.
func (n *network) newImplicitStep(f func(*model.Store, *Node, []*Node) *Node) (*program, error) {
	return n.newProgram(func(scope *model.Scope, args []*Node) []*Node {
		return implicitStep(func(images *Node, args []*Node) *Node { return f(scope.Store(), images, args) })(args)
	})
}

// newDrawnLogits compiles the logits of normalised images [images, height, width, 3] under so many draws of each,
// [images*draws, classes].
func (n *network) newDrawnLogits(draws int) (*program, error) {
	n = n.with("")
	return n.newProgram(func(scope *model.Scope, args []*Node) []*Node {
		return []*Node{n.logits(scope.Store(), args[0], draws, false, args[1:])}
	})
}

// normalised returns images as the network sees them, repeated for the rows of each, [images*copies, height, width, 3].
func (n *network) normalised(images dataset.Images, copies int) *tensors.Tensor {
	size := images.Height * images.Width * 3
	values := make([]float32, 0, images.Count()*copies*size)
	for i := range images.Count() {
		for range copies {
			for k, pixel := range images.Pixels[i*size:][:size] {
				values = append(values, float32((float64(pixel)/255-n.mean[k%3])/n.std[k%3]))
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(values, images.Count()*copies, images.Height, images.Width, 3)
}
