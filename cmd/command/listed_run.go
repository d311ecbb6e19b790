package command

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
)

// listed is a line of `nbbnn runs`.
type listed struct {
	Run   string `json:"run"`            // the name of its directory
	Name  string `json:"name,omitempty"` // that a person gave it
	State string `json:"state"`          // nbbnn.State.String: "stopped, at epoch 7 of 40"
	Epoch int    `json:"epoch"`          // trained so far
	Suite string `json:"suite,omitempty"`
	// on the clean test images, 0 to 1; nil before an evaluation
	TestError *float64  `json:"test_error,omitempty"`
	Images    int       `json:"test_images,omitempty"` // of that error
	Changed   time.Time `json:"changed"`
	// fields that differ between runs, without a column; the rarest values first
	Differs []string     `json:"differs,omitempty"`
	Config  nbbnn.Config `json:"config"`

	run    *nbbnn.Run
	begun  bool
	method string // as in tables, for a tidy one
	// what Run.EachValue needs of it, and its engine; Card{} before the end of the training
	card nbbnn.Card
}

// readOpened reads runs that are open.
func readOpened(a *app, runs []*nbbnn.Run) []listed {
	return readList(a, runs, func(run *nbbnn.Run) (*nbbnn.Run, error) { return run, nil })
}

// readList opens and reads runs, for example from directories. On standard error it reports each
// that can't be read.
func readList[T any](a *app, runs []T, open func(T) (*nbbnn.Run, error)) []listed {
	list := []listed{}
	type read struct {
		entry listed
		err   error
	}
	_ = parallel.InOrder(len(runs), func(i int) (r read) {
		run, err := open(runs[i])
		if r.err = err; err == nil {
			r.entry, r.err = readListed(run)
		}
		return r
	}, func(_ int, r read) error {
		if r.err == nil {
			list = append(list, r.entry)
		} else {
			a.note("%s", describe(r.err))
		}
		return nil
	})
	return list
}

// readListed reads one run, but not its weights.
func readListed(run *nbbnn.Run) (listed, error) {
	directory := run.Directory()
	entry := listed{run: run, Run: filepath.Base(directory), Config: run.Config(),
		Changed: changed(directory)}
	label, err := readLabel(directory)
	if err != nil {
		return listed{}, err
	}
	entry.Name = label.Name
	return entry, entry.readState(run)
}

// readState fills in how far a run is.
func (l *listed) readState(run *nbbnn.Run) error {
	state, err := run.State()
	l.State, l.Epoch, l.begun = state.String(), state.Epoch, state.Begun
	if err != nil || state.Card == nil {
		return err
	}
	return l.readCard(run, *state.Card)
}

// readCard fills in the score of a trained run in the test on the most images, of several such tests
// in the one with the most samples.
func (l *listed) readCard(run *nbbnn.Run, card nbbnn.Card) error {
	l.card = nbbnn.Card{ConfigHash: card.ConfigHash, StateSHA256: card.StateSHA256,
		Engine: card.Engine}
	l.Suite = card.Suite
	samples := 0
	for _, e := range card.Evaluations() {
		images := cmp.Or(e.Images, card.Data.Test)
		if e.IsPlain() && (images > l.Images || images == l.Images && e.Samples > samples) {
			l.TestError, l.Images, samples = &e.Levels.Error[0], images, e.Samples
		}
	}
	// as most are, and reading the cells takes longer
	if l.Images == card.Data.Test && samples >= card.QuickTest().Samples {
		return nil
	}
	test, found, err := run.CleanTest(0)
	if err != nil && l.TestError != nil {
		return nil // reading the cells reports damage to them
	}
	if found && (test.Images > l.Images || test.Images == l.Images && test.Samples > samples) {
		l.TestError, l.Images = &test.Error, test.Images
	}
	return err
}

// changed returns the time when a training or an evaluation last wrote to a run.
func changed(directory string) (latest time.Time) {
	for _, name := range []string{"config.json", "train.jsonl", "card.json", "cells.csv"} {
		if info, err := files.Stat(records.Path(directory, name)); err == nil &&
			info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}
