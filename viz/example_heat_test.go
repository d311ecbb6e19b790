package viz_test

import (
	"log"

	"github.com/nbbnn/workbench/viz"
)

// A classifier that compares images with the mean of each class, under the nineteen corruptions.
func ExampleHeatMap() {
	figure, err := viz.HeatMap(cellMap("templates", false))
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/heat_map.png"); err != nil {
		log.Fatal(err)
	}
}

// What it gains, and loses, when brightness and contrast are taken out of every image first.
func ExampleDifferenceMap() {
	figure, err := viz.DifferenceMap(cellMap("normalised", true), cellMap("templates", false))
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/difference_map.png"); err != nil {
		log.Fatal(err)
	}
}
