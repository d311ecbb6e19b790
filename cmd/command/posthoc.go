package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

const posthocHelp = `Make a node-BNN of a trained ordinary network. It puts noise on the nodes,
keeps the weights and the running statistics of batch normalisation as they are, and trains the
latents alone. --from names a trained run without latents, or a file of weights in PyTorch's layout, for
example a state dictionary with torchvision's names for a ResNet18; a file becomes a run of its
own, which can be evaluated, and needs --network, --width and --data. A file NAME.onnx has its own
network and needs --data alone. --epochs 0 keeps the noise at --init-std: what a trained posterior
has to beat. --free-weights trains the weights as well, from the parent's on. --chains samples the
posterior of the latents of a node-BNN instead, by Hamiltonian Monte Carlo. The result is a run like
any other. docs/posthoc.md has the details.`

func posthocCommand(a *app) *cobra.Command {
	var order trainOrder
	var from string
	var sampling samplingFlags
	var free, plan bool
	command := &cobra.Command{
		Use: "posthoc",
		Short: "Make a node-BNN of a trained ordinary network: train only the latents, with " +
			"frozen weights",
		Long: posthocHelp,
		Example: "  nbbnn posthoc --from 9f3c\n" +
			"  nbbnn posthoc --from 9f3c --gamma 40 --epochs 5\n" +
			"  nbbnn posthoc --from 9f3c --init-std 0.1 --epochs 0\n" +
			"  nbbnn posthoc --from 9f3c --free-weights --learning-rate 0.01 --epochs 20\n" +
			"  nbbnn posthoc --from 41ab --chains 4 --epochs 600\n" +
			"  nbbnn posthoc --from resnet18.safetensors --network resnet18 --width 64 --data " +
			"cifar10 --normalisation imagenet --json",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := sampling.check(c.Flags()); err != nil {
				return commandline.Usage(err)
			}
			parent, err := parentOf(c.Context(), a, from, c.Flags())
			if err != nil {
				return err
			}
			config, err := posthocConfig(parent, sampling, free, c.Flags())
			if err != nil {
				return err
			}
			noteUnsound(a, parent)
			if !c.Flags().Changed("runs") {
				a.runs = filepath.Dir(parent.Directory())
			}
			order.config, order.named = config, true
			if plan {
				return planPosthoc(c.Context(), a, config)
			}
			return trainRun(c.Context(), a, order)
		},
	}
	f := command.Flags()
	f.StringVar(&from, "from", "", "the trained network: a run, a .safetensors file in "+
		"PyTorch's layout, or a file in the ONNX format, NAME.onnx")
	_ = command.MarkFlagRequired("from") // it was just made
	sampling.register(f)
	f.BoolVar(&free, "free-weights", false, "train the weights as well, from the parent's on")
	addPosthocFlags(f)
	addTrainOrderFlags(f, &order)
	f.BoolVar(&plan, "plan", false, planHelp+"; a file becomes a run all the same")
	setGroup(f, "Run", "plan")
	f.Lookup("normalisation").Annotations = nil // as in weights import
	return command
}

func (s *samplingFlags) register(f *pflag.FlagSet) {
	f.IntVar(&s.chains, "chains", 0, "sample the posterior of a node-BNN's latents with "+
		"this many chains, 2 or more; --epochs (600 if left out, at least 30) are the "+
		"transitions of each, the first third adapts, and --components (32) draws predict")
	f.IntVar(&s.leapfrog, "leapfrog", 0, "leapfrog steps of a transition of --chains on "+
		"average, which vary by half; if left out, 8")
	f.Float64Var(&s.acceptance, "acceptance", 0, "mean acceptance that the length of the "+
		"leapfrog steps is adapted to; 0.8 if left out, and more of it shortens them, against "+
		"divergences")
}

// planPosthoc prints how long the training takes, if there is one.
func planPosthoc(ctx context.Context, a *app, config nbbnn.Config) error {
	if config.Posthoc.FixedNoise {
		return commandline.Usagef("nbbnn posthoc: --epochs 0 trains nothing, so there is nothing " +
			"to plan: leave --plan out, or give 1 epoch or more")
	}
	return printEstimate(ctx, a, config, oneSeed)
}

// posthocUsage are the flags of a training whose defaults differ here.
var posthocUsage = map[string]string{
	"network":                 "architecture in a file of weights; a run's is known",
	"data":                    "data set of the weights in a file; a run's is known",
	"epochs":                  "passes over the images, by default 3; 0 tests the first noise",
	"init-std":                "initial standard deviation of the posterior; 0.2 if left out",
	"gamma":                   "weight of the extra entropy in the objective; 10 if left out",
	"samples":                 "samples of the latents for each image of a step; 1 if left out",
	"batch":                   "images of a step; the parent's if left out",
	"learning-rate":           "learning rate of free weights; 0.001 if left out",
	"posterior-learning-rate": "learning rate of the posterior; 0.01 if left out",
	"beta-epochs":             "epochs until the posterior's terms count in full; none if left out",
	"mode":                    `noisy side of each layer: in, out or both; "" means out`,
	"seed":                    "seed of all random numbers, by default the parent's, 0 for a file",
}

// addPosthocFlags adds the fields of a posthoc run: all but other methods' and the training of
// weights.
func addPosthocFlags(f *pflag.FlagSet) {
	all := newConfigFlags(new(nbbnn.Config))
	for _, field := range configFields {
		ofWeights := field.Keys[0] == "method" ||
			slices.Contains([]string{"label-noise", "noise-form"}, field.Flag)
		if field.Flag == "" || ofWeights {
			continue
		}
		flag := all.Lookup(field.Flag)
		flag.Usage = cmp.Or(posthocUsage[flag.Name], flag.Usage)
		f.AddFlag(flag)
	}
}

// parentOf opens the trained network: a run, or the run that a file becomes.
func parentOf(ctx context.Context, a *app, from string, given *pflag.FlagSet) (*nbbnn.Run, error) {
	if info, err := os.Stat(from); err != nil || info.IsDir() ||
		filepath.Ext(from) == files.RecordEnding {
		return findRun(a, from)
	}
	if isONNX(from) {
		parent, err := importGraph(ctx, a, from, graphForm{}, fileFlags, given)
		if err != nil {
			return nil, err
		}
		return parent, testCleanly(ctx, a, parent)
	}
	config, err := fileConfig(from, given)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	parent, err := nbbnn.ImportOrdinary(ctx, a.runs, config, from)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.err, "parent   %s with seed %d, imported from %s\n", parent.Directory(),
		parent.Config().Seed, from)
	return parent, testCleanly(ctx, a, parent)
}

// fileFlags are the flags of the ordinary network in a file, and of its images.
var fileFlags = strings.Fields("network width precision data train test validation batch " +
	"no-augmentation normalisation")

// fileConfig returns the configuration of the ordinary network in a file: the one in the file's
// metadata if we exported it, or the flags'.
func fileConfig(path string, given *pflag.FlagSet) (nbbnn.Config, error) {
	of, err := flagsAmong(fileFlags, given)
	if err = cmp.Or(checkDescribed("posthoc", path, given), err); err != nil {
		return nbbnn.Config{}, err
	}
	return readConfig(startingPoint{export: path, tested: true}, of)
}

// posthocConfig returns the configuration of the node-BNN: the parent's network with the flags that
// were given.
func posthocConfig(parent *nbbnn.Run, sampling samplingFlags, free bool,
	given *pflag.FlagSet) (config nbbnn.Config, err error) {
	if given.Changed("chains") {
		config, err = sampling.config(parent, given)
	} else if config, err = nbbnn.PosthocOf(parent); err == nil {
		config.Training.NoAnnealing = !given.Changed("beta-epochs")
		config.Posthoc.FixedNoise, config.Posthoc.FreeWeights = hasFixedNoise(given), free
		clearDependent(&config, given)
		if given.Changed("learning-rate") && !free {
			err = fmt.Errorf("nbbnn posthoc: --learning-rate %s is for weights, which stay as "+
				"they are: give --free-weights as well, or leave it out",
				given.Lookup("learning-rate").Value)
		}
	}
	if err == nil {
		config, err = setFlags(config, given)
	}
	if err == nil {
		err = config.WithDefaults().Validate()
	}
	return config, commandline.Usage(err)
}

// samplingFlags are the flags of a run that samples.
type samplingFlags struct {
	chains, leapfrog int
	acceptance       float64
}

// config returns the configuration of a run that samples, and refuses flags of other runs.
func (s samplingFlags) config(parent *nbbnn.Run, given *pflag.FlagSet) (nbbnn.Config, error) {
	config, err := nbbnn.SampleOf(parent)
	if err != nil {
		return config, err
	}
	for _, field := range configFields {
		flag := given.Lookup(field.Flag)
		if flag != nil && flag.Changed &&
			!slices.Contains([]string{"epochs", "batch", "components", "gamma", "prior-std",
				"seed"}, flag.Name) {
			return config, fmt.Errorf("nbbnn posthoc: --chains samples the "+
				"latents of run %s as it was trained, so --%s %s has no effect: leave it out",
				parent.Config().RunName(), flag.Name, flag.Value)
		}
	}
	config.Posthoc.Chains, config.Posthoc.Acceptance = s.chains, s.acceptance
	config.Posthoc.Leapfrog = cmp.Or(s.leapfrog, config.Posthoc.Leapfrog)
	return config, nil
}

// hasFixedNoise reports whether the latents aren't trained.
func hasFixedNoise(given *pflag.FlagSet) bool {
	epochs := given.Lookup("epochs")
	return epochs.Changed && epochs.Value.String() == "0"
}

// check refuses flags that exclude each other: fixed latents aren't trained, and chains sample
// them.
func (s samplingFlags) check(given *pflag.FlagSet) error {
	err := cmp.Or(goesWith(given, "posthoc", "chains", "leapfrog acceptance"),
		exclusive(given, "posthoc", "chains", "free-weights"))
	if err != nil || !hasFixedNoise(given) {
		return err
	}
	for _, name := range []string{"chains", "free-weights"} {
		if given.Changed(name) && given.Lookup(name).Value.String() != "false" {
			return fmt.Errorf("nbbnn posthoc: --epochs 0 trains nothing, which doesn't go with "+
				"--%s: leave it out, or give 1 epoch or more", name)
		}
	}
	for _, field := range configFields {
		trainsLatents := len(field.Of) > 0 && field.Keys[0] != "posterior" ||
			field.Flag == "augmentation"
		if flag := given.Lookup(field.Flag); trainsLatents && flag != nil && flag.Changed {
			return fmt.Errorf("nbbnn posthoc: --epochs 0 trains nothing, so --%s %s has no "+
				"effect: leave it out, or give 1 epoch or more", flag.Name, flag.Value)
		}
	}
	return nil
}
