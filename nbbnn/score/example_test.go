package score_test

import (
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// The average of two samples in three classes: the logarithm of the mean probability, not the mean
// of the logarithms.
func ExampleMeanPredictive() {
	samples := []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25), math.Log(0.75),
		math.Log(0.125), math.Log(0.125)}
	for _, l := range score.MeanPredictive(samples, 3) {
		fmt.Printf("%.4f\n", math.Exp(l))
	}
	// Output:
	// 0.6250
	// 0.1875
	// 0.1875
}

// Two networks predict one image in two classes, one of them with two samples: it counts twice.
func ExampleJoinPredictions() {
	first := score.Prediction{Images: 1, Samples: 2, Classes: 2, LogProbabilities: []float32{-0.1,
		-2.4, -0.2, -1.7}}
	second := score.Prediction{Images: 1, Samples: 1, Classes: 2, LogProbabilities: []float32{-1.2,
		-0.4}}
	joined, err := score.JoinPredictions(first, second)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(joined.Samples, "samples:", joined.Image(0))
	// Output:
	// 3 samples: [-0.1 -2.4 -0.2 -1.7 -1.2 -0.4]
}

// scored are the cells of a run that was tested on eight corruptions.
func scored(clean float64) score.Cells {
	cells := score.Cells{{Corruption: score.Clean, Images: 100, Samples: 4, NLL: clean}}
	suite, err := corrupt.SuiteByName("first8")
	if err != nil {
		log.Fatal(err)
	}
	for _, corruption := range suite.Corruptions {
		for severity := 1; severity < score.LevelCount; severity++ {
			cells = append(cells, score.Cell{Corruption: corruption, Severity: severity,
				Images: 100, Samples: 4, NLL: clean + float64(severity)/10})
		}
	}
	return cells
}

// Every corruption at every severity over two seeds.
func ExampleComparison_CellSummaries() {
	compared := score.Comparison{Suite: "first8", Methods: []score.Method{
		{Name: "MAP", Cells: []score.Cells{scored(0.5), scored(0.7)}}}}
	tables, err := compared.CellSummaries()
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range tables[0][:2] {
		fmt.Println(row.Corruption, row.Severity, row.Metrics["nll"])
	}
	// Output:
	// clean 0 0.600 ± 0.141 (n = 2)
	// gaussian_noise 1 0.700 ± 0.141 (n = 2)
}

// Means over the mild levels, 1 to 3, and the severe ones, 4 and 5.
func ExampleMild() {
	levels, err := scored(0.5).Levels()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mild %.2f, severe %.2f\n", score.Mild(levels.NLL), score.Severe(levels.NLL))
	// Output:
	// mild 0.70, severe 0.95
}

// The part of a larger evaluation that a smaller suite is; a corruption that wasn't tested is
// named.
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
	// score: the cell impulse_noise 1 of all19 is missing: evaluate with that suite or a larger one
}

// A metric of one's own: the mean confidence, which evaluations then compute for every cell.
func ExampleRegister() {
	confidence := func(probabilities []float64, _ int) float64 { return slices.Max(probabilities) }
	err := score.Register(score.Metric{
		Name: "Confidence", Title: "mean confidence", Unit: "%", HigherIsBetter: true,
		Of: score.MeanOverImages(confidence),
	})
	if err != nil {
		log.Fatal(err)
	}
	prediction := score.Prediction{Images: 1, Samples: 2, Classes: 2, LogProbabilities: []float32{
		-0.1053605, -2.3025851, -0.6931472, -0.6931472}}
	cell, err := prediction.Cell(score.Condition{Corruption: "fog", Severity: 3}, []uint8{1})
	if err != nil {
		log.Fatal(err)
	}
	metric, err := score.MetricByName("Confidence")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.1f\n", metric.Label(), metric.Shown(metric.Value(cell)))
	// prints "mean confidence (%): 70.0"
}

// Both images have the probabilities 0.8, 0.2 and 0, and belong to the classes 0 and 1. The first
// class is 0.3 too likely, the second 0.3 too unlikely, the third right.
func ExampleFurther() {
	image := []float32{float32(math.Log(0.8)), float32(math.Log(0.2)), float32(math.Inf(-1))}
	p := score.Prediction{Images: 2, Samples: 1, Classes: 3, LogProbabilities: append(image,
		image...)}
	cell, err := p.Cell(score.Condition{Corruption: score.Clean}, []uint8{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", cell.Further.ClasswiseECE)
	// Output:
	// 0.20
}

// The threshold is fitted to four images whose right class has the probability 0.6, 0.6, 0.6 and
// 0.3. Sets are then large for an image that the network doubts.
func ExampleMeasureSets() {
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
	sets, err := score.MeasureSets(of([]float64{0.02, 0.97, 0.01}, []float64{0.3, 0.3, 0.4}),
		[]uint8{1, 1}, threshold, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("threshold %.2f, mean size %.1f, coverage %.1f\n", threshold, sets.Size,
		sets.Coverage)
	// Output:
	// threshold 0.60, mean size 1.5, coverage 0.5
}
