package command

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

func watchCommand(a *app) *cobra.Command {
	var once bool
	command := &cobra.Command{
		Use:   "watch RUN",
		Short: "Show how far the training of a run is, epoch by epoch, until it ends",
		Long: "Show how far the training of a run is, epoch by epoch, until it ends. The " +
			"training runs in another process,\n" +
			"for example the cell of a notebook whose tab was closed; watching doesn't affect " +
			"it.\n" +
			"The latest epochs are shown first. If no process trains the run, the command says " +
			"so and ends. With --json it\n" +
			"prints the records of train.jsonl, all of them, without their checksums.",
		Example: "  nbbnn runs watch 9f3c2a\n  nbbnn runs watch runs/9f3c2a8b1d04 --once",
		RunE: func(c *cobra.Command, args []string) error {
			run, err := findRun(a, args[0])
			if err != nil {
				return err
			}
			return watchRun(c.Context(), a, run, once)
		},
	}
	command.Flags().BoolVar(&once, "once", false, "show the latest epochs and whether the run is "+
		"being trained, and end")
	return command
}

const (
	watchInterval = time.Second // between looks for a new epoch
	watchShown    = 5           // earlier epochs that are shown first
)

// watchRun prints the latest epochs that a run has recorded, for a program all of them, and, unless
// once, those that come until the run is complete.
func watchRun(ctx context.Context, a *app, run *nbbnn.Run, once bool) error {
	fmt.Fprintln(a.err, "run      "+run.Directory())
	printed := 0
	for isFirst := true; ; isFirst = false {
		// check the lock first: once released, all files are final
		held := run.Held()
		// before the history, so that no epoch is missed
		complete := run.Complete() || run.Recorded() && !held
		history, err := run.History()
		if err != nil {
			return err
		}
		if isFirst && !a.json {
			printed = max(0, len(history)-watchShown)
		}
		printed = min(printed, len(history)) // a run that was started again
		if err := printEpochs(a, run.Config(), history, printed, held); err != nil {
			return err
		}
		printed = len(history)
		text := watchedText(complete, held, history)
		switch {
		case complete || once:
			if !a.json { // whose lines need no end
				fmt.Fprintln(a.out, text)
			}
			return nil
		case !held:
			return fmt.Errorf("nbbnn runs watch: %s: `%s` continues it", text,
				trainCommandLine(run.Directory()))
		}
		select {
		case <-ctx.Done(): // as people stop watching
			return nil
		case <-time.After(watchInterval):
		}
	}
}

// watchedText says how far a run is, and whether a process trains it.
func watchedText(complete, held bool, history []nbbnn.Epoch) string {
	text := "not begun"
	if len(history) > 0 {
		text = fmt.Sprintf("not complete: epoch %d is the last on the disk", len(history)-1)
	}
	switch {
	case complete:
		return "complete"
	case held:
		return text + "; it is being trained"
	}
	return text + "; no process trains this run"
}

// printEpochs prints the recorded epochs from the given one on, but not the state before training,
// or with --json their records in train.jsonl. The newest epoch shows the remaining time if the run
// is being trained.
func printEpochs(a *app, config nbbnn.Config, history []nbbnn.Epoch, from int, held bool) error {
	epochs, encoder := config.Training.Epochs, json.NewEncoder(a.out)
	for i, e := range history[from:] {
		if a.json {
			if err := encoder.Encode(e); err != nil {
				return err
			}
			continue
		}
		if e.Epoch == 0 {
			continue
		}
		left := ""
		if held && from+i == len(history)-1 && e.Epoch < epochs {
			left = "   " + quantity.Span(nbbnn.TimeLeft(history, epochs)) + " left"
		}
		fmt.Fprintf(a.out, "epoch %d/%d   NLL %.3f   err %.1f%%   entropy %.1f   KL %.1f   beta "+
			"%.2f   %.1f s%s\n",
			e.Epoch, epochs, e.NLL, 100*e.Error, e.Entropy, e.KL, e.Beta, e.Seconds, left)
	}
	return nil
}
