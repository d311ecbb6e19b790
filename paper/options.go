package paper

import "cmp"

// Options say where things are and who hears of progress. The zero value is a sensible choice.
type Options struct {
	Runs     string       // directory of the run directories; "" means runs
	Out      string       // directory of the pictures and tables; "" means out
	Progress func(Update) // called from time to time while something runs; nil: in a notebook a line under the cell, else nothing
}

func (o Options) withDefaults() Options {
	o.Runs, o.Out = cmp.Or(o.Runs, "runs"), cmp.Or(o.Out, "out")
	return o
}

// progress returns what hears of progress, and what is called when all of the work is done.
func (o Options) progress() (report func(Update), end func()) {
	if o.Progress != nil {
		return o.Progress, func() {}
	}
	return notebookProgress()
}
