package main

import (
	"log"
	"math"

	"github.com/nbbnn/workbench/cmd/command"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func main() {
	own := baseline.Definition{Name: "cosine", Version: "1", Training: cosine}
	if err := baseline.Define(own); err != nil {
		log.Fatal(err)
	}
	command.Main()
}

// cosine lets gamma fall from its value to 0.
func cosine(s network.Settings, _ int) network.StepperOptions {
	return network.StepperOptions{Gamma: func(at int) float64 {
		return s.Objective.Gamma / 2 * (1 + math.Cos(math.Pi*float64(at)/float64(s.Training.Epochs)))
	}}
}
