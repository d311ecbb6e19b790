package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
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
