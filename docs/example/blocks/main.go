package main

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/cmd/command"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func main() {
	if err := network.Define("blocks", blocks); err != nil {
		log.Fatal(err)
	}
	command.Main()
}

func blocks(b *network.Builder) network.Value {
	x := b.Image()
	for i := 1; i <= 4; i++ {
		name := fmt.Sprintf("block%d/conv", i)
		x = x.Convolve(network.Convolution{Name: name, Channels: i * b.Width(), Stride: 2}).ReLU()
	}
	return x.AveragePool().Dense(network.Dense{Features: b.Classes(), NoLatents: true})
}
