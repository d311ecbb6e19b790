package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// figureFlags are the flags of the figure command.
type figureFlags struct {
	scale, out, suite, precision                 string
	seeds, width, epochs, train, images, samples int
	parallel                                     int
	hours                                        float64
	run                                          string
	plan, noTrain, cards                         bool
	formats                                      []string
}

func figureCommand(a *app) *cobra.Command {
	var flags figureFlags
	command := &cobra.Command{
		Use:   "figure NUMBER",
		Short: "Make a figure of the paper: train, evaluate, draw, and decide its claims",
		Long: "Make a figure of the paper: train and evaluate the missing runs, draw the figure, and decide its claims.\n" +
			"Nothing is computed twice: a command that was stopped continues where it was.\n\n" + figureList(),
		Example: "  nbbnn figure demo --scale quick\n  nbbnn figure 3 --scale smoke\n  nbbnn figure 3 --scale desk --plan\n  nice nbbnn figure 3 --scale desk --hours 2\n" +
			"  nbbnn figure 3 --scale paper --parallel 4\n" +
			"  nbbnn figure 3 --scale quick --no-train --cards --out docs/results/figure-03-quick",
		RunE: func(c *cobra.Command, args []string) error {
			figure, scale, err := flags.parse(args[0])
			if err = cmp.Or(err, flags.check(c.Flags())); err != nil {
				return commandline.Usage(err)
			}
			if figure.Again != 0 && args[0] == strconv.Itoa(figure.Again) {
				fmt.Fprintf(a.err, "note     Figure %s is Figure %d again\n", args[0], figure.Number)
			}
			options := paper.Options{Runs: a.runs, Out: flags.out, Flags: repeated(c.Flags(), changesSetUp), Cards: flags.cards}
			return figureOrder{a, figure, scale, options, flags}.do(c.Context())
		},
	}
	flags.register(command.Flags())
	return command
}

// register defines the flags.
func (f *figureFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.scale, "scale", string(paper.Smoke), "how much to do: "+scaleNames())
	flags.BoolVar(&f.plan, "plan", false, "say which runs are there and what is missing, with hours, memory and disk, and stop")
	flags.StringVar(&f.run, "run", "", "train and evaluate one run alone, named as in --plan, and draw nothing")
	flags.Float64Var(&f.hours, "hours", 0, "stop and save after this time; without the flag there is no limit")
	flags.IntVar(&f.parallel, "parallel", 1, parallelHelp)
	flags.BoolVar(&f.noTrain, "no-train", false, "draw the seeds whose runs are all there, and say which aren't; train and evaluate nothing")
	flags.BoolVar(&f.cards, "cards", false, "write cards/ with the card, epochs and cells of every run, too: a result for \"nbbnn paper gallery\"")
	flags.StringVar(&f.out, "out", "out", "directory of the picture, the table and the data")
	flags.StringSliceVar(&f.formats, "format", nil, "further formats of the picture next to png: pdf, svg")
	addSuiteFlags(flags, &f.suite, "", suiteHelp+"; none means the scale's")
	flags.StringVar(&f.precision, "precision", "", "precision of convolutions and activations: float32, or bfloat16 on XLA")
	flags.IntVar(&f.seeds, "seeds", 0, "number of seeds; 0 means the scale's")
	flags.IntVar(&f.width, "width", 0, "channels of the first layers; 0 means the scale's")
	flags.IntVar(&f.epochs, "epochs", 0, "training epochs; 0 means the scale's")
	flags.IntVar(&f.train, "train", 0, "training images; 0 means the scale's")
	flags.IntVar(&f.images, "images", 0, "test images of each cell, or those with implicit corruptions; 0 means the scale's")
	flags.IntVar(&f.samples, "samples", 0, "Monte-Carlo samples of the evaluation, or draws with implicit corruptions; 0 means the scale's")
}

// figureOrder is a call of the command: what it does with a figure at a scale.
type figureOrder struct {
	*app
	figure  paper.Figure
	scale   paper.Scale
	options paper.Options
	flags   figureFlags
}

// do does what the flags ask for.
func (o figureOrder) do(ctx context.Context) error {
	switch {
	case o.flags.run != "":
		return o.makeRun(ctx)
	case o.flags.plan:
		return o.printPlan(ctx)
	case o.flags.noTrain:
		return o.draw(ctx)
	}
	return o.make(ctx)
}

// check refuses flags that would be ignored.
func (f figureFlags) check(given *pflag.FlagSet) error {
	return cmp.Or(
		checkHours("figure", f.hours, given), checkParallel("figure", f.parallel), viz.CheckFormats(f.formats...),
		exclusive(given, "figure", "hours", "plan", "no-train"),
		exclusive(given, "figure", "parallel", "plan", "no-train", "run"),
	)
}

func scaleNames() string { return strings.Join(quantity.Words(paper.Scales()...), ", ") }

func figureList() string {
	var text strings.Builder
	text.WriteString("Figures:\n")
	for _, figure := range paper.All() {
		fmt.Fprintf(&text, "  %2d  %s", figure.Number, figure.Title)
		if figure.Again != 0 {
			fmt.Fprintf(&text, " (again in the appendix, as %d)", figure.Again)
		}
		text.WriteString("\n")
	}
	text.WriteString("Ours:\n")
	for _, figure := range paper.Beyond() {
		fmt.Fprintf(&text, "  %s  %s\n", figure.Key, figure.Title)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// parse reads the figure's number and the scale, and applies the flags that change the scale's
// set-up.
func (f figureFlags) parse(argument string) (paper.Figure, paper.Scale, error) {
	figure, scale, err := figureOf(argument, f.scale)
	if err != nil {
		return paper.Figure{}, "", err
	}
	if min(f.seeds, f.width, f.epochs, f.train, f.images, f.samples) < 0 {
		return paper.Figure{}, "", fmt.Errorf("nbbnn figure: a flag is negative: numbers of seeds, epochs, images and samples are at least 1, or 0 for the scale's")
	}
	figure = figure.Adjust(f.adjust)
	return figure, scale, figure.Validate(scale)
}

// changesSetUp reports whether a flag changes the set-up of a figure.
func changesSetUp(flag string) bool {
	return slices.Contains([]string{"suite", "corruptions", "precision", "seeds", "width", "epochs", "train", "images", "samples"}, flag)
}

func (f figureFlags) adjust(setup *paper.Setup) {
	if f.seeds > 0 {
		setup.Seeds = paper.FirstSeeds(f.seeds)
	}
	if f.suite != "" {
		setup.Evaluation.Suite = f.suite
	}
	setup.Config.Network.Precision = network.Precision(f.precision)
	replace(&setup.Config.Network.Width, f.width)
	replace(&setup.Config.Training.Epochs, f.epochs)
	replace(&setup.Config.Data.Train, f.train)
	replace(&setup.Evaluation.Images, f.images)
	replace(&setup.Evaluation.Samples, f.samples)
	replace(&setup.Implicit.Images, f.images)
	replace(&setup.Clouds.Images, f.images)
	replace(&setup.Implicit.Draws, f.samples)
}

func replace(target *int, value int) {
	if value > 0 {
		*target = value
	}
}
