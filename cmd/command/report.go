package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz/report"
)

func reportCommand(a *app) *cobra.Command {
	var out string
	var formats []string
	command := &cobra.Command{
		Use:   "report RUN",
		Short: "Draw a run's training, and write its terms as a table and its card",
		Long: "Draw a run's entropy, its divergence from the prior and its training loss against the epoch, and write every\n" +
			"term of the objective at every epoch as CSV, and the run's card. A run that isn't trained to the end\n" +
			"is reported as far as it is, without a card. Nothing is computed.",
		Example: "  nbbnn report 9f3c\n  nbbnn report 9f3c --out results/resnet18 --format pdf",
		Args:    commandline.Arguments("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := report.CheckFormats(formats...); err != nil {
				return commandline.Usage(err)
			}
			run, err := findRun(a, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", filepath.Base(run.Directory()))
			}
			files, err := report.SaveTraining(run, out, formats...)
			if err != nil {
				return err
			}
			if err := announceUnfinished(a, run); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(files)
			}
			fmt.Fprintln(a.out, "wrote    "+strings.Join(files, "  "))
			return nil
		},
	}
	command.Flags().StringVar(&out, "out", "", `directory of the files; "" means out/ and the run's name`)
	command.Flags().StringSliceVar(&formats, "format", []string{"png"}, "formats of the picture: png, pdf, svg")
	return command
}

// announceUnfinished says of a run that isn't trained to the end how far it is.
func announceUnfinished(a *app, run *nbbnn.Run) error {
	held := run.Held() // before the rest: a run whose training has just ended is complete
	if _, err := run.Card(); err == nil {
		return nil
	}
	history, err := run.History()
	if err != nil {
		return err
	}
	state, further := "stopped", "`"+trainCommandLine(run.Directory())+"` continues it"
	if held {
		state, further = "being trained,", "report it again later"
	}
	fmt.Fprintf(a.err, "note     %s at epoch %d of %d: there is no card yet; %s\n", state, len(history)-1, run.Config().Training.Epochs, further)
	return nil
}
