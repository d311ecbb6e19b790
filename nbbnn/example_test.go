package nbbnn_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"

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

// The learning rate of the weights stays for half of the epochs, then falls to a hundredth.
func ExampleLearningRateFactor() {
	for _, epoch := range []int{0, 150, 210, 299} {
		fmt.Printf("epoch %3d: %.3f\n", epoch, nbbnn.LearningRateFactor(epoch, 300))
	}
	// Output:
	// epoch   0: 1.000
	// epoch 150: 1.000
	// epoch 210: 0.505
	// epoch 299: 0.010
}

// The entropy of a mixture of two components in three dimensions lies between these bounds and the exact value, which has
// no closed form (METHOD.md 3.4, case B).
func ExampleEntropyBound() {
	backend, err := gobackend.New("")
	if err != nil {
		log.Fatal(err)
	}
	exec := MustNewExec(backend, func(mean, sigma *Node) (*Node, *Node) {
		return nbbnn.EntropyBound(mean, sigma, nbbnn.ExactBound), nbbnn.EntropyBound(mean, sigma, nbbnn.ReferenceBound)
	})
	mean := [][]float64{{1, 1.2, 0.9}, {1.05, 0.8, 1.1}}
	sigma := [][]float64{{0.3, 0.25, 0.4}, {0.35, 0.3, 0.2}}
	exact, reference := exec.MustCall2(mean, sigma)
	fmt.Printf("exact coefficient:     %.6f nats\n", exact.Value())
	fmt.Printf("reference coefficient: %.6f nats\n", reference.Value())
	// Output:
	// exact coefficient:     0.768301 nats
	// reference coefficient: 0.668980 nats
}
