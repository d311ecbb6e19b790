package main

import (
	"context"
	"encoding/json"
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
			"such as the cell of a notebook whose tab was closed; watching and ceasing to watch change nothing there.\n" +
			"Of a run that is complete it shows the last epoch; of one that nobody is training it says so and ends. With --json it prints the lines of train.jsonl as they are.",
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
	printed := -1 // nothing was looked at yet
	for {
		held := run.Held()         // before the rest: who gives the lock back has written all
		complete := run.Complete() // before the history is read, so that no epoch is missed
		history, err := run.History()
		if err != nil {
			return err
		}
		if printed < 0 && complete && !a.json { // what was before says nothing new
			printed = len(history) - 1
		}
		printed = max(0, min(printed, len(history))) // a run that was begun anew
		if err := a.printEpochs(run.Config(), history, printed, held); err != nil {
			return err
		}
		printed = len(history)
		if complete || once {
			a.printWatched(complete, history)
			return nil
		}
		if !held {
			return unwatched(run, history)
		}
		select {
		case <-ctx.Done():
			return watchEnd(ctx)
		case <-time.After(watchInterval):
		}
	}
}

// unwatched is the error of a training that nobody is at, so that there's nothing to wait for.
func unwatched(run *nbbnn.Run, history []nbbnn.Epoch) error {
	return fmt.Errorf("nbbnn watch: %s; nobody is training this run: `%s` goes on", stoppedText(history), run.TrainCommand())
}

// watchEnd is no error for a person who has seen enough.
func watchEnd(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return ctx.Err()
}

// printWatched ends what people read; the lines of JSON need no end.
func (a *app) printWatched(complete bool, history []nbbnn.Epoch) {
	text := stoppedText(history)
	if complete {
		text = "complete"
	}
	if !a.json {
		fmt.Fprintln(a.out, text)
	}
}

// stoppedText says how far a run is that isn't complete.
func stoppedText(history []nbbnn.Epoch) string {
	if len(history) == 0 {
		return "not begun"
	}
	return fmt.Sprintf("not complete: epoch %d is the last on the disk", len(history)-1)
}

// printEpochs prints the recorded epochs from the given one on, but not the state before training, or with --json their lines
// of train.jsonl as they are. The time that is left is that after the newest, while somebody trains.
func (a *app) printEpochs(config nbbnn.Config, history []nbbnn.Epoch, from int, held bool) error {
	if a.json {
		return a.printLines(history[from:])
	}
	epochs := config.Training.Epochs
	for i := max(1, from); i < len(history); i++ {
		e, left := history[i], ""
		if held && i == len(history)-1 && e.Epoch < epochs {
			left = "   " + span(timeLeft(history[1:], epochs)) + " left"
		}
		fmt.Fprintf(a.out, "epoch %d/%d   NLL %.3f   err %.1f%%   entropy %.1f   KL %.1f   beta %.2f   %.1f s%s\n",
			e.Epoch, epochs, e.NLL, 100*e.Error, e.Entropy, e.KL, e.Beta, e.Seconds, left)
	}
	return nil
}

// printLines prints epochs as lines of JSON.
func (a *app) printLines(history []nbbnn.Epoch) error {
	encoder := json.NewEncoder(a.out)
	for _, epoch := range history {
		if err := encoder.Encode(epoch); err != nil {
			return err
		}
	}
	return nil
}

// timeLeft assumes that the rest goes as fast as the latest five of the epochs.
func timeLeft(trained []nbbnn.Epoch, epochs int) time.Duration {
	latest, seconds := trained[max(0, len(trained)-5):], 0.0
	for _, epoch := range latest {
		seconds += epoch.Seconds
	}
	return time.Duration(seconds / float64(len(latest)) * float64(epochs-len(trained)) * float64(time.Second))
}
