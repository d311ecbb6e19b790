package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

func (a *app) estimateCommand() *cobra.Command {
	var flags nbbnn.Config
	var start startingPoint
	command := &cobra.Command{
		Use:   "estimate",
		Short: "Say how long a training takes on this machine, and how much memory",
		Long: "Say how long a training takes on this machine, and how much memory, from a few steps of about a second on random images. It takes the\n" +
			"flags of `nbbnn train`; nothing is trained and no data set is needed.",
		Example: "  nbbnn estimate --network resnet18 --data cifar10 --epochs 300\n  nbbnn estimate --preset resnet18-cifar100 --json",
		Args:    commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := readConfig(start, c.Flags())
			if err != nil {
				return commandline.Usage(err)
			}
			a.announceStretch(start, config)
			return a.estimate(c.Context(), config)
		},
	}
	addTrainFlags(command.Flags(), &flags, &start)
	return command
}

// estimate prints the estimate of a training.
func (a *app) estimate(ctx context.Context, config nbbnn.Config) error {
	if _, err := a.announceEngine(); err != nil {
		return err
	}
	estimate, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(estimate)
	}
	fmt.Fprintln(a.out, "plan     "+estimateText(config, estimate))
	return nil
}

// announceEstimate says before a training how long it will take, or why that isn't known. A cancellation is an error, and so is
// a training of hours that wasn't named.
func (a *app) announceEstimate(ctx context.Context, config nbbnn.Config, named bool) error {
	estimate, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		fmt.Fprintln(a.err, "plan     unknown: "+err.Error())
		return nil
	}
	fmt.Fprintln(a.err, "plan     "+estimateText(config, estimate))
	return a.admit(config, estimate, named)
}

// longSeconds is the duration from which a training isn't what somebody has in mind who doesn't say what to train.
const longSeconds = 3600

// admit refuses a training of hours, unless it was named, and says of one that was that it can be stopped.
func (a *app) admit(config nbbnn.Config, e nbbnn.Cost, named bool) error {
	if e.TotalSeconds < longSeconds {
		return nil
	}
	if named {
		a.announceStop()
		return nil
	}
	config = config.WithDefaults()
	return commandline.Usage(fmt.Errorf("nbbnn train: %s with %s takes %s, and no flag names it: `nbbnn train --preset allcnnc-shapes10` is a small start, `--network %s` begins this",
		config.Network.Name, quantity.Count(config.Training.Epochs, "epoch"), seconds(e.TotalSeconds), config.Network.Name))
}

// announceStop says how to leave what takes hours.
func (a *app) announceStop() {
	fmt.Fprintln(a.err, "note     control-C stops and saves; the same command goes on")
}

// namesSubject says whether flags name what is trained.
func namesSubject(given *pflag.FlagSet) bool {
	return given.Changed("preset") || given.Changed("config") || given.Changed("network")
}

// subject is what is trained, such as "resnet18, width 64, cifar10".
func subject(config nbbnn.Config) string {
	config = config.WithDefaults()
	return fmt.Sprintf("%s, width %d, %s", config.Network.Name, config.Network.Width, config.Data.Name)
}

// estimateText is such as "resnet18, width 64, cifar10 · 390 steps an epoch · 12 min an epoch, 20 h for 100 epochs · 6.2 GB".
func estimateText(config nbbnn.Config, e nbbnn.Cost) string {
	text := fmt.Sprintf("%s · %s an epoch · %s a step, %s an epoch, %s for %s", subject(config), quantity.Count(e.Steps, "step"), quantity.Seconds(e.StepSeconds),
		seconds(e.EpochSeconds), seconds(e.TotalSeconds), quantity.Count(config.WithDefaults().Training.Epochs, "epoch"))
	if e.Memory > 0 {
		text += " · about " + quantity.Bytes(int64(e.Memory))
	}
	return text
}

// seconds writes a duration, with milliseconds where it is short.
func seconds(count float64) string {
	const short = 1
	if count < short {
		return quantity.Seconds(count)
	}
	return quantity.Span(time.Duration(count * float64(time.Second)))
}

// announceStretch says when --compress makes a schedule longer than it was published.
func (a *app) announceStretch(start startingPoint, config nbbnn.Config) {
	if start.compress == 0 {
		return
	}
	start.compress = 0
	published, err := start.config(pflag.NewFlagSet("none", pflag.ContinueOnError))
	if err != nil {
		return // config couldn't have been read, either
	}
	if before, now := published.WithDefaults().Training.Epochs, config.WithDefaults().Training.Epochs; now > before {
		fmt.Fprintf(a.err, "note     --compress stretches the schedule, from %d to %d epochs\n", before, now)
	}
}
