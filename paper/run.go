package paper

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// Run is one training run of a figure: a method with a seed.
type Run struct {
	Method string
	Seed   uint64
	*nbbnn.Run

	Row string // of the method
}

// Name identifies the run in the figure: "M32 seed 2" or "MAP on CIFAR-10 seed 2".
func (r Run) Name() string { return fmt.Sprintf("%s seed %d", r.title(), r.Seed) }

func (r Run) title() string { return Method{Name: r.Method, Row: r.Row}.title() }

// Options hold the directories of a figure and the receiver of its progress. The zero value works.
type Options struct {
	Runs     string         // directory of the runs, or of records; "" means runs
	Out      string         // directory of the pictures and tables; "" means out
	Progress nbbnn.Progress // takes the updates of trainings and evaluations; nil reports nothing
	Flags    []string       // of the command that change the scale's set-up, which a report repeats
	// Make writes the records of the runs, too, in cards/: a result for Gallery. It refuses the
	// directory of another figure or scale, and removes files of an earlier result that this one
	// lacks.
	Cards bool
	// Make draws the methods and seeds whose runs are complete together, and computes nothing;
	// Result.LeftOut names the other runs
	NoTrain bool
}

func (o Options) withDefaults() Options {
	o.Runs, o.Out = cmp.Or(o.Runs, "runs"), cmp.Or(o.Out, "out")
	return o
}

// Open opens the runs of the figure, all methods of the first seed first. Nothing is trained or
// written.
func (f Figure) Open(scale Scale, options Options) ([]Run, error) {
	_, runs, err := f.open(scale, options)
	return runs, err
}

// open returns the set-up and its runs.
func (f Figure) open(scale Scale, options Options) (Setup, []Run, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return setup, nil, err
	}
	runs, err := setup.open(options.withDefaults().Runs)
	return setup, runs, err
}

// open opens the runs of the set-up in a directory.
func (s Setup) open(directory string) (runs []Run, err error) {
	for _, seed := range s.Seeds {
		for _, method := range s.Methods {
			run, err := nbbnn.Open(directory, s.config(method, seed))
			if err != nil {
				return nil, err
			}
			runs = append(runs, Run{method.Name, seed, run, method.Row})
		}
	}
	return runs, nil
}

// Train trains the figure's untrained runs. A record that has all results of the figure needs no
// training. The result holds the history of every run. If the context ends, the current run is
// saved and the error wraps nbbnn.ErrStopped: the same call continues from there.
func (f Figure) Train(ctx context.Context, scale Scale, options Options) (*Result, error) {
	setup, runs, err := f.open(scale, options)
	if err != nil {
		return nil, err
	}
	states, err := f.states(setup, runs)
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		if states[i].usable() {
			continue
		}
		if run.Recorded() {
			return nil, fmt.Errorf("paper: %s: train it in another directory of runs",
				states[i].left())
		}
		if err := run.Train(ctx, options.Progress.Of(run.Name(), i+1, len(runs))); err != nil {
			return nil, fmt.Errorf("%w (%s)", err, run.Name())
		}
	}
	return newResult(f, scale, setup, runs)
}

// Evaluate makes the missing measurements of the figure's trained runs: their cells, by corruption
// and severity, or what else the figure shows of them.
func (f Figure) Evaluate(ctx context.Context, scale Scale, options Options) (*Result, error) {
	setup, runs, err := f.open(scale, options)
	if err != nil {
		return nil, err
	}
	states, err := f.states(setup, runs)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, state := range states {
		if !state.usable() {
			missing = append(missing, state.left())
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("paper: %d of %d runs aren't trained to the end (%s): run the "+
			"training again to continue",
			len(missing), len(runs), quantity.List(missing, 3))
	}
	result, err := newResult(f, scale, setup, runs)
	if err != nil {
		return nil, err
	}
	for _, flag := range options.Flags {
		if !strings.HasPrefix(flag, "--seeds") { // Report names the seeds that exist
			result.flags += " " + flag
		}
	}
	for i, run := range runs {
		if err := f.collect.measure(ctx, result, i, options.Progress.Of(run.Name(), i+1,
			len(runs))); err != nil {
			return nil, fmt.Errorf("%w (%s)", err, run.Name())
		}
	}
	result.evaluated = true
	return result, nil
}

// Make trains and measures a figure's missing runs, saves it in options.Out, and returns the result
// and the paths of the files. At the scales with long runs each seed is finished before the next
// begins, so that a figure that was stopped early has complete seeds. If the context ends, the
// current run is saved and the error wraps nbbnn.ErrStopped: the same call continues from there.
func Make(ctx context.Context, figure Figure, scale Scale, options Options) (result *Result,
	paths []string, err error) {
	save, of := (*Result).Save, complete
	if options.Cards {
		save = export
	}
	if options.NoTrain {
		of = collected
	}
	if result, err = of(ctx, figure, scale, options); err == nil {
		paths, err = save(result, options.withDefaults().Out)
	}
	return result, paths, err
}

// complete trains and measures the missing runs.
func complete(ctx context.Context, f Figure, scale Scale, options Options) (*Result, error) {
	out := options.withDefaults().Out
	if options.Cards {
		if err := checkExport(f, scale, out); err != nil {
			return nil, err
		}
	}
	if err := files.CheckWritable(out); err != nil {
		return nil, unwritten(out, err)
	}
	setup, err := f.setup(scale)
	if err != nil {
		return nil, err
	}
	parts := []Setup{setup}
	if scale == Desk || scale == Paper {
		parts = setup.batches()
	}
	for _, part := range parts {
		batch := f.Adjust(func(s *Setup) { s.Methods, s.Seeds = part.Methods, part.Seeds })
		if _, err := batch.Train(ctx, scale, options); err != nil {
			return nil, err
		}
		if _, err := batch.Evaluate(ctx, scale, options); err != nil {
			return nil, err
		}
	}
	return f.Evaluate(ctx, scale, options)
}
