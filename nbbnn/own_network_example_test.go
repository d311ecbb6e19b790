package nbbnn_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func init() {
	defaults := network.Defaults{Width: 8, InitStd: 0.1, Epochs: 4, Batch: 10, LearningRate: 0.05}
	lab.Check(network.Define("tiny_resnet", tinyResNet, defaults))
}

// tinyResNet has three residual blocks; the second and third halve the image.
func tinyResNet(b *network.Builder) network.Value {
	convolve := func(x network.Value, channels, kernel, stride int) network.Value {
		c := network.Convolution{Channels: channels, Kernel: kernel, Stride: stride, NoBias: true}
		return x.Convolve(c).Normalise()
	}
	x := convolve(b.Image(), b.Width(), 3, 1).ReLU()
	for _, block := range []struct{ channels, stride int }{{1, 1}, {2, 2}, {4, 2}} {
		channels := block.channels * b.Width()
		y := convolve(convolve(x, channels, 3, block.stride).ReLU(), channels, 3, 1)
		if block.stride > 1 {
			x = convolve(x, channels, 1, block.stride)
		}
		x = y.Add(x).ReLU()
	}
	return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
}

// A small residual network of one's own. Every convolution and dense layer has latents.
func Example_ownNetwork() {
	directory := lab.Must(os.MkdirTemp("", "runs"))
	defer os.RemoveAll(directory)
	run := lab.Must(nbbnn.Open(directory, nbbnn.Config{
		Network:  nbbnn.Network{Name: "tiny_resnet"},
		Data:     nbbnn.Data{Name: "shapes10", Train: 1000, Test: 100},
		Training: nbbnn.Training{Samples: 1, NoAugmentation: true},
	}))
	lab.Check(run.Train(context.Background(), nil))
	data := lab.Must(run.Config().OpenData(context.Background()))
	prediction := lab.Must(run.PredictImages(context.Background(), data.Test, 8))
	cell := lab.Must(prediction.Cell(score.Condition{Corruption: score.Clean}, data.Test.Labels))
	fmt.Println(len(run.Config().Layers()), "layers with latents")
	fmt.Println("better than guessing:", cell.Error < 0.8)
	// Output:
	// 10 layers with latents
	// better than guessing: true
}
