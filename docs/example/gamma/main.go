// Trains All-CNN-C with more entropy on drawn images.
package main

import (
	"context"
	"log"

	"github.com/nbbnn/workbench/nbbnn"
)

func main() {
	config := nbbnn.SmallAllCNNC()
	config.Objective.Gamma = 2
	run, err := nbbnn.Open("runs", config)
	if err == nil {
		err = run.Train(context.Background(), nil)
	}
	if err != nil {
		log.Fatal(err)
	}
	log.Println("trained", run.Directory())
}
