package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/sweep"
)

func sweepStatusCommand(a *app) *cobra.Command {
	var path string
	var all bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Say how far a sweep is: done, running, stopped, failed and waiting points",
		Long: "Say how far a sweep is, by the cards, histories and locks of its runs, and list the points that run, stopped or failed,\n" +
			"with the time that is left and the last error. It computes nothing and can be asked at any time, from any machine.",
		Example: "  nbbnn sweep status --manifest m.json\n  nbbnn sweep status --manifest m.json --all --json",
		Args:    commandline.Arguments(),
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
func readSweep(a *app, path string) (*sweep.Manifest, sweep.Status, error) {
	manifest, err := sweep.Read(path)
	if err != nil {
		return nil, sweep.Status{}, err
	}
	measure, err := measureOf(manifest, a.runs)
	if err != nil {
		return nil, sweep.Status{}, err
	}
	status, err := manifest.Status(a.runs, measure)
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
