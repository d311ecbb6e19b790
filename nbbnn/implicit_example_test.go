package nbbnn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// What has to be added to the first test image to have the effect of one draw of the latents: the
// larger lambda, the less.
func ExampleRun_ImplicitCorruptions() {
	run, remove := tinyRun()
	defer remove()
	settings := implicit.Settings{Lambda: []float64{0.01, 1}, Steps: 50}
	corruptions, err := run.ImplicitCorruptions(context.Background(), settings, nil)
	if err != nil {
		log.Fatal(err)
	}
	weak, strong := corruptions[1], corruptions[0]
	fmt.Println("lambda", weak.Lambda, "changes less than", strong.Lambda, "-", weak.Norm < strong.Norm)
	fmt.Println("and leaves the logits further from the draw's -", weak.Distance() > strong.Distance())
	fmt.Println("values of the corrupted image:", len(weak.Corrupted()))

	m, err := run.Model(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	shifts, err := implicit.Shifts(context.Background(), m, network.MeanLatents, weak.Images(), [][]float32{weak.Change})
	if err != nil {
		log.Fatal(err)
	}
	exact, _ := implicit.MeanSquaredShift(shifts)
	fmt.Println("it shifts the logits -", exact > 0)
	// Output:
	// lambda 1 changes less than 0.01 - true
	// and leaves the logits further from the draw's - true
	// values of the corrupted image: 3072
	// it shifts the logits - true
}

// The outputs of the last layer for one image under draws of the latents, to which
// viz.NewProjection fits principal components, and their mean.
func ExampleRun_Model() {
	run, remove := tinyRun()
	defer remove()
	grey := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3)}
	m, err := run.Model(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	draws := implicit.LayerDraws{Layer: "conv8", Draws: 40}
	outputs, err := implicit.LayerOutputs(context.Background(), m, draws, grey)
	if err != nil {
		log.Fatal(err)
	}
	means, err := implicit.MeanLayerOutputs(context.Background(), m, draws, grey)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(outputs), "draws of", len(outputs[0]), "values; means of", len(means), "image")
	// Output:
	// 40 draws of 640 values; means of 1 image
}
