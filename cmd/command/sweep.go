package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/sweep"
	"github.com/nbbnn/workbench/paper"
)

func sweepCommand(a *app) *cobra.Command {
	return group(cobra.Command{
		Use:   "sweep",
		Short: "Plan many runs, and do them on one machine or a cluster",
		Long: "Plan many runs, and do them on one machine or a cluster. A manifest lists the points; `nbbnn sweep point` does one of them,\n" +
			"and `nbbnn compare` compares those that are done. docs/cluster.md shows a sweep from the plan to the table.",
		Example: "  nbbnn sweep plan --preset allcnnc-shapes10 --gamma 0,2 --seeds 1..3 --manifest m.json\n" +
			"  nbbnn sweep run --manifest m.json --parallel 2\n  nbbnn sweep status --manifest m.json\n  nbbnn compare --manifest m.json",
	}, sweepPlanCommand(a), sweepRunCommand(a), sweepPointCommand(a), sweepStatusCommand(a), sweepSubmitCommand(a))
}

// addManifestFlag makes the flag of the manifest, which the command needs.
func addManifestFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "manifest", "", "file of the manifest, as \"nbbnn sweep plan\" writes it")
	_ = c.MarkFlagRequired("manifest") // it was just made
}

// readManifest reads a manifest; the points of a figure are tested as it measures runs in a directory.
func readManifest(path, runs string) (*sweep.Manifest, error) {
	m, err := sweep.Read(path)
	if err != nil || m.Figure == nil {
		return m, err
	}
	figure, scale, err := figureOf(m.Figure.Name(), m.Figure.Scale)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	measured, err := figure.Measured(scale)
	m.Measure = figureMeasure{figure, scale, runs, measured}
	return m, commandline.Usage(err)
}

// figureOf returns the figure and the scale that have names.
func figureOf(name, scale string) (paper.Figure, paper.Scale, error) {
	figure, err := paper.ByName(name)
	if err != nil {
		return figure, "", err
	}
	parsed, err := paper.ParseScale(scale)
	return figure, parsed, err
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

func sweepStatusCommand(a *app) *cobra.Command {
	var path string
	var all bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Say how far a sweep is: done, running, stopped, failed and waiting points",
		Long: "Say how far a sweep is, by the cards, histories and locks of its runs, and list the points that run, stopped or failed,\n" +
			"with the time that is left and the last error. It computes nothing and can be asked at any time, from any machine.",
		Example: "  nbbnn sweep status --manifest m.json\n  nbbnn sweep status --manifest m.json --all --json",
		RunE: func(*cobra.Command, []string) error {
			_, status, err := readSweep(a, path)
			if err != nil {
				return err
			}
			return printStatus(a, status, all)
		},
	}
	addManifestFlag(command, &path)
	command.Flags().BoolVar(&all, "all", false, "list points that are done or waiting, too")
	return command
}

// readSweep reads a manifest and the status of its points.
func readSweep(a *app, path string) (manifest *sweep.Manifest, status sweep.Status, err error) {
	if manifest, err = readManifest(path, a.runs); err == nil {
		status, err = manifest.Status(a.runs)
	}
	return manifest, status, err
}

// printStatus prints a line for each point that needs attention, or for each, and the summary.
func printStatus(a *app, status sweep.Status, all bool) error {
	if a.json {
		return a.printJSON(status)
	}
	for _, point := range status.Points {
		if all || point.State == sweep.Running || point.State == sweep.Stopped || point.State == sweep.Failed {
			fmt.Fprintf(a.out, "%-8s point %d   %s   %s%s\n", point.State, point.Index, point.Name, point.Run, pointText(point))
		}
	}
	text := status.String()
	if left := status.Left(); left > 0 {
		text += fmt.Sprintf("   about %s left with %s at a time", quantity.Span(left), quantity.Count(status.Count(sweep.Running), "point"))
	}
	fmt.Fprintln(a.out, "sweep    "+text)
	return nil
}

// pointText says what there is to know about a point in its state.
func pointText(point sweep.PointStatus) string {
	epochs := fmt.Sprintf("   epoch %d of %d", point.Epoch, point.Epochs)
	switch point.State {
	case sweep.Running:
		if point.Epoch == point.Epochs {
			epochs = "   in its evaluation"
		}
		if point.Left > 0 {
			epochs += ", " + quantity.Span(point.Left) + " left"
		}
		return epochs + "   " + point.Holder
	case sweep.Stopped:
		return epochs
	case sweep.Failed:
		text := "   " + point.Failure.Error
		if point.Failure.Never {
			text += " (no repetition cures this)"
		}
		return text
	}
	return ""
}
