package viz_test

import (
	"context"
	"log"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/viz"
)

// What three networks say about the same image in fog.
func ExampleAnswerBars() {
	answers := foggyAnswers()
	figure, err := viz.AnswerBars(answers)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/answer_bars.png"); err != nil {
		log.Fatal(err)
	}
}

// The chosen severity among the curves.
func ExampleFigure_Marked() {
	curves := []viz.LevelCurve{
		{Name: "γ = 0", Mean: []float64{0.42, 0.51, 0.66, 0.93, 1.21, 1.75}},
		{Name: "γ = 4", Mean: []float64{0.45, 0.50, 0.60, 0.78, 0.98, 1.32}},
	}
	figure, err := viz.LevelCurves("NLL", curves)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Marked(3).Save("testdata/marked.png"); err != nil {
		log.Fatal(err)
	}
}

// foggyAnswers are invented answers about an image of Shapes10: a wrong one and two right ones.
func foggyAnswers() viz.Answers {
	ctx := context.Background()
	data, err := dataset.Open(ctx, dataset.Config{Name: dataset.Shapes10Bright, TrainCount: 1, TestCount: 1})
	if err != nil {
		log.Fatal(err)
	}
	fog, err := corrupt.Apply(ctx, corrupt.Config{Corruption: "fog", Severity: 3}, corrupt.Size{Height: 32, Width: 32}, data.Test.Pixels)
	if err != nil {
		log.Fatal(err)
	}
	answer := func(name string, truth, other, before float64) viz.Answer {
		return viz.Answer{Name: name, Probabilities: shared(data, truth, other), Before: shared(data, before, (1-before)/2)}
	}
	return viz.Answers{
		Classes: data.Classes, Truth: int(data.Test.Labels[0]), Height: 32, Width: 32,
		Clean: data.Test.Pixels, Changed: fog, Change: "fog, severity 3",
		By: []viz.Answer{answer("γ = 0", 0.24, 0.71, 0.98), answer("γ = 1", 0.48, 0.35, 0.96), answer("γ = 4", 0.56, 0.18, 0.9)},
	}
}

// shared gives the first image's class a probability, the next class another, and the rest to all.
func shared(data *dataset.Dataset, truth, next float64) []float64 {
	label := int(data.Test.Labels[0])
	probabilities := make([]float64, len(data.Classes))
	for class := range probabilities {
		probabilities[class] = (1 - truth - next) / float64(len(probabilities)-2)
	}
	probabilities[label], probabilities[(label+1)%len(probabilities)] = truth, next
	return probabilities
}
