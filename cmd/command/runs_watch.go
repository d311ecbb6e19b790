package command

import (
	"context"
	"encoding/json"
	"errors"
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
		Long: "Show how far the training of a run is, epoch by epoch, until it ends. The training runs in another process,\n" +
			"such as the cell of a notebook whose tab was closed; watching doesn't affect it.\n" +
			"The latest epochs are shown first. If no process trains the run, the command says so and ends. With --json it\n" +
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
	command.Flags().BoolVar(&once, "once", false, "show the latest epochs and whether the run is being trained, and end")
	return command
}

const (
	watchInterval = time.Second // between looks for a new epoch
	watchShown    = 5           // earlier epochs that are shown first
)

// watchRun prints the latest epochs that a run has recorded and, unless once, those that come,
// until the run is complete.
func watchRun(ctx context.Context, a *app, run *nbbnn.Run, once bool) error {
	fmt.Fprintln(a.err, "run      "+run.Directory())
	printed := -1 // nothing was looked at yet
	for {
		held := run.Held()                                    // check the lock first: once released, all files are final
		complete := run.Complete() || run.Recorded() && !held // before the history, so that no epoch is missed
		history, err := run.History()
		if err != nil {
			return err
		}
		if printed < 0 {
			printed = firstShown(a, len(history), complete)
		}
		printed = min(printed, len(history)) // a run that was started again
		if err := printEpochs(a, run.Config(), history, printed, held); err != nil {
			return err
		}
		printed = len(history)
		switch {
		case complete || once:
			printWatched(a, complete, held, history)
			return nil
		case !held:
			return fmt.Errorf("nbbnn runs watch: %s: `%s` continues it", stoppedText(history)+idle, trainCommandLine(run.Directory()))
		}
		select {
		case <-ctx.Done():
			return watchEnd(ctx)
		case <-time.After(watchInterval):
		}
	}
}

// firstShown is the first of the recorded epochs that is printed: for a program all of them, for
// people the latest, and of a complete run the last.
func firstShown(a *app, recorded int, complete bool) int {
	switch {
	case a.json:
		return 0
	case complete:
		return max(0, recorded-1)
	}
	return max(0, recorded-watchShown)
}

// idle says that no process trains a run.
const idle = "; no process trains this run"

// watchEnd returns no error after an interrupt, which is how a person stops watching.
func watchEnd(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return ctx.Err()
}

// printWatched ends what people read; the lines of JSON need no end.
func printWatched(a *app, complete, held bool, history []nbbnn.Epoch) {
	text := stoppedText(history)
	switch {
	case a.json:
		return
	case complete:
		text = "complete"
	case held:
		text += "; it is being trained"
	default:
		text += idle
	}
	fmt.Fprintln(a.out, text)
}

// stoppedText says how far a run is that isn't complete.
func stoppedText(history []nbbnn.Epoch) string {
	if len(history) == 0 {
		return "not begun"
	}
	return fmt.Sprintf("not complete: epoch %d is the last on the disk", len(history)-1)
}

// printEpochs prints the recorded epochs from the given one on, but not the state before training,
// or with --json their records in train.jsonl. The newest epoch shows the remaining time
// if the run is being trained.
func printEpochs(a *app, config nbbnn.Config, history []nbbnn.Epoch, from int, held bool) error {
	if a.json {
		return printLines(a, history[from:])
	}
	epochs := config.Training.Epochs
	for i := max(1, from); i < len(history); i++ {
		e, left := history[i], ""
		if held && i == len(history)-1 && e.Epoch < epochs {
			left = "   " + quantity.Span(nbbnn.TimeLeft(history, epochs)) + " left"
		}
		fmt.Fprintf(a.out, "epoch %d/%d   NLL %.3f   err %.1f%%   entropy %.1f   KL %.1f   beta %.2f   %.1f s%s\n",
			e.Epoch, epochs, e.NLL, 100*e.Error, e.Entropy, e.KL, e.Beta, e.Seconds, left)
	}
	return nil
}

// printLines prints epochs as lines of JSON.
func printLines(a *app, history []nbbnn.Epoch) error {
	encoder := json.NewEncoder(a.out)
	for _, epoch := range history {
		if err := encoder.Encode(epoch); err != nil {
			return err
		}
	}
	return nil
}
