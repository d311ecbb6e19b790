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

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// figureFlags are the flags of the figure command.
type figureFlags struct {
	scale, out, suite, precision          string
	seeds                                 string // "5" or "1..5"
	width, epochs, train, images, samples int
	parallel                              int
	hours                                 float64
	run                                   string
	plan, noTrain, cards                  bool
	formats                               []string
}

func figureCommand(a *app) *cobra.Command {
	var flags figureFlags
	command := &cobra.Command{
		Use:   "figure NUMBER",
		Short: "Make a figure of the paper: train, evaluate, draw, and decide its claims",
		Long: "Make a figure of the paper: train and evaluate the missing runs, draw the figure, " +
			"and decide its claims.\n" +
			"Nothing is computed twice: a command that was stopped continues where it was.\n\n" +
			figureList(),
		Example: `  nbbnn figure demo
  nbbnn figure 3 --scale smoke
  nbbnn figure 3 --scale desk --plan
  nice nbbnn figure 3 --scale desk --hours 2
  nbbnn figure 3 --scale paper --parallel 4
  nbbnn figure 3 --scale quick --no-train --cards --out docs/results/figure-03-quick`,
		RunE: func(c *cobra.Command, args []string) error {
			figure, scale, err := flags.parse(args[0])
			if err = cmp.Or(err, flags.check(c.Flags())); err != nil {
				return commandline.Usage(err)
			}
			if figure.Again != 0 && args[0] == strconv.Itoa(figure.Again) {
				a.note("Figure %s is Figure %d again", args[0], figure.Number)
			}
			changed := repeated(c.Flags(), func(flag string) bool {
				return slices.Contains(setUpFlags, flag)
			})
			options := paper.Options{Runs: a.runs, Out: flags.out, Flags: changed,
				Cards: flags.cards, NoTrain: flags.noTrain}
			return figureOrder{a, figure, scale, options, flags}.do(c.Context())
		},
	}
	flags.register(command.Flags())
	command.AddCommand(figureListCommand(a), tableCommand(a), galleryCommand(a))
	return command
}

// register defines the flags.
func (f *figureFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.scale, "scale", string(paper.Smoke), "how much to do: "+scaleNames()+
		"; demo has one scale")
	flags.BoolVar(&f.plan, "plan", false, "say which runs exist and what is missing, with hours "+
		"on this machine as busy as it is, memory and disk, and stop")
	flags.StringVar(&f.run, "run", "", "train and evaluate only one run, named as in --plan")
	flags.Float64Var(&f.hours, "hours", 0, "stop and save after this time; no limit if left out")
	flags.IntVar(&f.parallel, "parallel", 0, parallelHelp)
	flags.BoolVar(&f.noTrain, "no-train", false, "draw the seeds whose runs are all there, and "+
		"say which aren't; train and evaluate nothing")
	flags.BoolVar(&f.cards, "cards", false, "write cards/ with the record of "+
		"every run, too: a result for \"nbbnn figure gallery\"")
	flags.StringVar(&f.out, "out", "out", "directory of the picture, the table and the data")
	flags.StringSliceVar(&f.formats, "format", nil, "further formats of the picture next to png: "+
		"pdf, svg")
	addSuiteFlags(flags, &f.suite, "", suiteHelp+"; none means the scale's")
	flags.StringVar(&f.precision, "precision", "", "precision of convolutions and activations: "+
		"float32, or bfloat16 on XLA")
	flags.StringVar(&f.seeds, "seeds", "", "number of seeds: 5, or 1..5, takes the seeds 1 to 5; "+
		"if left out, the scale's")
	flags.IntVar(&f.width, "width", 0, "channels of the first layers; if left out, the scale's")
	flags.IntVar(&f.epochs, "epochs", 0, "training epochs; if left out, the scale's")
	flags.IntVar(&f.train, "train", 0, "training images; if left out, the scale's")
	flags.IntVar(&f.images, "images", 0, "test images of each cell, or those with implicit "+
		"corruptions; if left out, the scale's")
	flags.IntVar(&f.samples, "samples", 0, "Monte-Carlo samples of the evaluation, or draws with "+
		"implicit corruptions; if left out, the scale's")
}

// figureOrder is one call of the command for a figure at a scale.
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
		check.Formats(f.formats...),
		exclusive(given, "figure", "hours", "plan no-train"),
		exclusive(given, "figure", "plan", "run no-train cards format"),
		exclusive(given, "figure", "run", "no-train cards format"),
		exclusive(given, "figure", "parallel", "plan no-train run"),
	)
}

func scaleNames() string { return strings.Join(quantity.Words(paper.Scales...), ", ") }

func figureList() string {
	var text strings.Builder
	text.WriteString("Figures:\n")
	theirs, ours := paper.Figures()
	for _, figure := range theirs {
		fmt.Fprintf(&text, "  %2d  %s", figure.Number, figure.Title)
		if figure.Again != 0 {
			fmt.Fprintf(&text, " (again in the appendix, as %d)", figure.Again)
		}
		text.WriteString("\n")
	}
	text.WriteString("Ours:\n")
	for _, figure := range ours {
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
	var seeds []uint64
	if f.seeds != "" {
		count, err := strconv.Atoi(strings.TrimPrefix(f.seeds, "1.."))
		if err != nil || count < 1 || count > longestRange {
			return paper.Figure{}, "", fmt.Errorf("nbbnn figure: --seeds is %q: a figure takes "+
				"seeds from 1 on, so give their number, as in 5 or 1..5", f.seeds)
		}
		seeds = quantity.FirstSeeds(count)
	}
	figure = figure.Adjust(func(setup *paper.Setup) { f.adjust(setup, seeds) })
	return figure, scale, figure.Validate(scale)
}

// setUpFlags change the set-up of a figure.
var setUpFlags = strings.Fields("suite corruptions precision seeds width epochs train images " +
	"samples")

func (f figureFlags) adjust(setup *paper.Setup, seeds []uint64) {
	if len(seeds) > 0 {
		setup.Seeds = seeds
	}
	if f.suite != "" {
		setup.Evaluation.Suite = f.suite
	}
	setup.Config.Network.Precision = f.precision
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

// printPlan prints what the figure needs, without starting it.
func (o figureOrder) printPlan(ctx context.Context) error {
	plan, err := o.figure.Plan(o.scale, o.options)
	if err != nil {
		return err
	}
	if err := plan.Measure(ctx); err != nil {
		return err
	}
	o.noteData(plan)
	if o.json {
		return o.printJSON(newPlanData(plan))
	}
	fmt.Fprintf(o.out, "plan     %s\ntest     %s\n\n", o.planText(plan), plan.Test)
	table := viz.Table{Header: []string{"run", "directory", "state"}, Labels: 3}
	for _, run := range plan.Runs {
		table.Rows = append(table.Rows, []string{run.Name, run.Directory, stateOf(run)})
	}
	return o.printTable(table)
}

// noteData names the data sets that missing runs use and that aren't installed.
func (o figureOrder) noteData(plan paper.Plan) {
	noteReplaced(o.app, plan.Replaced)
	if plan.Missing() {
		noteAbsent(o.app, plan.Data...)
	}
}

// noteReplaced explains why runs on Shapes10 are looked for and made.
func noteReplaced(a *app, replaced bool) {
	if replaced {
		a.note("CIFAR-10 isn't here, so runs on Shapes10 are looked for " +
			"and trained: `nbbnn data get cifar10` downloads it")
	}
}

// planText returns "4 runs: M16 and M32, seeds 1 2 · 2 at a time · about 3 min · 0.4 GB memory · 12
// MB disk · runs/".
func (o figureOrder) planText(plan paper.Plan) string {
	parts := []string{plan.String()}
	if plan.Missing() {
		parallel := o.atOnce(plan)
		if parallel > 1 {
			parts = append(parts, fmt.Sprintf("%d at a time", parallel))
		}
		parts = append(parts, "about "+quantity.Span(plan.Left))
		if plan.NetworkMemory > 0 {
			need := int64(float64(parallel) * plan.NetworkMemory)
			parts = append(parts, quantity.Bytes(need)+" memory")
		}
		if plan.Disk > 0 {
			parts = append(parts, quantity.Bytes(int64(plan.Disk))+" disk")
		}
	}
	return strings.Join(append(parts, strings.TrimSuffix(o.runs, "/")+"/"), " · ")
}

func stateOf(run paper.RunPlan) string {
	switch {
	case run.Measured && run.Recorded:
		return "done, a record without weights"
	case run.Measured:
		return "done"
	case run.Trained:
		return "trained, not evaluated"
	case run.Recorded:
		return "a record that lacks what the figure needs: --runs trains it elsewhere"
	case run.Begun:
		return "begun"
	default:
		return "missing"
	}
}

// planData is a plan as JSON.
type planData struct {
	Figure   int           `json:"figure"`
	Scale    paper.Scale   `json:"scale"`
	Runs     int           `json:"runs"`
	Trained  int           `json:"trained"`
	Measured int           `json:"measured"`
	Hours    float64       `json:"hours"`        // approximate, of the missing part
	Memory   float64       `json:"memory_bytes"` // 0 if unknown
	Disk     float64       `json:"disk_bytes"`   // approximate, of the missing runs
	Each     []planRunData `json:"each"`
}

// planRunData is one run of a plan as JSON.
type planRunData struct {
	Name      string `json:"name"`
	Directory string `json:"directory"`
	State     string `json:"state"`
}

func newPlanData(plan paper.Plan) planData {
	data := planData{
		Figure: plan.Figure.Number, Scale: plan.Scale, Runs: len(plan.Runs), Trained: plan.Trained,
		Measured: plan.Measured,
		Hours:    plan.Left.Hours(), Memory: plan.NetworkMemory, Disk: plan.Disk,
	}
	for _, run := range plan.Runs {
		data.Each = append(data.Each, planRunData{run.Name, run.Directory, stateOf(run)})
	}
	return data
}
