package nbbnn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbbnn/workbench/dataset"
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
