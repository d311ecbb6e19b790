package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

func (a *app) trainCommand() *cobra.Command {
	var flags nbbnn.Config
	var file string
	command := &cobra.Command{
		Use:   "train",
		Short: "Train one network, or go on with its training, and print its card",
		Long: "Train one network and print its card. The run's directory is named by the hash of its configuration, so the same\n" +
			"flags find the same run: what is trained already isn't trained again, and a run that was stopped goes on.",
		Example: "  nbbnn train --network allcnnc --width 24 --data shapes10 --epochs 4 --init-std 0.32 --seed 1\n" +
			"  nbbnn train --config runs/9f3c2a1b44d0/config.json --seed 2 --json",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := readConfig(file, c.Flags())
			if err != nil {
				return asUsage(err)
			}
			return a.train(c.Context(), config)
		},
	}
	addConfigFlags(command.Flags(), &flags)
	command.Flags().StringVar(&file, "config", "", "JSON file of a configuration, such as a run's config.json; flags override it")
	return command
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

// readConfig returns the configuration of the file, or the zero one without a file, with the flags that were given.
func readConfig(file string, given *pflag.FlagSet) (config nbbnn.Config, err error) {
	if file != "" {
		if config, err = nbbnn.ReadConfig(file); err != nil {
			return config, err
		}
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
