package implicit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// LayerDraws choose outputs of a layer under draws of the latents.
type LayerDraws struct {
	Layer string // one of Architecture.Layers; "" means the last
	// of the latents for each image, shared equally by the components; 0 means 256 of each
	// component
	Draws int
	Seed  uint64 // of the draws

	Progress progress.Func // called after every block of draws; may be nil
}

const (
	defaultLayerDraws = 256 // of each component
	layerRows         = 64  // draws of one execution of the graph, about
)

// LayerOutputs returns the outputs of a layer for one image under each of its draws,
// [draws][values]: after a ReLU that follows at once, otherwise before any normalisation or
// pooling, as in residual networks. viz.NewProjection and viz.NewEllipse take them (METHOD.md
// section 7, PCA).
func LayerOutputs(ctx context.Context, m *network.Model, draws LayerDraws,
	image dataset.Images) (outputs [][]float64, err error) {
	if image, err = checkImages(m, image); err != nil {
		return nil, err
	}
	if image.Count() != 1 {
		return nil, fmt.Errorf("implicit: %d images: give one, or call MeanLayerOutputs",
			image.Count())
	}
	l, err := newLayerOutputs(m, draws, image)
	if err != nil {
		return nil, err
	}
	err = l.each(ctx, 0, func(numbers []float32, count int) {
		size := len(numbers) / l.block
		for i := range count {
			output := make([]float64, size)
			for k, number := range numbers[i*size:][:size] {
				output[k] = float64(number)
			}
			outputs = append(outputs, output)
		}
	})
	return outputs, err
}

// MeanLayerOutputs returns the mean over its draws of a layer's output for each image,
// [images][values].
func MeanLayerOutputs(ctx context.Context, m *network.Model, draws LayerDraws,
	images dataset.Images) (means [][]float64, err error) {
	if images, err = checkImages(m, images); err != nil {
		return nil, err
	}
	l, err := newLayerOutputs(m, draws, images)
	if err != nil {
		return nil, err
	}
	for image := range images.Count() {
		var mean []float64
		err := l.each(ctx, image, func(numbers []float32, count int) {
			size := len(numbers) / l.block
			mean = append(mean, make([]float64, size-len(mean))...)
			for i, number := range numbers[:count*size] {
				mean[i%size] += float64(number) / float64(l.draws.Draws)
			}
		})
		if err != nil {
			return nil, err
		}
		means = append(means, mean)
	}
	return means, nil
}

// layerOutputs computes the outputs of a layer, one block of draws of an image at a time.
type layerOutputs struct {
	model   *network.Model
	program *network.Program
	images  dataset.Images
	draws   LayerDraws // filled
	block   int        // draws
}

// newLayerOutputs fills and checks the draws and prepares the graph.
func newLayerOutputs(m *network.Model, draws LayerDraws, images dataset.Images) (*layerOutputs,
	error) {
	components, layers := m.Settings.Posterior.Components, m.Architecture.Layers()
	if draws.Layer == "" {
		draws.Layer = layers[len(layers)-1]
	}
	if draws.Draws == 0 {
		draws.Draws = defaultLayerDraws * components
	}
	if m.Settings.Posterior.Mode == network.Deterministic {
		draws.Draws = 1
	}
	err := cmp.Or(
		check.Known("layer", draws.Layer, layers...),
		check.Shared("draws", draws.Draws, components),
	)
	if err != nil {
		return nil, err
	}
	block := min(draws.Draws, components*((layerRows+components-1)/components))
	program, err := m.NewProgram("outputs of layer "+draws.Layer, func(args []*Node) []*Node {
		return []*Node{layerOutput(m, draws.Layer, args[0], block, args[1:])}
	})
	return &layerOutputs{m, program, images, draws, block}, err
}

// layerOutput returns the output of a layer for one normalised image under each of its draws,
// [draws, values], in float32: after a ReLU that follows at once, otherwise before any
// normalisation or pooling.
func layerOutput(m *network.Model, layer string, image *Node, draws int,
	noise []*Node) (output *Node) {
	observed := *m
	observed.Observe = func(name string, x *Node) {
		if slices.Contains([]string{layer, layer + " rectified"}, name) {
			output = x
		}
	}
	observed.Logits(image, draws, noise)
	output = ConvertDType(Reshape(output, draws, output.Shape().Size()/draws), dtypes.Float32)
	// A node after all variables: the Go backend forgets variables that come after the output, as
	// later layers' do if nothing above has added a node.
	return MulScalar(output, 1)
}

// each computes the outputs of one image, block by block, and passes each block on with the number
// of its draws that count. The draws of a block depend on the indices of the image and of the
// block.
func (l *layerOutputs) each(ctx context.Context, image int, take func(numbers []float32,
	count int)) error {
	pixels := l.model.Normalised(l.images.Slice(image, image+1), 1)
	blocks := (l.draws.Draws + l.block - 1) / l.block
	for block := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		noise := l.model.EvaluationNoise(l.draws.Seed, image*blocks+block, 1, l.block)
		outputs, err := l.program.Call(append([]any{pixels}, noise...))
		if err != nil {
			return err
		}
		numbers, err := tensors.CopyFlatData[float32](outputs[0])
		if err != nil {
			return err
		}
		count := min(l.block, l.draws.Draws-block*l.block)
		take(numbers, count)
		l.draws.Progress.Report(progress.Update{
			Phase: "layer", Layer: l.draws.Layer,
			Done:  image*l.draws.Draws + block*l.block + count,
			Total: l.images.Count() * l.draws.Draws,
		})
	}
	return nil
}
