package nbbnn_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nbbnn/workbench/nbbnn"
)

// A run trains once; opened again, it's read from its directory.
func ExampleOpen() {
	directory, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	config := nbbnn.Config{
		Network:   nbbnn.Network{Name: "allcnnc", Width: 4},
		Data:      nbbnn.Data{Name: "shapes10", Train: 32, Test: 10},
		Posterior: nbbnn.Posterior{InitStd: 0.32},
		Training:  nbbnn.Training{Epochs: 2, Batch: 8, Samples: 1, LearningRate: 0.01},
	}
	run, err := nbbnn.Open(directory, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Train(context.Background(), nil); err != nil {
		log.Fatal(err)
	}
	again, err := nbbnn.Open(directory, config)
	if err != nil {
		log.Fatal(err)
	}
	history, err := again.History()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("complete:", again.Complete())
	fmt.Println("epochs:", len(history)-1)
	// Output:
	// complete: true
	// epochs: 2
}
