package sweep

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
)

// Point is a point of a manifest and its run.
type Point struct {
	Index int
	Name  string // in what it differs from the others, such as "gamma 2, seed 1"
	Run   *nbbnn.Run

	Measure Measure // the point's test
	runs    string  // directory of the runs
}

// Measure tests trained runs.
type Measure interface {
	// Done reports whether a trained run with this card is tested.
	Done(run *nbbnn.Run, card nbbnn.Card) bool

	// Do tests a trained run as far as it isn't.
	Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error
}

// evaluated tests by an evaluation; nil tests nothing.
type evaluated struct{ evaluation *nbbnn.Evaluation }

func (e evaluated) Done(run *nbbnn.Run, card nbbnn.Card) bool {
	return e.evaluation == nil || run.OnCard(card, *e.evaluation) != nil
}

func (e evaluated) Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error {
	if e.evaluation == nil {
		return nil
	}
	_, err := run.Evaluate(ctx, *e.evaluation, progress)
	return err
}

// Open opens a point's run in a directory of runs. It writes nothing and loads neither images nor
// an engine. Errors that no repetition cures wrap ErrNever. The points of a figure are trained
// only, unless the caller sets their Measure.
func (m *Manifest) Open(runs string, index int) (*Point, error) {
	config, err := m.Config(index)
	if err != nil {
		return nil, err
	}
	return m.open(runs, index, config)
}

// open opens the run of a point, whose configuration is given.
func (m *Manifest) open(runs string, index int, config nbbnn.Config) (*Point, error) {
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return nil, JudgeOpen(fmt.Errorf("%w (point %d)", err, index))
	}
	return &Point{Index: index, Name: m.Name(config), Run: run, Measure: evaluated{m.evaluation}, runs: runs}, nil
}

// Done reports whether the point is trained and tested, by the card alone.
func (p *Point) Done() bool {
	card, err := p.Run.Card()
	return err == nil && p.Measure.Done(p.Run, card)
}

// Do trains and tests the point as far as it isn't. It continues where an earlier call stopped. If
// the context ends, what is done is saved and the error wraps nbbnn.ErrStopped; while another
// process works on the run it wraps nbbnn.ErrLocked; it wraps ErrNever if a repetition ends the
// same way. Status shows the error until the point is done.
func (p *Point) Do(ctx context.Context, options nbbnn.TrainOptions) error {
	err := p.Run.TrainWith(ctx, options)
	if err == nil {
		err = p.Measure.Do(ctx, p.Run, options.Progress)
	}
	err = judge(err)
	p.Record(err)
	return err
}
