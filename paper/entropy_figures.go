package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// Figures 16 to 19 of the paper draw the entropy of q(Z) over training with gamma = 0
// (METHOD.md 6). At quick all four have the networks of Figure 18.
var (
	figure16 = entropyFigure(16, "VGG16 on CIFAR-10", nbbnn.Paper("vgg16", dataset.CIFAR10))
	figure17 = entropyFigure(17, "VGG16 on CIFAR-100", nbbnn.Paper("vgg16", dataset.CIFAR100))
	figure18 = entropyFigure(18, "ResNet18 on CIFAR-10", nbbnn.Paper("resnet18", dataset.CIFAR10))
	figure19 = entropyFigure(19, "ResNet18 on CIFAR-100", nbbnn.Paper("resnet18", dataset.CIFAR100))
)

// entropyFigure returns the figure of the entropies of a preset.
func entropyFigure(number int, subject string, published nbbnn.Config) Figure {
	return Figure{
		Number: number,
		Title:  "Without extra entropy the posterior loses entropy: " + subject,
		headline: headline{
			Shows: "Entropy during training with γ = 0", Subject: true,
			Claimed:  "With γ = 0 the posterior loses entropy",
			Opposite: "With γ = 0 the posterior gains entropy",
			Between:  "in entropy over training",
		},
		Runs:    func(scale Scale) Setup { return entropyRuns(scale, published) },
		collect: historyMeasurement{},
		draw:    (*Result).EntropyFigure,
		claims: []claim{
			{
				Text: "entropy falls over training", Source: fromPaper, Primary: true,
				Effects: entropyChanges(0, 1).averaged("end - start, mean over K and modes"),
			},
			{
				Text: "entropy falls over training for every K and mode", Source: fromPaper,
				Effects: entropyFalls(),
			},
		},
	}
}

// entropyRuns returns the runs of Figures 20 to 23 with gamma = 0.
func entropyRuns(scale Scale, published nbbnn.Config) Setup {
	setup := sweepRuns(scale, published)
	switch scale {
	case Smoke:
		setup.Methods = entropyMethods([]int{1, 2}, outputs)
	case Quick, Desk:
		setup.Methods = append(entropyMethods([]int{1}, outputs),
			entropyMethods([]int{4}, allModes)...)
	case Paper:
		setup.Methods = entropyMethods([]int{1, 2, 4}, allModes)
	}
	return setup
}

// entropyMethods returns a method for each number of components and mode, with gamma = 0.
func entropyMethods(components []int, modes []nbbnn.Mode) (methods []Method) {
	for _, k := range components {
		for _, mode := range modes {
			method := gammaMethod(k, mode, 0)
			method.Name = fmt.Sprintf("K = %d, %s", k, mode)
			methods = append(methods, method)
		}
	}
	return methods
}

// historyMeasurement measures nothing: the figure is drawn from what training records.
type historyMeasurement struct{}

func (historyMeasurement) validate(Setup, nbbnn.Config) error { return nil }

func (historyMeasurement) describe(Setup) string { return "the entropy of training" }

func (historyMeasurement) operations(Setup, nbbnn.Config) float64 { return 0 }

func (historyMeasurement) done(Setup, *nbbnn.Run) bool { return true }

func (historyMeasurement) measure(context.Context, *Result, int, nbbnn.Progress) error {
	return nil
}

// numbers has the entropy before, in the middle and after training.
func (historyMeasurement) numbers(r *Result) numbers {
	n := numbers{at: "epoch"}
	for _, l := range r.entropies() {
		last := len(l.At) - 1
		kept := line{What: l.What, Curve: l.Curve, At: []string{l.At[0], l.At[last/2], l.At[last]},
			Seeds: l.Seeds, decimals: l.decimals}
		for _, values := range l.Values {
			kept.Values = append(kept.Values, []float64{values[0], values[last/2], values[last]})
		}
		n.lines = append(n.lines, kept)
	}
	return n
}
