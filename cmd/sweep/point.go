package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Point is a point of a manifest and its run.
type Point struct {
	Index int
	Name  string // its differences from the others, for example "gamma 2, seed 1"
	Run   *nbbnn.Run

	measure Measure
	runs    string // directory of the runs
}

// Measure tests trained runs.
type Measure interface {
	// Done reports whether a trained run with this card is tested.
	Done(run *nbbnn.Run, card nbbnn.Card) bool

	// Do makes the missing tests of a trained run.
	Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error
}

// evaluated tests by an evaluation; nil tests nothing.
type evaluated struct{ evaluation *nbbnn.Evaluation }

func (e evaluated) Done(run *nbbnn.Run, card nbbnn.Card) bool {
	if e.evaluation == nil {
		return true
	}
	if run.OnCard(card, *e.evaluation) == nil {
		return false
	}
	_, err := run.Cells(*e.evaluation)
	// for example after a change of a corruption's Version
	_, lacks := errors.AsType[*nbbnn.UnevaluatedError](err)
	return !lacks
}

func (e evaluated) Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error {
	if e.evaluation == nil {
		return nil
	}
	_, err := run.Evaluate(ctx, *e.evaluation, progress)
	return err
}

// Open opens a point's run in a directory of runs. It writes nothing and loads neither images nor
// an engine. Errors that no repetition cures wrap ErrNever.
func (m *Manifest) Open(runs string, index int) (*Point, error) {
	config, err := m.config(index)
	if err != nil {
		return nil, err
	}
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return nil, JudgeOpen(fmt.Errorf("%w (point %d)", err, index))
	}
	point := &Point{Index: index, Name: m.Name(config), Run: run, measure: m.Measure, runs: runs}
	if point.measure == nil {
		point.measure = evaluated{m.Evaluation}
	}
	return point, nil
}

// Done reports whether the point is trained and tested.
func (p *Point) Done() bool {
	card, err := p.Run.Card()
	return err == nil && p.measure.Done(p.Run, card)
}

// Do makes the missing training and tests of the point. It continues where an earlier call stopped.
// If the context ends, what is done is saved and the error wraps nbbnn.ErrStopped; while another
// process works on the run it wraps nbbnn.ErrLocked; it wraps ErrNever if a repetition ends the
// same way. Status shows the error until the point is done.
func (p *Point) Do(ctx context.Context, options nbbnn.TrainOptions) error {
	err := p.Run.TrainWith(ctx, options)
	if err == nil {
		err = p.measure.Do(ctx, p.Run, options.Progress)
	}
	err = judge(err)
	p.Record(err)
	return err
}

// ErrNever is wrapped by errors that no repetition cures: a wrong index, an edited manifest, a
// configuration that this program can't train, or a loss that isn't finite.
var ErrNever = errors.New("a repetition changes nothing")

// never wraps ErrNever and keeps the error's text.
type never struct{ error }

func (n never) Unwrap() error { return n.error }

// Is reports whether target is ErrNever.
func (n never) Is(target error) bool { return target == ErrNever }

// judge marks an error of a point with ErrNever if the same point ends like this again: a loss that
// isn't finite, or a record in the place of the run.
func judge(err error) error {
	var broken network.NotFiniteError
	var untrained *nbbnn.UntrainedError
	if errors.As(err, &broken) || errors.As(err, &untrained) && untrained.Recorded &&
		untrained.Holder == "" {
		return never{err}
	}
	return err
}

// JudgeOpen marks an error before the work with ErrNever, unless it is the system's. Other causes
// are a configuration or a directory that the program refuses, or a missing data set.
func JudgeOpen(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var number syscall.Errno
	if err == nil || errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &number) {
		return err
	}
	return never{err}
}

// indexVariables are the environment variables in which schedulers put the index of a task, the
// innermost scheduler first: a job of Slurm may start GNU parallel or a worker of HyperQueue. GNU
// parallel counts from 1; the others count as the array was submitted, ours from 0.
var indexVariables = []struct {
	name  string
	first int
}{{"PARALLEL_SEQ", 1}, {"HQ_TASK_ID", 0}, {"JOB_COMPLETION_INDEX", 0}, {"SLURM_ARRAY_TASK_ID", 0}}

// Index returns the index, from 0, that a scheduler has put into the environment, and its variable.
// lookup is usually os.LookupEnv.
func Index(lookup func(string) (string, bool)) (index int, variable string, err error) {
	var names []string
	for _, v := range indexVariables {
		names = append(names, v.name)
		text, found := lookup(v.name)
		if !found || text == "" {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < v.first {
			return 0, v.name, never{fmt.Errorf("sweep: %s is %q, not an index from %d: start the "+
				"array at %[3]d, or give --index", v.name, text, v.first)}
		}
		return number - v.first, v.name, nil
	}
	return 0, "", never{errors.New("sweep: no index is given: add --index, or start this under a " +
		"scheduler that sets " + strings.Join(names, ", "))}
}
