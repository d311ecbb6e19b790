package nbbnn

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// LayerDraws says which outputs of a layer are wanted.
type LayerDraws struct {
	Layer string // one of Config.Layers; "" means the last
	Draws int    // of the latents for each image, shared equally by the components; 0 means 256 of each component
	Seed  uint64 // of the draws

	Progress Progress // is told of every block of draws; nil means nobody is
}

const (
	defaultLayerDraws = 256 // of each component
	layerRows         = 64  // about as many draws of one execution of the graph
)

// LayerOutputs returns the outputs of a layer of a trained run for one image under each of its draws, [draws][values]: after the
// ReLU where one follows at once, else as the layer gives them, before any normalisation or pooling, as in residual networks. They are what viz.NewProjection and viz.NewEllipse
// take (METHOD.md section 7, PCA).
func (r *Run) LayerOutputs(ctx context.Context, draws LayerDraws, image dataset.Images) (outputs [][]float64, err error) {
	if image, err = withLabels(image); err != nil {
		return nil, err
	}
	if image.Count() != 1 {
		return nil, fmt.Errorf("nbbnn: %d images: give one, or ask for mean outputs (Run.MeanLayerOutputs)", image.Count())
	}
	o, err := r.openLayer(ctx, draws, image)
	if err != nil {
		return nil, err
	}
	err = o.each(ctx, 0, func(values []float32, count int) {
		for i := range count {
			size := len(values) / o.block
			output := make([]float64, size)
			for k, value := range values[i*size:][:size] {
				output[k] = float64(value)
			}
			outputs = append(outputs, output)
		}
	})
	return outputs, stopped(err)
}

// MeanLayerOutputs returns the mean over its draws of the output of a layer for each image, [images][values].
func (r *Run) MeanLayerOutputs(ctx context.Context, draws LayerDraws, images dataset.Images) (means [][]float64, err error) {
	if images, err = withLabels(images); err != nil {
		return nil, err
	}
	o, err := r.openLayer(ctx, draws, images)
	if err != nil {
		return nil, err
	}
	for image := range images.Count() {
		var mean []float64
		err := o.each(ctx, image, func(values []float32, count int) {
			size := len(values) / o.block
			mean = append(mean, make([]float64, size-len(mean))...)
			for i, value := range values[:count*size] {
				mean[i%size] += float64(value) / float64(o.draws.Draws)
			}
		})
		if err != nil {
			return nil, stopped(err)
		}
		means = append(means, mean)
	}
	return means, nil
}

// layerOutputs computes the outputs of a layer, so many draws of an image at a time.
type layerOutputs struct {
	run     string // its name
	model   *network.Model
	program *network.Program
	images  dataset.Images
	draws   LayerDraws
	block   int
}

// openLayer checks what is asked for and compiles it.
func (r *Run) openLayer(ctx context.Context, draws LayerDraws, images dataset.Images) (*layerOutputs, error) {
	components, layers := r.config.Posterior.Components, r.config.Layers()
	if draws.Layer == "" {
		draws.Layer = layers[len(layers)-1]
	}
	if draws.Draws == 0 {
		draws.Draws = defaultLayerDraws * components
	}
	if r.config.Posterior.Mode == Deterministic {
		draws.Draws = 1
	}
	if err := check.First(check.Known("layer", draws.Layer, layers...), shared("draws", draws.Draws, components)); err != nil {
		return nil, err
	}
	m, err := r.modelFor(ctx, images.Height, images.Width)
	if err != nil {
		return nil, err
	}
	block := min(draws.Draws, components*((layerRows+components-1)/components))
	program, err := m.NewProgram("outputs of layer "+draws.Layer, func(args []*Node) []*Node {
		return []*Node{m.LayerOutput(draws.Layer, args[0], block, args[1:])}
	})
	return &layerOutputs{r.config.RunName(), m, program, images, draws, block}, err
}

// each computes the outputs of one image, a block of draws after the other, and hands each on with the number that counts of it. A
// block has draws of its own: they depend on the image's place and on that of the block.
func (o *layerOutputs) each(ctx context.Context, image int, take func(values []float32, count int)) error {
	pixels := o.model.Normalised(o.images.Slice(image, image+1), 1)
	blocks := (o.draws.Draws + o.block - 1) / o.block
	for block := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		noise := o.model.EvaluationNoise(o.draws.Seed, image*blocks+block, 1, o.block)
		outputs, err := o.program.Call(append([]any{pixels}, noise...))
		if err != nil {
			return err
		}
		values, err := tensors.CopyFlatData[float32](outputs[0])
		if err != nil {
			return err
		}
		count := min(o.block, o.draws.Draws-block*o.block)
		take(values, count)
		o.report(image*o.draws.Draws + block*o.block + count)
	}
	return nil
}

// report tells how many draws of all images are done.
func (o *layerOutputs) report(done int) {
	if o.draws.Progress == nil {
		return
	}
	total := o.images.Count() * o.draws.Draws
	o.draws.Progress(Update{
		Phase: "layer", Run: o.run, Done: done, Total: total, Layer: o.draws.Layer,
	})
}
