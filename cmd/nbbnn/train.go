package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

func (a *app) trainCommand() *cobra.Command {
	var flags nbbnn.Config
	var start startingPoint
	command := &cobra.Command{
		Use:   "train",
		Short: "Train one network, or go on with its training, and print its card",
		Long: "Train one network and print its card. The run's directory is named by the hash of its configuration, so the same\n" +
			"flags find the same run: what is trained already isn't trained again, and a run that was stopped goes on.",
		Example: "  nbbnn train --network allcnnc --width 24 --data shapes10 --epochs 4 --init-std 0.32 --seed 1\n" +
			"  nbbnn train --preset resnet18-cifar100 --gamma 80 --seed 3\n" +
			"  nbbnn train --config runs/9f3c2a1b44d0/config.json --seed 2 --json",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := readConfig(start, c.Flags())
			if err != nil {
				return asUsage(err)
			}
			return a.train(c.Context(), config)
		},
	}
	addTrainFlags(command.Flags(), &flags, &start)
	return command
}

// addTrainFlags makes the flags of a training: where its configuration starts from, and what differs.
func addTrainFlags(f *pflag.FlagSet, c *nbbnn.Config, start *startingPoint) {
	addConfigFlags(f, c)
	f.StringVar(&start.file, "config", "", "JSON file of a configuration, such as a run's config.json; flags override it")
	f.StringVar(&start.preset, "preset", "", "configuration of the paper, such as vgg16-cifar10, resnet18-cifar100, preactresnet18-tinyimagenet; flags override it")
	f.IntVar(&start.compress, "compress", 0, "squeeze the schedule of --preset or --config into so many epochs; 0 leaves it")
}

// addConfigFlags makes flags of the fields that experiments change; what the configuration holds is the default. The other
// fields, such as momentum and weight decay, are set in the file of --config.
func addConfigFlags(f *pflag.FlagSet, c *nbbnn.Config) {
	f.StringVar(&c.Network.Name, "network", c.Network.Name, "network: "+strings.Join(nbbnn.Networks(), ", "))
	f.IntVar(&c.Network.Width, "width", c.Network.Width, "channels of the first layers; 0 means the published width")
	f.StringVar(&c.Data.Name, "data", c.Data.Name, "data set: shapes10 or cifar10")
	f.IntVar(&c.Data.Train, "train", c.Data.Train, "training images; 0 means all")
	f.IntVar(&c.Data.Test, "test", c.Data.Test, "test images; 0 means all")
	f.IntVar(&c.Posterior.Components, "components", c.Posterior.Components, "components K of the posterior; 0 means 1")
	f.StringVar((*string)(&c.Posterior.Mode), "mode", string(c.Posterior.Mode), `noisy side of each layer: in, out, both, or none for an ordinary network; "" means out`)
	f.Float64Var(&c.Posterior.InitStd, "init-std", c.Posterior.InitStd, "initial standard deviation of the posterior; 0 means the network's published value")
	f.Float64Var(&c.Posterior.PriorStd, "prior-std", c.Posterior.PriorStd, "standard deviation of the prior; 0 means the initial one")
	f.Float64Var(&c.Objective.Gamma, "gamma", c.Objective.Gamma, "weight of the extra entropy in the objective")
	f.StringVar((*string)(&c.Objective.Bound), "bound", string(c.Objective.Bound), `entropy bound: reference or exact; "" means reference`)
	f.StringVar((*string)(&c.Objective.Divergence), "divergence", string(c.Objective.Divergence), `divergence from the prior: "" of the mixture, or full for the sum over the components`)
	f.StringVar((*string)(&c.Objective.ExtraEntropy), "extra-entropy", string(c.Objective.ExtraEntropy), `entropy that gamma multiplies: "" of the mixture, conditional or conditional_sum`)
	f.StringVar((*string)(&c.Objective.Scope), "scope", string(c.Objective.Scope), `entropy bound by layer or joint; "" means layer`)
	f.IntVar(&c.Training.Epochs, "epochs", c.Training.Epochs, "passes over the training images; 0 means the published number")
	f.IntVar(&c.Training.Batch, "batch", c.Training.Batch, "images of a step; 0 means the published number")
	f.IntVar(&c.Training.Samples, "samples", c.Training.Samples, "samples of the latents for each image of a step; 0 means 4")
	f.Float64Var(&c.Training.LearningRate, "learning-rate", c.Training.LearningRate, "first learning rate of the weights; 0 means the network's published one")
	f.Float64Var(&c.Training.PosteriorLearningRate, "posterior-learning-rate", c.Training.PosteriorLearningRate, "learning rate of the posterior; 0 means the published one")
	f.IntVar(&c.Training.BetaEpochs, "beta-epochs", c.Training.BetaEpochs, "epochs until the posterior's terms count in full; 0 means two thirds of the epochs")
	f.BoolVar(&c.Training.NoAugmentation, "no-augmentation", c.Training.NoAugmentation, "show the training images as they are")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of all random numbers")
}

// startingPoint is the configuration that flags change.
type startingPoint struct {
	file, preset string // at most one of them; both "" means the zero configuration
	compress     int    // epochs; 0 leaves the schedule
}

// config returns the starting point for the flags that were given.
func (s startingPoint) config(given *pflag.FlagSet) (config nbbnn.Config, err error) {
	switch {
	case s.file != "" && s.preset != "":
		return config, errors.New("nbbnn train: --config and --preset were both given: choose one to start from")
	case s.compress != 0 && given.Changed("epochs"):
		return config, errors.New("nbbnn train: --compress and --epochs were both given: the first sets the epochs and keeps the schedule's shape")
	case s.file != "":
		config, err = nbbnn.ReadConfig(s.file)
	case s.preset != "":
		config, err = nbbnn.PresetByName(s.preset)
		if given.Changed("width") {
			config.Network.Form = "" // that of the width
		}
	}
	if err != nil || s.compress == 0 {
		return config, err
	}
	return config.Compress(s.compress)
}

// readConfig returns the configuration of the starting point with the flags that were given.
func readConfig(start startingPoint, given *pflag.FlagSet) (nbbnn.Config, error) {
	config, err := start.config(given)
	if err != nil {
		return config, err
	}
	flags := pflag.NewFlagSet("config", pflag.ContinueOnError)
	addConfigFlags(flags, &config)
	given.Visit(func(flag *pflag.Flag) {
		if flags.Lookup(flag.Name) != nil && err == nil {
			err = flags.Set(flag.Name, flag.Value.String())
		}
	})
	if err != nil {
		return config, err
	}
	return config, config.WithDefaults().Validate()
}

// train trains the run to its end and prints its card.
func (a *app) train(ctx context.Context, config nbbnn.Config) error {
	run, err := nbbnn.Open(a.runs, config)
	if err != nil {
		return err
	}
	if _, err := a.announceEngine(); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "run      "+run.Directory())
	if !run.Complete() {
		if err := a.announceEstimate(ctx, config); err != nil {
			return err
		}
	}
	progress := newProgress(a.streams, "")
	err = run.Train(ctx, paper.Single(run.Directory(), progress.update))
	progress.finish()
	if err != nil {
		return err
	}
	card, err := run.Card()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(card)
	}
	a.printCard(run, card)
	return nil
}
