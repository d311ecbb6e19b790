package paper

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figures 16 to 19 of the paper draw the entropy of q(Z) over training with gamma = 0
// (METHOD.md 6). At quick all four have the networks of Figure 18.
var (
	Figure16 = entropyFigure(16, "VGG16 on CIFAR-10", nbbnn.PaperVGG16(dataset.CIFAR10))
	figure17 = entropyFigure(17, "VGG16 on CIFAR-100", nbbnn.PaperVGG16(dataset.CIFAR100))
	figure18 = entropyFigure(18, "ResNet18 on CIFAR-10", nbbnn.PaperResNet18(dataset.CIFAR10))
	figure19 = entropyFigure(19, "ResNet18 on CIFAR-100", nbbnn.PaperResNet18(dataset.CIFAR100))
)

// entropyFigure returns the figure of the entropies of a preset.
func entropyFigure(number int, subject string, published nbbnn.Config) Figure {
	return Figure{
		Number: number,
		Title:  "Without extra entropy the posterior loses entropy: " + subject,
		Headline: Headline{
			Shows: "Entropy during training with γ = 0", Subject: true,
			Claimed: "With γ = 0 the posterior loses entropy", Opposite: "With γ = 0 the posterior gains entropy",
			Between: "in entropy over training",
		},
		Runs:    func(scale Scale) Setup { return entropyRuns(scale, published) },
		Collect: historyMeasurement{},
		Draw:    (*Result).EntropyFigure,
		Claims: []Claim{
			{
				Text: "entropy falls over training", Source: FromPaper, Primary: true,
				Effects: averaged("end - start, mean over K and modes", func(r *Result) []Effect { return entropyChanges(r, 0, 1) }),
			},
			{
				Text: "entropy falls over training for every K and mode", Source: FromPaper,
				Effects: func(r *Result) []Effect { return append(entropyChanges(r, 0, 0.5), entropyChanges(r, 0.5, 1)...) },
			},
		},
	}
}

// entropyChanges compares for each method the entropy at two shares of the training.
func entropyChanges(r *Result, from, to float64) (effects []Effect) {
	for _, method := range r.methodNames() {
		effects = append(effects, entropyChange(r, method, from, to))
	}
	return effects
}

// entropyRuns are the runs of Figures 20 to 23 with gamma = 0.
func entropyRuns(scale Scale, published nbbnn.Config) Setup {
	setup := sweepRuns(scale, published)
	switch scale {
	case Smoke:
		setup.Methods = entropyMethods([]int{1, 2}, outputs)
	case Quick, Desk:
		setup.Methods = append(entropyMethods([]int{1}, outputs), entropyMethods([]int{4}, allModes)...)
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

func (historyMeasurement) measure(context.Context, *Result, int, nbbnn.Progress) error { return nil }

// table has the entropy before, in the middle and after training.
func (historyMeasurement) table(r *Result) (viz.Table, error) {
	last := len(r.Runs[0].History) - 1
	epochs := []int{0, last / 2, last}
	table := viz.Table{Header: []string{"entropy (nats)"}, Labels: 1}
	for _, epoch := range epochs {
		table.Header = append(table.Header, fmt.Sprintf("epoch %d", epoch))
	}
	for _, method := range r.methodNames() {
		row, cells := []string{method}, meanCells(r.series(method, RunResult.Entropy), 1)
		for _, epoch := range epochs {
			row = append(row, cells[epoch])
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// report has a row for each method and epoch in the table of the CSV file.
func (historyMeasurement) report(r *Result, data *Report) error {
	data.csv = [][]string{{"method", "epoch", "mean", "std", "seeds"}}
	for _, method := range r.methodNames() {
		for epoch, s := range r.EntropySummary(method) {
			data.csv = append(data.csv, []string{method, strconv.Itoa(epoch), decimal(s.Mean), decimal(s.Std), strconv.Itoa(s.N)})
		}
	}
	return nil
}
