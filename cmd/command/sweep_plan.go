package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// planFlags are the flags of the command `sweep plan`.
type planFlags struct {
	manifest string
	product  product
	configs  string // file
	figure   string // its number, or the key of one of ours
	scale    string

	evaluation nbbnn.Evaluation
	none       bool // no evaluation
}

func sweepPlanCommand(a *app) *cobra.Command {
	var flags planFlags
	command := &cobra.Command{
		Use:   "plan",
		Short: "Write the manifest of a sweep: every combination of the values of train's flags",
		Long: "Write the manifest of a sweep. Each flag of `nbbnn train` takes several values, " +
			"separated by commas, and whole numbers a\n" +
			"range (1..5): a point is planned for every combination, all of the first seed " +
			"before the next seed's. With\n" +
			"several methods, an option goes to those that have it, and the others get one point " +
			"for all its values. Or plan\n" +
			"the runs of a figure with --figure, or any with --configs. Each point is evaluated " +
			"after its training. A manifest is\n" +
			"never changed: plan another sweep under another name; points that both have are " +
			"trained once.",
		Example: "  nbbnn sweep plan --network allcnnc --width 8 --data shapes10 --epochs 4 " +
			"--gamma 0,2 --seeds 1..3 --manifest m.json\n" +
			"  nbbnn sweep plan --figure 3 --scale smoke --manifest figure-03.json",
		RunE: func(c *cobra.Command, _ []string) error {
			return planSweep(c.Context(), a, &flags, c.Flags())
		},
	}
	addManifestFlag(command, &flags.manifest)
	f := command.Flags()
	flags.product.addFlags(f)
	f.StringVar(&flags.configs, "configs", "", "JSON array of configurations, in place of flags")
	f.StringVar(&flags.figure, "figure", "", "plan the runs of this figure, as of \"nbbnn "+
		"figure\", in place of flags")
	f.StringVar(&flags.scale, "scale", string(paper.Smoke), "scale of the figure: "+scaleNames())
	addSuiteFlags(f, &flags.evaluation.Suite, "first8", suiteHelp)
	f.IntVar(&flags.evaluation.Samples, "evaluation-samples", 32, "Monte-Carlo samples for each "+
		"image of the evaluation")
	f.IntVar(&flags.evaluation.Images, "evaluation-images", 0, "number of test images, from the "+
		"first; if left out, all")
	f.Uint64Var(&flags.evaluation.Seed, "evaluation-seed", 0,
		"seed of the corruptions and of the samples")
	f.BoolVar(&flags.none, "no-evaluation", false, "train only")
	return command
}

// planSweep writes the manifest and prints about how long its points take.
func planSweep(ctx context.Context, a *app, flags *planFlags, given *pflag.FlagSet) error {
	manifest, err := flags.plan(a, given)
	if err != nil {
		return commandline.Usage(err)
	}
	if err = os.MkdirAll(filepath.Dir(flags.manifest), 0o755); err == nil {
		err = manifest.Write(flags.manifest)
	}
	if err != nil {
		return err
	}
	noteAbsent(a, quantity.Texts(manifest.Configs(), func(config nbbnn.Config) string {
		return config.WithDefaults().Data.Name
	})...)
	left, takes := timeOf(ctx, manifest)
	last := len(manifest.Points) - 1
	text := fmt.Sprintf("plan     %s   %s   %s\n", quantity.Count(last+1, "point"),
		flags.test(manifest), takes)
	for _, option := range flags.product.leftOut {
		text += "note     " + option.text() + "\n"
	}
	name, index := subjectOf(manifest.Points[0].Config), "0"
	if last > 0 {
		name, index = manifest.Name(manifest.Points[0].Config), fmt.Sprintf("0 to %d", last)
	}
	text += fmt.Sprintf("first    point 0   %s   %s\nwrote    %s\n", name, manifest.RunName(0),
		flags.manifest)
	return a.print(struct {
		Manifest string          `json:"manifest"`
		Points   int             `json:"points"`
		Hours    float64         `json:"hours"` // approximate, of all on this machine; 0 if unknown
		LeftOut  []leftOutOption `json:"left_out,omitempty"`
	}{flags.manifest, last + 1, left.Hours(), flags.product.leftOut},
		"%snext     nbbnn sweep run --manifest %s, or nbbnn sweep point --manifest %[2]s --index "+
			"%s in any scheduler\n", text, quote(flags.manifest), index)
}

// timeOf estimates how long all points of a sweep take on this machine, also as a text, which may
// explain why that is unknown.
func timeOf(ctx context.Context, manifest *sweep.Manifest) (time.Duration, string) {
	if f := manifest.Figure; f != nil {
		return 0, fmt.Sprintf("`nbbnn figure %s --scale %s --plan` says how long", f.Name(),
			f.Scale)
	}
	var tests []nbbnn.Evaluation
	if manifest.Evaluation != nil {
		tests = append(tests, *manifest.Evaluation)
	}
	left, err := estimate.SweepDuration(ctx, manifest.Configs(), tests...)
	if err != nil {
		return 0, "time unknown: " + reason(err)
	}
	return left, "about " + seconds(left.Seconds()) + " on this machine"
}

// test describes the test of every point.
func (f *planFlags) test(manifest *sweep.Manifest) string {
	switch {
	case manifest.Figure != nil:
		return fmt.Sprintf("measured for figure %s, %s", manifest.Figure.Name(),
			manifest.Figure.Scale)
	case manifest.Evaluation == nil:
		return "trained only"
	}
	suite, err := corrupt.SuiteByName(manifest.Evaluation.Suite)
	if err != nil { // the manifest was checked
		return ""
	}
	return report.Test(suite, manifest.Evaluation.Images, report.SamplesTaken(manifest.Configs(),
		manifest.Evaluation.Samples))
}

// plan returns the manifest of a figure, of a file or of a product.
func (f *planFlags) plan(a *app, given *pflag.FlagSet) (*sweep.Manifest, error) {
	if err := cmp.Or(exclusive(given, "sweep plan", "configs", "figure"),
		exclusive(given, "sweep plan", "seeds", "seed"),
		exclusive(given, "sweep plan", "no-evaluation", "suite corruptions evaluation-samples "+
			"evaluation-images evaluation-seed")); err != nil {
		return nil, err
	}
	if f.configs+f.figure == "" && f.product.given(given) == "" {
		return nil, errors.New("nbbnn sweep plan: no flag says what to train: give some, " +
			"as in `nbbnn sweep plan --preset allcnnc-shapes10 --gamma 0,2 --manifest m.json`")
	}
	points := f.product.points
	if f.configs+f.figure != "" {
		if name := f.product.given(given); name != "" {
			return nil, fmt.Errorf("nbbnn sweep plan: --%s belongs to a product, not to "+
				"--configs or --figure: leave it out", name)
		}
		points = func() ([]nbbnn.Config, error) { return sweep.ReadConfigs(f.configs) }
	}
	if f.figure != "" {
		return f.planFigure(a)
	}
	configs, err := points()
	if err != nil {
		return nil, err
	}
	evaluation := &f.evaluation
	if f.none {
		evaluation = nil
	}
	return sweep.New(configs, evaluation)
}

// planFigure plans the runs of a figure, each once.
func (f *planFlags) planFigure(a *app) (*sweep.Manifest, error) {
	figure, scale, err := figureOf(f.figure, f.scale)
	if err != nil {
		return nil, err
	}
	runs, err := figure.Open(scale, paper.Options{Runs: a.runs})
	if err != nil {
		return nil, err
	}
	var configs []nbbnn.Config
	for _, run := range runs {
		configs = quantity.AddNew(configs, run.Config())
	}
	manifest, err := sweep.New(configs, nil)
	if err == nil {
		manifest.Figure = &sweep.Figure{Number: figure.Number, Key: figure.Key,
			Scale: string(scale)}
	}
	return manifest, err
}
