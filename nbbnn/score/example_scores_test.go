package score_test

import (
	"fmt"
	"log"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Ten predictions with a confidence of 70 %, of which five are right: the confidence is 0.2 too
// high, whatever the bandwidth.
func ExampleSmoothECE() {
	var outcomes []score.Outcome
	for i := range 10 {
		outcomes = append(outcomes, score.Outcome{Confidence: 0.7, Correct: i < 5})
	}
	value, err := score.SmoothECE(outcomes)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", value)
	// Output:
	// 0.2000
}

// Both images have the probabilities 0.8, 0.2 and 0, and belong to the classes 0 and 1. The first
// class is 0.3 too likely, the second 0.3 too unlikely, the third right.
func ExampleClasswiseECE() {
	image := []float32{float32(math.Log(0.8)), float32(math.Log(0.2)), float32(math.Inf(-1))}
	p := score.Prediction{Images: 2, Samples: 1, Classes: 3, LogProbabilities: append(image, image...)}
	value, err := score.ClasswiseECE(p, []uint8{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", value)
	// Output:
	// 0.20
}

// The threshold is fitted to four images whose right class has the probability 0.6, 0.6, 0.6 and
// 0.3. Sets are then large for an image that the network doubts.
func ExampleAPSSets() {
	of := func(images ...[]float64) score.Prediction {
		p := score.Prediction{Images: len(images), Samples: 1, Classes: 3}
		for _, probabilities := range images {
			for _, probability := range probabilities {
				p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(probability)))
			}
		}
		return p
	}
	same := []float64{0.6, 0.3, 0.1}
	threshold, err := score.APSThreshold(of(same, same, same, same), []uint8{0, 0, 0, 1}, 0.2, nil)
	if err != nil {
		log.Fatal(err)
	}
	sets, err := score.APSSets(of([]float64{0.02, 0.97, 0.01}, []float64{0.3, 0.3, 0.4}), threshold, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("threshold %.2f, sets %v\n", threshold, sets)
	// Output:
	// threshold 0.60, sets [[1] [2 0]]
}
