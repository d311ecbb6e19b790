// Trains a network of our own on images of our own, with and without latents, and draws both under
// a corruption of our own.
package main

import (
	"context"
	"log"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

func init() {
	check(network.Define("small", small, network.Defaults{Width: 12, Epochs: 20, Batch: 16}))
	check(corrupt.Register(corrupt.Corruption{
		Name: "red_fades", Version: "1", Severities: [5]float64{.2, .4, .6, .8, 1},
		Apply: func(image corrupt.Image, strength float64, draws, out []float64) {
			for i := 0; i < len(out); i += 3 { // red, green, blue
				out[i] *= 1 - strength
			}
		},
	}))
}

// small has three convolutions; two halve the image.
func small(b *network.Builder) network.Value {
	x := b.Image()
	for i, channels := range []int{b.Width(), 2 * b.Width(), 4 * b.Width()} {
		stride := min(1+i, 2)
		x = x.Convolve(network.Convolution{Channels: channels, Stride: stride,
			NoBias: true}).Normalise().ReLU()
	}
	return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
}

func main() {
	var curves []viz.LevelCurve
	for _, mode := range []nbbnn.Mode{nbbnn.Output, nbbnn.Deterministic} {
		run := must(nbbnn.Open("runs", nbbnn.Config{
			Network: nbbnn.Network{Name: "small"}, Data: nbbnn.Data{Name: "forms"},
			Posterior: nbbnn.Posterior{Mode: mode},
		}))
		check(run.Train(context.Background(), nil))
		cells := must(run.Evaluate(context.Background(), nbbnn.Evaluation{Suite: "red_fades,fog",
			Samples: 16}, nil))
		levels := must(cells.Levels())
		curves = append(curves, viz.LevelCurve{Name: "mode " + string(mode), Mean: levels.Error[:]})
	}
	check(must(viz.LevelCurves("Error", curves)).Save("forms.pdf"))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
