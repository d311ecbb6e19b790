package nbbnn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// Two grey images of one's own, of the size that the run was trained on.
func ExampleRun_PredictImages() {
	run, remove := tinyRun()
	defer remove()
	images := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 2*32*32*3)}
	for i := range images.Pixels {
		images.Pixels[i] = 128
	}
	prediction, err := run.PredictImages(context.Background(), images, 8)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prediction.Images, "images,", prediction.Samples, "samples,", prediction.Classes, "classes")
	fmt.Println("log-probabilities of an image:", len(prediction.Image(1)))
	fmt.Println("mean probabilities:", len(prediction.MeanProbabilities(1)))
	// Output:
	// 2 images, 8 samples, 10 classes
	// log-probabilities of an image: 80
	// mean probabilities: 10
}

// The mean predictive averages probabilities, not their logarithms.
func ExamplePrediction_MeanProbabilities() {
	prediction := nbbnn.Prediction{Images: 1, Samples: 2, Classes: 2, LogProbabilities: []float32{-0.1053605, -2.3025851, -0.6931472, -0.6931472}}
	fmt.Printf("%.2f\n", prediction.MeanProbabilities(0))
	// Output:
	// [0.70 0.30]
}
