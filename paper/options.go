package paper

import (
	"cmp"

	"github.com/nbbnn/workbench/nbbnn"
)

// Options say where things are and who takes the progress. The zero value is a sensible choice.
type Options struct {
	Runs     string         // directory of the run directories; "" means runs
	Out      string         // directory of the pictures and tables; "" means out
	Progress nbbnn.Progress // takes the updates of trainings and evaluations; nil reports nothing
}

func (o Options) withDefaults() Options {
	o.Runs, o.Out = cmp.Or(o.Runs, "runs"), cmp.Or(o.Out, "out")
	return o
}
