package main

import (
	"context"
	"os"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/sweep"
)

// stopFlag is the flag with which a process saves and stops when the one that started it ends.
const stopFlag = "stop-with-input"

// stopWithInput is the value of that flag.
type stopWithInput bool

func (s *stopWithInput) add(f *pflag.FlagSet) {
	f.BoolVar((*bool)(s), stopFlag, false, "save and stop when standard input ends, as it does when the program at its other end ends")
}

// addHidden adds the flag to a command that people start themselves.
func (s *stopWithInput) addHidden(f *pflag.FlagSet) {
	s.add(f)
	f.Lookup(stopFlag).Hidden = true
}

// context returns a context that also ends with the standard input, if the flag is given.
func (s stopWithInput) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if !s {
		return context.WithCancel(ctx)
	}
	return sweep.UntilEnd(ctx, os.Stdin)
}
