package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// addMethodFlags makes flags of the method and its options.
func addMethodFlags(f *pflag.FlagSet, m *nbbnn.Method) {
	f.StringVar((*string)(&m.Name), "method", string(m.Name), "method of training: "+strings.Join(names(baseline.Names()...)(), ", ")+`; "" means nodebnn, or map without latents`)
	f.Float64Var(&m.Rho, "rho", m.Rho, "of sam and asam: length of the move before the gradient is taken; 0 means the published one")
	f.BoolVar(&m.BothPasses, "both-passes", m.BothPasses, "of sam and asam: both passes of a step update the running statistics of batch normalisation")
	f.IntVar(&m.Start, "swag-start", m.Start, "of swag: epochs before the weights of each epoch are collected; 0 means 161 of 300")
	f.Float64Var(&m.Rate, "swag-rate", m.Rate, "of swag: constant learning rate while they are; 0 means the published share of the first one")
	f.IntVar(&m.Rank, "swag-rank", m.Rank, "of swag: epochs whose deviations make up half of the covariance; 0 means 20")
	f.BoolVar(&m.Diagonal, "swag-diagonal", m.Diagonal, "of swag: leave out that half")
	f.IntVar(&m.Cycles, "cycles", m.Cycles, "of csghmc: cycles of the learning rate, a divisor of the epochs; 0 means cycles of about 50 epochs, two at least")
	f.IntVar(&m.Snapshots, "snapshots", m.Snapshots, "of csghmc: last epochs of a cycle whose weights are samples; 0 means 5, or half a cycle")
	f.IntVar(&m.NoiseEpochs, "noise-epochs", m.NoiseEpochs, "of csghmc: last epochs of a cycle with noise; 0 means a tenth of the cycle, and the snapshots at least")
	f.Float64Var(&m.Temperature, "temperature", m.Temperature, "of csghmc: factor of the variance of the noise, 1 samples the posterior; 0 means 1/50,000")
	f.Float64Var(&m.Dropout, "dropout", m.Dropout, "of mcdropout: probability of dropping an input; 0 means 0.5 for vgg16, 0.1 for networks without dropout")
	f.Float64Var(&m.Std, "damp-std", m.Std, "of damp: standard deviation of the factors of the weights; 0 means the published one")
	f.IntVar(&m.SubBatches, "damp-sub-batches", m.SubBatches, "of damp: parts of a batch with factors of their own; 0 means 8, or the largest divisor of the batch below. A step with 1, which is published for CIFAR, takes about as long as one of map; each further part adds to that (docs/performance.md)")
}

// withMethod returns the configuration for the method of a flag: the published settings of that
// method, unless the configuration has it already.
func withMethod(config nbbnn.Config, given *pflag.FlagSet) nbbnn.Config {
	flag := given.Lookup("method")
	if flag == nil || !flag.Changed {
		return config
	}
	name := baseline.Name(flag.Value.String())
	if filled := config.WithDefaults(); filled.Method.Of(filled.Settings()) == name {
		return config
	}
	return config.With(nbbnn.Method{Name: name})
}

// latentFlags are the flags that say something only of a network with latents. The values say what
// holds without latents, too, as 0 and "" do.
var latentFlags = []struct{ name, value string }{
	{"mode", string(nbbnn.Deterministic)}, {"components", "1"}, {"init-std", ""}, {"prior-std", ""},
	{"gamma", ""}, {"bound", ""}, {"divergence", ""}, {"extra-entropy", ""}, {"scope", ""},
	{"samples", "1"}, {"posterior-learning-rate", ""}, {"beta-epochs", ""},
}

// checkLatentFlags refuses the flags of the node-BNN that were given for another method, which
// would ignore them, by a baseline.OptionError. Samples of training differ in dropout, too.
func checkLatentFlags(config nbbnn.Config, given *pflag.FlagSet) error {
	filled := config.WithDefaults()
	method := filled.Method.Of(filled.Settings())
	if method == baseline.NodeBNN || !slices.Contains(baseline.Names(), method) {
		return nil
	}
	for _, latent := range latentFlags {
		flag := given.Lookup(latent.name)
		if !flag.Changed || slices.Contains([]string{latent.value, "0", ""}, flag.Value.String()) {
			continue
		}
		if flag.Name == "samples" && drops(filled) {
			continue
		}
		text := fmt.Sprintf("nbbnn: %s %s (--%s) is an option of the method %s, not of %s, which has no latents: leave it out",
			strings.ReplaceAll(flag.Name, "-", " "), flag.Value, flag.Name, baseline.NodeBNN, method)
		return baseline.OptionError{Method: method, Flag: flag.Name, Text: text}
	}
	return nil
}

// drops reports whether a filled configuration trains a network with dropout.
func drops(c nbbnn.Config) bool {
	return c.Method.Name == baseline.MCDropout || slices.Contains(network.Names(), c.Network.Name) && c.Network.Architecture(1).HasDropout()
}
