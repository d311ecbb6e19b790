package paper

import (
	"context"
	"fmt"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/nbbnn"
)

// Run is one training run of a figure: a method with a seed.
type Run struct {
	Method string
	Seed   uint64
	*nbbnn.Run
}

// Name tells the run from the others of the figure, such as "M32 seed 2".
func (r Run) Name() string { return fmt.Sprintf("%s seed %d", r.Method, r.Seed) }

// Open opens the runs of the figure, all methods of the first seed first, and creates the directories that aren't there.
// Nothing is trained.
func (f Figure) Open(scale Scale, options Options) ([]Run, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return nil, err
	}
	var runs []Run
	for _, seed := range setup.Seeds {
		for _, method := range f.Methods {
			run, err := nbbnn.Open(options.withDefaults().Runs, setup.config(method, seed))
			if err != nil {
				return nil, err
			}
			runs = append(runs, Run{method.Name, seed, run})
		}
	}
	return runs, nil
}

// Train trains what is missing of the figure's runs. The result holds the history of every run, but no cells yet.
// When the context ends, the run at work is saved and the error wraps nbbnn.ErrStopped: the same call goes on from there. Runs that
// weren't begun then lose their directories.
func (f Figure) Train(ctx context.Context, scale Scale, options Options) (*Result, error) {
	runs, err := f.Open(scale, options)
	if err != nil {
		return nil, err
	}
	report, end := options.progress()
	meter := newMeter(report, len(runs))
	for i, run := range runs {
		if run.Complete() {
			continue
		}
		if err := run.Train(ctx, meter.ofRun(run, i+1)); err != nil {
			removeUntrained(runs[i+1:])
			return nil, fmt.Errorf("%w (%s)", err, run.Name())
		}
	}
	end()
	return f.collect(scale, runs)
}

// removeUntrained removes the directories, which Open has made, of runs that weren't begun.
func removeUntrained(runs []Run) {
	for _, run := range runs {
		run.RemoveUntrained()
	}
}

// Evaluate computes what is missing of the cells, corruption by severity, of the figure's runs, which must be trained, or of their
// implicit corruptions if the figure is about those. As Train does, it leaves no directories of runs that weren't begun.
func (f Figure) Evaluate(ctx context.Context, scale Scale, options Options) (*Result, error) {
	runs, err := f.Open(scale, options)
	if err != nil {
		return nil, err
	}
	if err := trained(runs); err != nil {
		removeUntrained(runs)
		return nil, err
	}
	result, err := f.collect(scale, runs)
	if err != nil {
		return nil, err
	}
	report, end := options.progress()
	meter := newMeter(report, len(runs))
	for i, run := range runs {
		if err := result.Runs[i].evaluate(ctx, result.Setup, meter.ofRun(run, i+1)); err != nil {
			return nil, fmt.Errorf("%w (%s)", err, run.Name())
		}
	}
	end()
	return result, nil
}

// trained returns an error that names the runs that aren't trained to the end.
func trained(runs []Run) error {
	var missing []string
	for _, run := range runs {
		if !run.Complete() {
			missing = append(missing, run.Name())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	cure := "run the training again"
	if gonbui.IsNotebook {
		cure = "run the cell above"
	}
	return fmt.Errorf("paper: %s: %s to go on; %d of %d runs aren't trained to the end (%s)",
		whereStopped(runs), cure, len(missing), len(runs), strings.Join(missing, ", "))
}

// whereStopped says how far the first run is that isn't trained to the end.
func whereStopped(runs []Run) string {
	for _, run := range runs {
		if run.Complete() {
			continue
		}
		if history, err := run.History(); err == nil && len(history) > 0 {
			return fmt.Sprintf("training stopped at epoch %d of %d of %s", len(history)-1, run.Config().Training.Epochs, run.Name())
		}
		return "training hasn't begun with " + run.Name()
	}
	return ""
}
