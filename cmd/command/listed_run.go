package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/nbbnn"
)

// listed is a line of `nbbnn runs`.
type listed struct {
	Run   string   `json:"run"`            // the name of its directory
	Name  string   `json:"name,omitempty"` // that a person gave it
	Tags  []string `json:"tags,omitempty"`
	State string   `json:"state"` // "at epoch 7 of 40" or "being trained, at epoch 7 of 40"
	Epoch int      `json:"epoch"` // trained so far
	Suite string   `json:"suite,omitempty"`
	// on the clean test images, 0 to 1; nil before an evaluation
	TestError *float64  `json:"test_error,omitempty"`
	Images    int       `json:"test_images,omitempty"` // of that error
	Changed   time.Time `json:"changed"`
	// fields that differ between runs, except those with a column; what fewest share comes first
	Differs []string     `json:"differs,omitempty"`
	Config  nbbnn.Config `json:"config"`

	run    *nbbnn.Run
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
			fmt.Fprintln(a.err, "note     "+describe(r.err))
		}
		return nil
	})
	return list
}

const (
	notBegun     = "not begun"     // the state of a run without any training
	beingTrained = "being trained" // begins the state of a run at which a process works
)

// readListed reads one run, but not its weights.
func readListed(run *nbbnn.Run) (listed, error) {
	directory := run.Directory()
	entry := listed{run: run, Run: filepath.Base(directory), Config: run.Config(),
		Changed: changed(directory)}
	label, err := readLabel(directory)
	if err != nil {
		return listed{}, err
	}
	entry.Name, entry.Tags = label.Name, label.Tags
	return entry, entry.readState(run)
}

// readState fills in how far a run is. It doesn't read the history of a complete one.
func (l *listed) readState(run *nbbnn.Run) error {
	held := run.Held() // check the lock first: once released, all files are final
	card, complete, err := run.CompleteCard()
	if err != nil {
		return err
	}
	if complete {
		return l.readCard(run, card)
	}
	if card, err := run.Card(); err == nil && !held {
		err = l.readCard(run, card)
		l.State += ", without weights" // as a record
		return err
	}
	history, err := run.History()
	if err != nil {
		return err
	}
	l.Epoch = max(0, len(history)-1)
	switch {
	case held:
		l.State = fmt.Sprintf(beingTrained+", at epoch %d of %d", l.Epoch, l.Config.Training.Epochs)
	case len(history) > 0:
		l.State = fmt.Sprintf("at epoch %d of %d", l.Epoch, l.Config.Training.Epochs)
	default:
		l.State = notBegun
	}
	return nil
}

// readCard fills in the state of a complete run and its score in the test on the most images.
func (l *listed) readCard(run *nbbnn.Run, card nbbnn.Card) error {
	l.card = nbbnn.Card{ConfigHash: card.ConfigHash, StateSHA256: card.StateSHA256,
		Engine: card.Engine}
	l.State, l.Epoch = "trained", l.Config.Training.Epochs
	if card.Evaluation != nil {
		l.State, l.Suite = "evaluated on "+card.Suite, card.Suite
	}
	for _, e := range card.Evaluations() {
		if images := cmp.Or(e.Images, card.Data.Test); images > l.Images && e.IsPlain() {
			l.TestError, l.Images = &e.Levels.Error[0], images
		}
	}
	if l.Images == card.Data.Test { // as most are, and reading the cells takes longer
		return nil
	}
	test, found, err := run.CleanTest()
	if err != nil && l.TestError != nil {
		return nil // damage to the cells is told where they are read
	}
	if found && test.Images > l.Images {
		l.TestError, l.Images = &test.Error, test.Images
	}
	return err
}

// changed returns the time when a training or an evaluation last wrote to a run.
func changed(directory string) (latest time.Time) {
	for _, name := range []string{"config.json", "train.jsonl", "card.json", "cells.csv"} {
		if info, err := os.Stat(nbbnn.FilePath(directory, name)); err == nil &&
			info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}
