package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// addConfigFlags makes flags of the fields that experiments change; what the configuration holds is
// the default. The other fields, such as momentum and weight decay, are set in the file of
// --config.
func addConfigFlags(f *pflag.FlagSet, c *nbbnn.Config) {
	f.StringVar(&c.Network.Name, "network", c.Network.Name, "network: "+strings.Join(network.Names(), ", "))
	f.IntVar(&c.Network.Width, "width", c.Network.Width, "channels of the first layers; 0 means the published width")
	f.StringVar((*string)(&c.Network.Form), "form", string(c.Network.Form), `of allcnnc: published initial values and ReLU on the logits, or narrow, which has He-normal weights and no ReLU on the logits; "" means narrow for another width than the published one`)
	f.StringVar((*string)(&c.Network.Precision), "precision", string(c.Network.Precision), `of convolutions and activations: "" means float32; bfloat16 needs XLA`)
	f.StringVar(&c.Data.Name, "data", c.Data.Name, dataHelp())
	f.IntVar(&c.Data.Train, "train", c.Data.Train, "training images; 0 means all")
	f.IntVar(&c.Data.Test, "test", c.Data.Test, "test images; 0 means all")
	f.IntVar(&c.Posterior.Components, "components", c.Posterior.Components, "components K of the posterior, 1 or more; 1 where none are given")
	f.IntVar(&c.Data.Validation, "validation", c.Data.Validation, "training images held out to choose gamma; 0 means none, the paper's number is 5000")
	f.Float64Var(&c.Data.LabelNoise, "label-noise", c.Data.LabelNoise, "share of the training labels drawn again, 0 to 1")
	f.StringVar((*string)(&c.Data.NoiseForm), "noise-form", string(c.Data.NoiseForm), `those labels: "" for wrong ones, any for any class`)
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
	f.StringVar(&c.Training.Augmentation, "augmentation", c.Training.Augmentation, `what changes the training images beyond crops and mirroring: augmix, which turns those on, too; "" for nothing`)
	f.Var((*normalisation)(&c.Pixels), "normalisation", "of the pixels, from 0 to 1, as three means and three standard deviations such as 0.5,0.5,0.5/0.25,0.25,0.25, or imagenet, or none; the data set's own if left out")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of all random numbers")
	addMethodFlags(f, &c.Method)
}

// dataHelp is the help text of --data.
func dataHelp() string {
	return "data set: " + strings.Join(dataset.Names(), ", ") + `, or one that you added with "nbbnn data add"`
}

// startingPoint is the configuration that flags change.
type startingPoint struct {
	file, preset string // at most one of them; both "" means the zero configuration
	export       string // exported file whose configuration it is, if it holds one
	compress     int    // epochs; 0 leaves the schedule
}

// addTrainFlags makes the flags of a training: where its configuration starts from, and what
// differs.
func addTrainFlags(f *pflag.FlagSet, c *nbbnn.Config, start *startingPoint) {
	addConfigFlags(f, c)
	f.StringVar(&start.file, "config", "", "JSON file of a configuration, such as a run's config.json; flags override it")
	f.StringVar(&start.preset, "preset", "", "configuration that flags override, allcnnc-shapes10 for a small start (25 s on two cores), the others of the paper: "+strings.Join(presetNames(), ", "))
	f.IntVar(&start.compress, "compress", 0, "compress or stretch the schedule of --preset or --config to this number of epochs; 0 leaves it")
}

func presetNames() (names []string) {
	for _, preset := range nbbnn.Presets() {
		names = append(names, preset.Name)
	}
	return names
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
	case s.export != "":
		config, _, err = nbbnn.ReadExportedConfig(s.export)
	case s.preset != "":
		config, err = nbbnn.PresetByName(s.preset)
	}
	if err != nil {
		return config, err
	}
	config, err = s.compressed(config, withMethod(config, given))
	clearDependent(&config, given)
	return config, err
}

// compressed returns the configuration with the method of a flag, compressed if asked for: the
// cycles of csghmc depend on the epochs before.
func (s startingPoint) compressed(before, config nbbnn.Config) (nbbnn.Config, error) {
	if s.compress == 0 {
		return config, nil
	}
	compressed, err := config.Compress(s.compress)
	if config != before { // another method has the posterior's defaults, not compressed ones
		compressed = compressed.With(compressed.Method)
	}
	return compressed, err
}

// clearDependent clears the fields of a filled configuration that were derived from fields that
// flags replace, so that they are derived again. Flags are set afterwards, so a flag's own value
// stays.
func clearDependent(config *nbbnn.Config, given *pflag.FlagSet) {
	if given.Changed("epochs") {
		config.Training.BetaEpochs = 0 // without annealing it is 0 already
		m := &config.Method
		m.Start, m.Cycles, m.Snapshots, m.NoiseEpochs = 0, 0, 0, 0
	}
	if given.Changed("cycles") {
		config.Method.Snapshots, config.Method.NoiseEpochs = 0, 0
	}
	if given.Changed("learning-rate") {
		config.Method.Rate = 0
	}
	if given.Changed("data") {
		config.Data.Content = ""
	}
	if given.Changed("init-std") {
		config.Posterior.PriorStd = 0
	}
	if given.Changed("network") {
		config.Network.Width = 0
	}
	if (given.Changed("network") || given.Changed("width")) && !given.Changed("form") {
		config.Network.Form = ""
	}
	clearAugmentation(&config.Training, given)
}

// clearAugmentation lets a flag that asks for an augmentation, or for none, replace the other field
// of the configuration. If both flags were given, both fields stay, and the check refuses them.
func clearAugmentation(t *nbbnn.Training, given *pflag.FlagSet) {
	asked, off := given.Changed("augmentation"), given.Changed("no-augmentation")
	if asked && !off && given.Lookup("augmentation").Value.String() != "" {
		t.NoAugmentation = false
	}
	if off && !asked && given.Lookup("no-augmentation").Value.String() == "true" {
		t.Augmentation = ""
	}
}

// readConfig returns the configuration of the starting point with the flags that were given.
func readConfig(start startingPoint, given *pflag.FlagSet) (nbbnn.Config, error) {
	config, err := start.config(given)
	if err != nil {
		return config, err
	}
	if config, err = setFlags(config, given); err != nil {
		return config, err
	}
	if err := checkLatentFlags(config, given); err != nil {
		return config, err
	}
	return config, config.WithDefaults().Validate()
}

// withFlags returns a configuration with the flags that were given, if a run can have it.
func withFlags(config nbbnn.Config, given *pflag.FlagSet) (nbbnn.Config, error) {
	config, err := setFlags(config, given)
	if err != nil {
		return config, err
	}
	return config, config.WithDefaults().Validate()
}

// setFlags sets the fields whose flags were given.
func setFlags(config nbbnn.Config, given *pflag.FlagSet) (_ nbbnn.Config, err error) {
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
	if given.Changed("components") && config.Posterior.Components == 0 {
		return config, errors.New("nbbnn: number of components is 0: give 1 or more, or leave --components out")
	}
	return config, nil
}
