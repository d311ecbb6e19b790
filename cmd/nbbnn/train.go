package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

func trainCommand(a *app) *cobra.Command {
	var flags nbbnn.Config
	var start startingPoint
	var options nbbnn.TrainOptions
	command := &cobra.Command{
		Use:   "train",
		Short: "Train one network, or continue its training, and print its card",
		Long: "Train one network and print its card. The run's directory is named by the hash of its configuration, so the same\n" +
			"flags find the same run: a trained run isn't trained again, and a stopped run continues. An estimate of\n" +
			"the time comes first; a training of over an hour starts only if --preset, --config or --network names it.",
		Example: "  nbbnn train --preset allcnnc-shapes10 --seed 1\n" +
			"  nbbnn train --preset resnet18-cifar100 --gamma 80 --seed 3\n" +
			"  nbbnn train --preset resnet18-cifar100 --method map --seed 3\n" +
			"  nbbnn train --config runs/9f3c2a1b44d0/config.json --seed 2 --json",
		Args: commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := readConfig(start, c.Flags())
			if err != nil {
				return commandline.Usage(err)
			}
			if err := config.WithDefaults().Data.Images().CheckCounts(); err != nil {
				return commandline.Usage(err)
			}
			announceStretch(a, start, config)
			return trainRun(c.Context(), a, config, options, namesSubject(c.Flags()))
		},
	}
	addTrainFlags(command.Flags(), &flags, &start)
	command.Flags().IntVar(&options.SaveEvery, "save-every", 0, "epochs from one checkpoint to the next; 0 means 1, or 5 on a GPU")
	command.Flags().IntVar(&options.KeepEvery, "keep-every", 0, "epochs from one checkpoint to the next that stays; 0 means that none stays but the latest")
	return command
}

// trainRun trains the run to its end and prints its card. named says that the caller has said what
// to train.
func trainRun(ctx context.Context, a *app, config nbbnn.Config, options nbbnn.TrainOptions, named bool) error {
	if err := announceTraining(ctx, a, config, named); err != nil {
		return err
	}
	run, err := nbbnn.Open(a.runs, config)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, "run      "+run.Directory())
	complete := run.Complete()
	progress := newProgress(a.streams, "")
	options.Progress = progress.report(run.Directory())
	err = run.TrainWith(ctx, options)
	progress.finish()
	if err != nil {
		return err
	}
	if complete {
		return reportCard(a, run, "card") // as it was
	}
	return reportCard(a, run, "wrote")
}

// announceTraining says what is used and, of a training that isn't begun, how long it takes. It
// makes nothing, so that there's nothing to clear away when the data set isn't there or the user
// leaves.
func announceTraining(ctx context.Context, a *app, config nbbnn.Config, named bool) error {
	if info, err := os.Stat(a.runs); err == nil && !info.IsDir() {
		return fmt.Errorf("nbbnn train: %s is a file, not a directory of runs: choose another with --runs", a.runs)
	}
	begun, err := isBegun(a.runs, config)
	if err != nil {
		return err
	}
	if !begun {
		if err := checkData(ctx, config); err != nil {
			return err
		}
	}
	opened, err := announceEngine(a)
	if err != nil || begun {
		return err
	}
	if opened.IsDevice() { // there compiling the trial steps takes longer than they tell
		fmt.Fprintln(a.err, "plan     "+subject(config)+" · "+quantity.Count(config.WithDefaults().Training.Epochs, "epoch"))
		return nil
	}
	return announceEstimate(ctx, a, config, named)
}

// isBegun reports whether a training of the configuration has recorded something.
func isBegun(runs string, config nbbnn.Config) (bool, error) {
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return false, err
	}
	history, err := run.History()
	return len(history) > 0 || run.Complete(), err
}

// checkData refuses to begin on a data set that isn't there, before trial steps are taken; nothing
// is read of one that is.
func checkData(ctx context.Context, config nbbnn.Config) error {
	data := config.WithDefaults().Data
	for _, source := range dataset.Sources() {
		if source.Name != data.Name {
			continue
		}
		directory, err := dataset.Directory("")
		if err != nil {
			return err
		}
		if _, missing := source.Find(directory); len(missing) > 0 {
			_, err := dataset.Open(ctx, dataset.Config{Name: data.Name}) // knows all versions of it, and how to get one
			return err
		}
	}
	return nil
}

// reportCard prints a run's card: as JSON, or the lines that people ask for first. label says what
// became of the file.
func reportCard(a *app, run *nbbnn.Run, label string) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(card)
	}
	printCard(a, run, card, label)
	return nil
}

// printCard prints the lines of a run's card that people ask for first.
func printCard(a *app, run *nbbnn.Run, card nbbnn.Card, label string) {
	if last := card.Training; last != nil {
		fmt.Fprintf(a.out, "trained  %s in %s   NLL %.3f   error %.1f%%   entropy %.1f nats   (on the training set)\n",
			quantity.Count(last.Epoch, "epoch"), quantity.Span(time.Duration(card.WallSeconds*float64(time.Second))), last.NLL, 100*last.Error, last.Entropy)
	}
	for _, note := range card.Notes {
		fmt.Fprintln(a.out, "note     "+note)
	}
	fmt.Fprintln(a.out, "weights  sha256 "+card.WeightsSHA256)
	fmt.Fprintf(a.out, "%-8s %s\n", label, filepath.Join(run.Directory(), "card.json"))
}
