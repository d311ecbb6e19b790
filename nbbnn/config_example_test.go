package nbbnn_test

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
)

// A zero means a default, and a mistake is named together with what was probably meant.
func ExampleConfig() {
	config := nbbnn.Config{
		Network:   nbbnn.Network{Width: 24},
		Posterior: nbbnn.Posterior{Components: 4},
	}
	network := config.WithDefaults().Network
	fmt.Println(network.Name, network.Width, network.Form)
	config.Posterior.Mode = "ot"
	fmt.Println(config.Validate())
	// Output:
	// allcnnc 24 narrow
	// nbbnn: unknown mode "ot" (did you mean "out"?): choose out, in, both, none
}

// What a zero stands for has the same hash as the zero, so both are the same run.
func ExampleConfig_Hash() {
	plain, spelt := nbbnn.Config{}, nbbnn.Config{Posterior: nbbnn.Posterior{Components: 1, Mode: nbbnn.Output}}
	fmt.Println(plain.Hash() == spelt.Hash(), plain.Hash() == nbbnn.Config{Seed: 1}.Hash())
	// Output:
	// true false
}

// small is a training that takes a moment.
var small = nbbnn.Config{
	Network:  nbbnn.Network{Name: "allcnnc", Width: 2},
	Data:     nbbnn.Data{Name: dataset.Shapes10, Train: 16, Test: 10},
	Training: nbbnn.Training{Epochs: 3, Batch: 8, Samples: 1},
}

// The cost of a training is estimated from a few steps.
func ExampleEstimateTraining() {
	cost := lab.Must(nbbnn.EstimateTraining(context.Background(), small))
	fmt.Println(cost.Steps, "steps an epoch")
	fmt.Println("three epochs in all:", cost.TotalSeconds == 3*cost.EpochSeconds)
	// Output:
	// 2 steps an epoch
	// three epochs in all: true
}
