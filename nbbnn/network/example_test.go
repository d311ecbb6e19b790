package network_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// A network of width 4 trains for 40 steps on 32 random images.
func ExampleNewStepper() {
	random := rand.New(rand.NewPCG(1, 2))
	images := dataset.Images{
		Height: 8, Width: 8, Pixels: make([]byte, 32*8*8*3), Labels: make([]byte, 32),
	}
	for i := range images.Pixels {
		images.Pixels[i] = byte(random.IntN(256))
	}
	for i := range images.Labels {
		images.Labels[i] = byte(i % 2)
	}
	data := &dataset.Dataset{
		Name: "random", Classes: []string{"even", "odd"}, Train: images,
		Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.29, 0.29, 0.29},
	}
	model, err := network.NewModel(network.Settings{
		Network:  network.Network{Width: 4},
		Training: network.Training{Epochs: 10, Batch: 8, NoAugmentation: true},
	}, data, network.ModelOptions{})
	if err != nil {
		log.Fatal(err)
	}
	stepper, err := network.NewStepper(model, data.Train, network.StepperOptions{})
	if err != nil {
		log.Fatal(err)
	}
	steps, epochs := 0, make([]float64, 10) // sums of the losses
	for stepper.Position.Epoch < 10 {
		epoch := stepper.Position.Epoch
		losses, err := stepper.Step(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		steps += losses.Steps
		epochs[epoch] += losses.NLL
	}
	fmt.Println(steps, "steps, the loss fell:", epochs[9] < epochs[0])
	// Output:
	// 40 steps, the loss fell: true
}
