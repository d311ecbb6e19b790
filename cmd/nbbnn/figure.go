package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// figureFlags are the flags of the figure command.
type figureFlags struct {
	scale, out, suite, precision                 string
	seeds, width, epochs, train, images, samples int
}

func (a *app) figureCommand() *cobra.Command {
	var flags figureFlags
	command := &cobra.Command{
		Use:   "figure NUMBER",
		Short: "Make a figure of the paper: train, evaluate, draw, and check its claims",
		Long: "Make a figure of the paper: train and evaluate the runs that are missing, draw the figure, and check its claims.\n" +
			"What is in the run directories already isn't computed again; a command that was stopped goes on where it was.\n\n" + figureList(),
		Example: "  nbbnn figure 3 --scale smoke\n  nbbnn figure 3 --scale laptop --seeds 3 --out docs/results/figure-03",
		Args:    commandline.Arguments("NUMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			figure, scale, err := flags.parse(args[0])
			if err != nil {
				return commandline.Usage(err)
			}
			return a.makeFigure(c.Context(), figure, scale, paper.Options{Runs: a.runs, Out: flags.out})
		},
	}
	f := command.Flags()
	f.StringVar(&flags.scale, "scale", string(paper.Smoke), "how much to do: "+scaleNames())
	f.StringVar(&flags.out, "out", "out", "directory of the picture, the table and the data")
	f.StringVar(&flags.suite, "suite", "", `suite of corruptions, see "nbbnn corrupt suites"; "" means the scale's`)
	f.StringVar(&flags.precision, "precision", "", "of convolutions and activations: float32, or bfloat16 on XLA")
	f.IntVar(&flags.seeds, "seeds", 0, "number of seeds; 0 means the scale's")
	f.IntVar(&flags.width, "width", 0, "channels of the first layers; 0 means the scale's")
	f.IntVar(&flags.epochs, "epochs", 0, "training epochs; 0 means the scale's")
	f.IntVar(&flags.train, "train", 0, "training images; 0 means the scale's")
	f.IntVar(&flags.images, "images", 0, "test images of each cell, or those with implicit corruptions; 0 means the scale's")
	f.IntVar(&flags.samples, "samples", 0, "Monte-Carlo samples of the evaluation, or draws with implicit corruptions; 0 means the scale's")
	return command
}

func scaleNames() string {
	var names []string
	for _, scale := range paper.Scales() {
		names = append(names, string(scale))
	}
	return strings.Join(names, ", ")
}

func figureList() string {
	var text strings.Builder
	text.WriteString("Figures:\n")
	for _, figure := range paper.All() {
		fmt.Fprintf(&text, "  %2d  %s\n", figure.Number, figure.Title)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// parse reads the figure's number and the scale, and applies the flags that change the scale's set-up.
func (f figureFlags) parse(argument string) (paper.Figure, paper.Scale, error) {
	number, err := strconv.Atoi(argument)
	if err != nil {
		return paper.Figure{}, "", fmt.Errorf("nbbnn figure: %q is no number of a figure: `nbbnn figure --help` lists them", argument)
	}
	figure, err := paper.ByNumber(number)
	if err != nil {
		return paper.Figure{}, "", err
	}
	scale, err := paper.ParseScale(f.scale)
	if err != nil {
		return paper.Figure{}, "", err
	}
	if min(f.seeds, f.width, f.epochs, f.train, f.images, f.samples) < 0 {
		return paper.Figure{}, "", fmt.Errorf("nbbnn figure: a flag is negative: numbers of seeds, epochs, images and samples are at least 1, or 0 for the scale's")
	}
	figure = figure.Adjust(f.adjust)
	return figure, scale, figure.Validate(scale)
}

func (f figureFlags) adjust(setup *paper.Setup) {
	if f.seeds > 0 {
		setup.Seeds = paper.FirstSeeds(f.seeds)
	}
	if f.suite != "" {
		setup.Evaluation.Suite = f.suite
	}
	setup.Config.Network.Precision = nbbnn.Precision(f.precision)
	replace(&setup.Config.Network.Width, f.width)
	replace(&setup.Config.Training.Epochs, f.epochs)
	replace(&setup.Config.Data.Train, f.train)
	replace(&setup.Evaluation.Images, f.images)
	replace(&setup.Evaluation.Samples, f.samples)
	replace(&setup.Implicit.Images, f.images)
	replace(&setup.Implicit.Draws, f.samples)
}

func replace(target *int, value int) {
	if value > 0 {
		*target = value
	}
}

// makeFigure announces what it's going to do, does it, and prints the results.
func (a *app) makeFigure(ctx context.Context, figure paper.Figure, scale paper.Scale, options paper.Options) error {
	plan, err := figure.Plan(scale, options)
	if err != nil {
		return err
	}
	opened, err := a.announceEngine()
	if err != nil {
		return err
	}
	a.announcePlan(plan, guess(plan.Operations, opened))
	progress := newProgress(a.streams, plan.Test)
	options.Progress = progress.update
	result, files, err := paper.Make(ctx, figure, scale, options)
	progress.finish()
	if err != nil {
		return err
	}
	return a.printFigure(result, files)
}

// printFigure prints the table, the verdicts and the names of the files, or all of it as JSON.
func (a *app) printFigure(result *paper.Result, files []string) error {
	if a.json {
		report, err := result.Report()
		if err != nil {
			return err
		}
		return report.WriteJSON(a.out)
	}
	table, err := result.Summary()
	if err != nil {
		return err
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s\ntest     %s\n", text, result.Test())
	for _, line := range result.Verdicts().Lines(a.paintOutcome) {
		fmt.Fprintln(a.out, line)
	}
	fmt.Fprintln(a.out, "wrote    "+strings.Join(files, "  "))
	return nil
}

// paintOutcome colours the outcome of a claim.
func (a *app) paintOutcome(outcome paper.Outcome, text string) string {
	switch outcome {
	case paper.Holds:
		return a.paintOut(green, text)
	case paper.Fails:
		return a.paintOut(red, text)
	default:
		return a.paintOut(yellow, text)
	}
}
