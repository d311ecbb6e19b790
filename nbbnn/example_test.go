package nbbnn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
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
	plain, spelt := nbbnn.Config{},
		nbbnn.Config{Posterior: nbbnn.Posterior{Components: 1, Mode: nbbnn.Output}}
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

// smallRuns trains two seeds of a small network in a temporary directory, to be removed afterwards.
func smallRuns() (directory string, runs []*nbbnn.Run) {
	directory = lab.Must(os.MkdirTemp("", "runs"))
	for seed := range uint64(2) {
		run := lab.Must(nbbnn.Open(directory, nbbnn.Config{
			Network:   nbbnn.Network{Name: "allcnnc", Width: 4},
			Data:      nbbnn.Data{Name: dataset.Shapes10, Train: 40, Test: 10, Validation: 10},
			Posterior: nbbnn.Posterior{Components: 2, InitStd: 0.32},
			Training:  nbbnn.Training{Epochs: 2, Batch: 10, Samples: 2, LearningRate: 0.01},
			Seed:      seed,
		}))
		lab.Check(run.TrainWith(context.Background(), nbbnn.TrainOptions{KeepEvery: 1}))
		runs = append(runs, run)
	}
	return directory, runs
}

// The paper's ResNet18 on CIFAR-100, with its 300 epochs squeezed into 30: the posterior learns ten
// times faster.
func ExampleConfig_Compress() {
	config := nbbnn.Paper("resnet18", dataset.CIFAR100)
	config.Objective.Gamma = 80
	config = lab.Must(config.Compress(30))
	fmt.Println(config.Training.Epochs, "epochs, beta rises for", config.Training.BetaEpochs)
	fmt.Println("learning rates", config.Training.LearningRate,
		config.Training.PosteriorLearningRate)
	fmt.Printf("temperature %.4f\n", network.Temperature(config.Objective.Gamma))
	// Output:
	// 30 epochs, beta rises for 20
	// learning rates 0.1 1
	// temperature 0.0123
}

// A training that keeps the checkpoint of every epoch, of which one is tested on the images that
// were held out.
func ExampleRun_TrainWith() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	kept := lab.Must(runs[0].KeptEpochs())
	evaluation := nbbnn.Evaluation{Part: nbbnn.ValidationPart, Samples: 4, Epoch: kept[0]}
	cells := lab.Must(runs[0].Evaluate(context.Background(), evaluation, nil))
	fmt.Println("checkpoints of epochs", kept)
	fmt.Println(cells[0].Images, "validation images")
	// Output:
	// checkpoints of epochs [1 2]
	// 10 validation images
}

// Two seeds of one method: their mean and deviation at every level, and the average of their
// probabilities.
func ExampleCompare() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	ctx, evaluation := context.Background(), nbbnn.Evaluation{Suite: "first8", Samples: 2,
		Images: 4}
	for _, run := range runs {
		lab.Must(run.Evaluate(ctx, evaluation, nil))
	}
	compared := lab.Must(nbbnn.Compare(runs, evaluation, ""))
	tables := lab.Must(compared.Tables())
	ensemble := lab.Must(nbbnn.OpenEnsemble(directory, runs...))
	cells := lab.Must(ensemble.Evaluate(ctx, evaluation, nil))
	fmt.Println(compared.Methods[0].Name, compared.Methods[0].Seeds, "levels",
		len(tables[0].NLL.Means()))
	fmt.Println("the average is better than its members' mean:",
		cells[0].NLL < tables[0].NLL[0].Mean)
	// Output:
	// node-BNN [0 1] levels 6
	// the average is better than its members' mean: true
}

// Weights go out in the layout of the published code and come back as a run.
func ExampleImport() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "weights.safetensors")
	lab.Check(runs[0].Export(context.Background(), path, nbbnn.ExportOptions{
		Layout: network.ReferenceLayout}))
	config, _, err := nbbnn.ReadExportedConfig(path)
	lab.Check(err)
	run := lab.Must(nbbnn.Import(context.Background(), filepath.Join(directory, "imported"), config,
		path))
	layers := lab.Must(run.Posterior(0))
	fmt.Println("complete:", run.Complete())
	fmt.Println(layers[0].Name, "has", len(layers[0].Mean), "components in", len(layers[0].Mean[0]),
		"dimensions")
	// Output:
	// complete: true
	// conv1 has 2 components in 4 dimensions
}

// What a threshold on the confidence is worth: the risk falls with the coverage if the confidence
// tells something.
func ExampleRun_Predict() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	prediction, labels, err := runs[0].Predict(context.Background(), nbbnn.Evaluation{Samples: 4},
		"fog", 3)
	lab.Check(err)
	coverage, _, err := prediction.RiskCoverage(labels)
	lab.Check(err)
	fmt.Println("coverage at the end:", coverage[len(coverage)-1])
	// Output:
	// coverage at the end: 1
}
