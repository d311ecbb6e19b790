package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/nbbnn"
)

func (a *app) watchCommand() *cobra.Command {
	var once bool
	command := &cobra.Command{
		Use:   "watch RUN",
		Short: "Show how far the training of a run is, epoch by epoch, until it ends",
		Long: "Show how far the training of a run is, epoch by epoch, until it ends. The training goes on in another process,\n" +
			"such as the cell of a notebook whose tab was closed; watching and ceasing to watch change nothing there.",
		Example: "  nbbnn watch 9f3c2a\n  nbbnn watch runs/9f3c2a8b1d04 --once",
		Args:    exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			run, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			return a.watch(c.Context(), run, once)
		},
	}
	command.Flags().BoolVar(&once, "once", false, "show what there is and end")
	return command
}

// watchInterval is how often watch looks for a new epoch.
const watchInterval = time.Second

// watch prints the epochs that a run has recorded and, unless once, those that come, until the run is complete.
func (a *app) watch(ctx context.Context, run *nbbnn.Run, once bool) error {
	fmt.Fprintln(a.err, "run      "+run.Directory())
	printed := 0
	for {
		complete := run.Complete() // before the history is read, so that no epoch is missed
		history, err := run.History()
		if err != nil {
			return err
		}
		printed = min(printed, len(history)) // a run that was begun anew
		a.printEpochs(run.Config(), history, printed)
		printed = len(history)
		switch {
		case complete:
			fmt.Fprintln(a.out, "complete")
			return nil
		case once:
			fmt.Fprintln(a.out, stoppedText(history))
			return nil
		}
		select {
		case <-ctx.Done():
			return watchEnd(ctx)
		case <-time.After(watchInterval):
		}
	}
}

// watchEnd is no error for a person who has seen enough.
func watchEnd(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return ctx.Err()
}

// stoppedText says how far a run is that isn't complete.
func stoppedText(history []nbbnn.Epoch) string {
	if len(history) == 0 {
		return "not begun"
	}
	return fmt.Sprintf("not complete: epoch %d is the last on the disk", len(history)-1)
}

// printEpochs prints the recorded epochs from the given one on, but not the state before training.
func (a *app) printEpochs(config nbbnn.Config, history []nbbnn.Epoch, from int) {
	for i := max(1, from); i < len(history); i++ {
		e, epochs := history[i], config.Training.Epochs
		fmt.Fprintf(a.out, "epoch %d/%d   NLL %.3f   err %.1f%%   entropy %.1f   KL %.1f   beta %.2f   %.1f s   %s left\n",
			e.Epoch, epochs, e.NLL, 100*e.Error, e.Entropy, e.KL, e.Beta, e.Seconds, span(timeLeft(history[1:i+1], epochs)))
	}
}

// timeLeft assumes that the rest goes as fast as the latest five of the epochs.
func timeLeft(trained []nbbnn.Epoch, epochs int) time.Duration {
	latest, seconds := trained[max(0, len(trained)-5):], 0.0
	for _, epoch := range latest {
		seconds += epoch.Seconds
	}
	return time.Duration(seconds / float64(len(latest)) * float64(epochs-len(trained)) * float64(time.Second))
}
