package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/sweep"
)

func sweepCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "sweep",
		Short: "Plan many runs, do them on one machine or a cluster, and collect their numbers",
		Long: "Plan many runs, do them on one machine or a cluster, and collect their numbers. A manifest lists the points;\n" +
			"`nbbnn sweep point` does one of them. docs/cluster.md shows a sweep from the plan to the table.",
		Example: "  nbbnn sweep plan --preset allcnnc-shapes10 --gamma 0,2 --seeds 1..3 --manifest m.json\n" +
			"  nbbnn sweep run --manifest m.json --parallel 2\n  nbbnn sweep status --manifest m.json\n  nbbnn sweep collect --manifest m.json --out levels.csv",
		Args: commandline.Subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(sweepPlanCommand(a), sweepRunCommand(a), sweepPointCommand(a), sweepStatusCommand(a), sweepCollectCommand(a), sweepSubmitCommand(a))
	return command
}

// addManifestFlag makes the flag of the manifest, which the command needs.
func addManifestFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "manifest", "", "file of the manifest, as \"nbbnn sweep plan\" writes it")
	_ = c.MarkFlagRequired("manifest") // it was just made
}

// measureOf returns what tests the points of a manifest, nil for its evaluation.
func measureOf(m *sweep.Manifest, runs string) (sweep.Measure, error) {
	if m.Figure() == nil {
		return nil, nil
	}
	figure, err := paper.ByNumber(m.Figure().Number)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	scale, err := paper.ParseScale(m.Figure().Scale)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	measured, err := figure.Measured(scale)
	return figureMeasure{figure, scale, runs, measured}, commandline.Usage(err)
}

// figureMeasure measures runs as a figure needs them.
type figureMeasure struct {
	figure   paper.Figure
	scale    paper.Scale
	runs     string
	measured func(*nbbnn.Run) bool
}

func (f figureMeasure) Done(run *nbbnn.Run, _ nbbnn.Card) bool { return f.measured(run) }

func (f figureMeasure) Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error {
	return f.figure.MakeRun(ctx, f.scale, run.Config().RunName(), paper.Options{Runs: f.runs, Progress: progress})
}
