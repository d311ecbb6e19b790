package paper

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// PaperTable returns a table of the paper: 1, the layers of All-CNN-C, from the network itself; or
// 2, the time of a training of each network and method. The second one has the mean of the trained
// runs of Figures 10, 11 and 13 at a scale, or an estimate for this machine if there is none,
// next to the paper's seconds.
func PaperTable(ctx context.Context, number int, scale Scale, options Options) (viz.Table, error) {
	switch number {
	case 1:
		return layerTable(nbbnn.Paper("allcnnc", dataset.CIFAR10)), nil
	case 2:
		return timeTable(ctx, scale, options)
	}
	return viz.Table{}, fmt.Errorf("paper: the paper has no table %d: choose 1 (the layers of "+
		"All-CNN-C) or 2 (run times)", number)
}

// layerTable has a row for each layer of a network of convolutions with biases, with the latents of
// mode out, and their sums. Kernels, strides and sizes follow from the network's own counts.
func layerTable(config nbbnn.Config) viz.Table {
	config = config.WithDefaults()
	size := dataSize(config)
	whole := config.Network.Architecture(size.Classes)
	table := viz.Table{
		Header: strings.Fields("layer kernel channels stride output parameters latents " +
			"multiply-adds"), Labels: 1,
		Caption: subjectNetwork(config) + " for " + titleOf(config.Data.Name) +
			", noise on the outputs",
	}
	before := size.Height
	for _, l := range whole.Split() {
		in, out := l.Latents(nbbnn.Input), l.Latents(nbbnn.Output)
		weights := l.Parameters - out // without biases
		all, _ := l.MultiplyAdds(size.Height, size.Width)
		kernel, side := root(weights/(in*out)), root(all/weights)
		table.Rows = append(table.Rows, []string{
			l.Layers()[0], fmt.Sprintf("%d x %[1]d", kernel), fmt.Sprintf("%d to %d", in, out),
			strconv.Itoa(before / side), fmt.Sprintf("%d x %[1]d", side),
			strconv.Itoa(l.Parameters), strconv.Itoa(out),
			strconv.Itoa(all),
		})
		before = side
	}
	adds, _ := whole.MultiplyAdds(size.Height, size.Width)
	table.Rows = append(table.Rows, []string{
		"all", "", "", "", "", strconv.Itoa(whole.Parameters),
		strconv.Itoa(whole.Latents(nbbnn.Output)),
		strconv.Itoa(adds),
	})
	return table
}

func root(square int) int { return int(math.Round(math.Sqrt(float64(square)))) }

// timeTable has a row for each network, data set and method of the benchmarks.
func timeTable(ctx context.Context, scale Scale, options Options) (viz.Table, error) {
	table := viz.Table{
		Header: []string{"network and data", "method", "runs", "a training",
			"the paper's, on a V100"}, Labels: 2,
		Caption: fmt.Sprintf("scale %s; \"about\" is an estimate for this machine, the paper's "+
			"seconds are of its own scale", scale),
	}
	known := estimate.Speeds{}
	for _, figure := range []Figure{figure13, figure10, figure11} {
		setup, err := figure.setup(scale)
		if err != nil {
			return viz.Table{}, err
		}
		speed, err := known.Of(ctx, trialConfig(setup))
		if err != nil {
			return viz.Table{}, err
		}
		for _, method := range setup.Methods {
			config := setup.config(method, 0).WithDefaults()
			seconds, err := trainingSeconds(setup, method, options.withDefaults().Runs)
			if err != nil {
				return viz.Table{}, err
			}
			took := "about " + quantity.Span(speed.Duration(estimate.Training(config)))
			if len(seconds) > 0 {
				took = quantity.Span(quantity.Duration(score.Summarise(seconds).Mean))
			}
			theirs := "-"
			if s := published.Table2[config.Network.Name+" "+config.Data.Name][method.Name]; s > 0 {
				theirs = fmt.Sprintf("%d s", s)
			}
			table.Rows = append(table.Rows, []string{
				subjectNetwork(config) + ", " + titleOf(config.Data.Name), method.Name,
				strconv.Itoa(len(seconds)), took, theirs,
			})
		}
	}
	return table, nil
}

// trainingSeconds returns the seconds of the trained runs of a method.
func trainingSeconds(setup Setup, method Method, directory string) (seconds []float64, err error) {
	setup.Methods = []Method{method}
	runs, err := setup.open(directory)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		state, err := run.State()
		if err != nil {
			return nil, err
		}
		if state.Trained {
			seconds = append(seconds, state.Card.WallSeconds)
		}
	}
	return seconds, nil
}
