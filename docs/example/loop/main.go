// Trains in a loop of our own with a loss of our own, and keeps the network as a run.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func main() {
	check(baseline.Define(baseline.Definition{Name: "early", Version: "1"})) // no Training: a loop
	fmt.Println(loop(context.Background()).Directory())
}

func loop(ctx context.Context) *nbbnn.Run {
	config := nbbnn.SmallAllCNNC()
	config.Method.Name = "early"
	data := must(config.OpenData(ctx))
	model := must(network.NewModel(config.Settings(), data, network.ModelOptions{}))
	stepper := must(network.NewStepper(model, data.Train, network.StepperOptions{Loss: smoothed}))
	for stepper.Position.Epoch < config.Training.Epochs {
		losses := must(stepper.Step(ctx))
		if losses.NLL < 0.7*float64(losses.Steps) {
			break // early enough
		}
	}
	predictor := must(model.NewPredictor(data.Test.Count(), 8, 0)) // 8 samples, with seed 0
	prediction := must(predictor.Predict(ctx, data.Test))
	cell := must(prediction.Cell(score.Condition{Corruption: score.Clean}, data.Test.Labels))
	fmt.Println("NLL", cell.NLL, "error", cell.Error)
	return must(nbbnn.Keep(ctx, "runs", config, stepper))
}

func smoothed(l network.LossGraph) *graph.Node {
	uniform := graph.Neg(graph.ReduceAllMean(l.LogProbabilities))
	return l.ELBO(graph.Add(graph.MulScalar(l.NLL, 0.9), graph.MulScalar(uniform, 0.1)))
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
