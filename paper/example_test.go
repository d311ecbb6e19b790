package paper_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// A figure is a value: here it gets a third curve, and everything gets so small that it takes a moment.
func ExampleFigure_Train() {
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(runs)

	figure := paper.Figure03.With(paper.M(0.64)).Adjust(func(setup *paper.Setup) {
		setup.Config.Network.Width = 2
		setup.Config.Data.Train = 32
		setup.Config.Training.Epochs = 1
		setup.Seeds = paper.FirstSeeds(1)
	})
	result, err := figure.Train(context.Background(), paper.Smoke, paper.Options{Runs: runs})
	if err != nil {
		log.Fatal(err)
	}
	for _, run := range result.Runs {
		fmt.Printf("%s, %d entropies\n", run.Name(), len(run.Entropy()))
	}
	// Output:
	// M16 seed 1, 2 entropies
	// M32 seed 1, 2 entropies
	// M64 seed 1, 2 entropies
}

// A method is a name and what it changes in the configuration that all runs of a figure share.
func ExampleMethod() {
	exact := paper.Method{Name: "exact bound", Change: func(config *nbbnn.Config) {
		config.Posterior.Components = 4
		config.Objective.Bound = nbbnn.ExactBound
	}}
	figure := paper.Figure03.With(exact)
	fmt.Println(len(figure.Methods), figure.Methods[2].Name)
	// Output: 3 exact bound
}
