package paper_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/paper"
)

// A figure is a value: here it gets a third curve, and everything gets so small that it takes a
// moment.
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
		setup.Seeds = []uint64{1}
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
		config.Objective.Bound = network.ExactBound
	}}
	methods := paper.Figure03.With(exact).Runs(paper.Smoke).Methods
	fmt.Println(len(methods), methods[2].Name)
	// Output: 3 exact bound
}

// tinyFigure is Figure 3 with everything so small that it takes a moment.
func tinyFigure() paper.Figure {
	return paper.Figure03.Adjust(func(setup *paper.Setup) {
		setup.Config.Network.Width = 2
		setup.Config.Data.Train, setup.Config.Data.Test = 32, 8
		setup.Config.Training.Epochs = 1
		setup.Evaluation.Images, setup.Evaluation.Samples = 2, 4
		setup.Seeds = []uint64{1}
	})
}

// Make does everything for a figure and leaves a picture, a table, the data and a picture of all
// panels.
func ExampleMake() {
	directory, err := os.MkdirTemp("", "figure")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)

	options := paper.Options{Runs: filepath.Join(directory, "runs"), Out: filepath.Join(directory,
		"out")}
	result, files, err := paper.Make(context.Background(), tinyFigure(), paper.Smoke, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Test())
	for _, file := range files {
		fmt.Println(filepath.Base(file))
	}
	// Output:
	// first8: 8 corruptions x 5 levels + clean, 2 images, 4 samples, seed 1
	// figure-03.png
	// figure-03.csv
	// figure-03.json
	// figure-03-all.png
}
