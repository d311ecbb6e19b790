package nbbnn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn"
)

// tinyRun opens a run below a temporary directory and trains it, in a second.
func tinyRun() (run *nbbnn.Run, remove func()) {
	directory, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	run, err = nbbnn.Open(directory, nbbnn.Config{
		Network:  nbbnn.Network{Width: 2},
		Data:     nbbnn.Data{Name: "shapes10", Train: 16, Test: 10},
		Training: nbbnn.Training{Epochs: 2, Batch: 8, Samples: 1, LearningRate: 0.01},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Train(context.Background(), nil); err != nil {
		log.Fatal(err)
	}
	return run, func() { _ = os.RemoveAll(directory) }
}

// The history begins with the state before training, for instance to draw the entropy of a run that
// is still training.
func ExampleRun_History() {
	run, remove := tinyRun()
	defer remove()
	history, err := run.History()
	if err != nil {
		log.Fatal(err)
	}
	for _, epoch := range history {
		fmt.Printf("epoch %d: beta %.1f, learning rate %.4f\n", epoch.Epoch, epoch.Beta, epoch.LearningRate)
	}
	// Output:
	// epoch 0: beta 0.0, learning rate 0.0000
	// epoch 1: beta 0.0, learning rate 0.0100
	// epoch 2: beta 1.0, learning rate 0.0100
}

// The suite of figure 3 has eight corruptions at five severities, and the clean test images. A
// second call reads what the first one measured.
func ExampleRun_Evaluate() {
	run, remove := tinyRun()
	defer remove()
	evaluation := nbbnn.Evaluation{Suite: "first8", Samples: 2, Images: 4}
	cells, err := run.Evaluate(context.Background(), evaluation, nil)
	if err != nil {
		log.Fatal(err)
	}
	levels, err := cells.Levels()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cells:", len(cells))
	fmt.Println("first:", cells[0].Corruption, "on", cells[0].Images, "images")
	fmt.Println("level 0 is the clean cell:", levels.NLL[0] == cells[0].NLL)
	fmt.Println("evaluated:", run.Evaluated(evaluation))
	// Output:
	// cells: 41
	// first: clean on 4 images
	// level 0 is the clean cell: true
	// evaluated: true
}

// The paper's M32 with four components and gamma 80.
func ExamplePaperAllCNNC() {
	config := nbbnn.PaperAllCNNC(0.32)
	config.Posterior.Components = 4
	config.Objective.Gamma = 80
	fmt.Println(config.Network.Name, config.Network.Width, "on", config.Data.Name)
	fmt.Println(config.Training.Epochs, "epochs, beta rises for", config.Training.BetaEpochs)
	fmt.Println(config.MultiplyAdds(32, 10), "multiply-adds an image")
	// Output:
	// allcnnc 96 on cifar10
	// 90 epochs, beta rises for 60
	// 278814720 multiply-adds an image
}

// A configuration file holds what differs from the defaults; a key that doesn't exist is an error.
func ExampleReadConfig() {
	directory, err := os.MkdirTemp("", "config")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "gamma.json")
	if err := os.WriteFile(path, []byte(`{"objective": {"gamma": 40}, "network": {"width": 24}}`), 0o644); err != nil {
		log.Fatal(err)
	}
	config, err := nbbnn.ReadConfig(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("gamma", config.Objective.Gamma)
	network := config.WithDefaults().Network
	fmt.Println(network.Name, network.Width, network.Form)
	// Output:
	// gamma 40
	// allcnnc 24 narrow
}
