package nbbnn_test

import (
	"fmt"
	"log"
	"math"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
)

// The average of two samples in three classes: the logarithm of the mean probability, not the mean of the logarithms.
func ExampleMeanPredictive() {
	samples := []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25), math.Log(0.75), math.Log(0.125), math.Log(0.125)}
	for _, l := range nbbnn.MeanPredictive(samples, 3) {
		fmt.Printf("%.4f\n", math.Exp(l))
	}
	// Output:
	// 0.6250
	// 0.1875
	// 0.1875
}

// Two networks predict one image in two classes, one of them with two samples: it counts twice.
func ExampleJoinPredictions() {
	first := nbbnn.Prediction{Images: 1, Samples: 2, Classes: 2, LogProbabilities: []float32{-0.1, -2.4, -0.2, -1.7}}
	second := nbbnn.Prediction{Images: 1, Samples: 1, Classes: 2, LogProbabilities: []float32{-1.2, -0.4}}
	joined, err := nbbnn.JoinPredictions(first, second)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(joined.Samples, "samples:", joined.Image(0))
	// Output:
	// 3 samples: [-0.1 -2.4 -0.2 -1.7 -1.2 -0.4]
}

// The ECE of two test sets together is that of their bins together, not the mean of the two.
func ExampleBins_Pool() {
	var under, over nbbnn.Bins
	for i := range 10 {
		under.Add(0.7, i < 9)
		over.Add(0.7, i < 5)
	}
	fmt.Printf("apart %.2f and %.2f, together %.2f\n", under.ECE(10), over.ECE(10), under.Pool(over).ECE(20))
	// Output:
	// apart 0.20 and 0.20, together 0.00
}

// scored are the cells of a run that was tested on eight corruptions.
func scored(clean float64) nbbnn.Cells {
	cells := nbbnn.Cells{{Corruption: nbbnn.Clean, Images: 100, Samples: 4, NLL: clean}}
	suite, err := corrupt.SuiteByName("first8")
	if err != nil {
		log.Fatal(err)
	}
	for _, corruption := range suite.Corruptions {
		for severity := 1; severity < nbbnn.LevelCount; severity++ {
			cells = append(cells, nbbnn.Cell{Corruption: corruption, Severity: severity, Images: 100, Samples: 4, NLL: clean + float64(severity)/10})
		}
	}
	return cells
}

// Every corruption at every severity over two seeds, by the names of the metrics in cells.csv.
func ExampleSummariseCells() {
	table, err := nbbnn.SummariseCells("first8", scored(0.5), scored(0.7))
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range table[:2] {
		fmt.Println(row.Corruption, row.Severity, row.Metrics["nll"])
	}
	fmt.Println(len(nbbnn.MetricNames()), "metrics, the first is", nbbnn.MetricNames()[0])
	// Output:
	// clean 0 0.600 ± 0.141 (n = 2)
	// gaussian_noise 1 0.700 ± 0.141 (n = 2)
	// 11 metrics, the first is nll
}

// Means over the mild levels, 1 to 3, and the severe ones, 4 and 5.
func ExampleMild() {
	levels, err := scored(0.5).Levels()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mild %.2f, severe %.2f\n", nbbnn.Mild(levels.NLL), nbbnn.Severe(levels.NLL))
	// Output:
	// mild 0.70, severe 0.95
}

// The part of a larger evaluation that a smaller suite is; a corruption that wasn't tested is named.
func ExampleCells_Of() {
	part, err := scored(0.5).Of("first8")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(part), "cells")
	_, err = part.Of("all19")
	fmt.Println(err)
	// Output:
	// 41 cells
	// nbbnn: the cell impulse_noise 1 of all19 is missing: evaluate with that suite or a larger one
}
