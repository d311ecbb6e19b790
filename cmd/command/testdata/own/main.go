// Program own is what a user writes: a network and a corruption of their own, with every command.
package main

import (
	"log"

	"github.com/nbbnn/workbench/cmd/command"
	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func main() {
	check(network.Define("mine", mine, network.Defaults{Width: 2, Epochs: 1, Batch: 8}))
	check(corrupt.Register(corrupt.Corruption{
		Name: "dims", Version: "1", Severities: [5]float64{.1, .2, .3, .4, .5},
		Apply: func(_ corrupt.Image, strength float64, _, out []float64) {
			for i := range out {
				out[i] *= 1 - strength
			}
		},
	}))
	command.Main()
}

// mine has one convolution.
func mine(b *network.Builder) network.Value {
	x := b.Image().Convolve(network.Convolution{Channels: b.Width(), Stride: 2}).ReLU()
	return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
