package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
)

// subject is a run to be evaluated, or an ensemble of several whose probabilities are averaged.
type subject struct {
	members   []*Run // in the order of their hashes
	directory string // of the cells
	owner     string // to which their checksums are bound; "" for a run without a card
	name      string // for the progress

	lock func() (unlock func(), err error) // makes the directory if needed
}

// run returns the only run; nil for an ensemble.
func (s subject) run() *Run {
	if len(s.members) == 1 {
		return s.members[0]
	}
	return nil
}

// evaluator fills an evaluation in and opens the cells' store.
func (s subject) evaluator(ctx context.Context, evaluation Evaluation) (*evaluator, error) {
	e, err := s.plainEvaluator(ctx, evaluation)
	if err == nil {
		e.store, err = cellstore.Open(records.Place(s.directory), s.owner)
	}
	return e, err
}

// check checks an evaluation for each member.
func (s subject) check(evaluation Evaluation) error {
	for _, member := range s.members {
		if err := member.CheckEvaluation(evaluation); err != nil {
			return err
		}
	}
	return s.samePart(evaluation.Part)
}

// fill fills an evaluation, asked for with the samples of each member, as each member does, so that
// what is the same for all has one name. It counts the samples of all together: the same number of
// each, so that each has the same weight in the average.
func (s subject) fill(evaluation Evaluation) (Evaluation, error) {
	filled := s.members[0].FillEvaluation(evaluation)
	for _, member := range s.members {
		own := member.FillEvaluation(evaluation)
		if own.Samples != filled.Samples {
			return filled, fmt.Errorf("nbbnn: run %s takes %s and run %s %d: average runs that "+
				"take the same number",
				member.directory, quantity.Count(own.Samples, "sample"), s.members[0].directory,
				filled.Samples)
		}
		filled.Epoch, filled.Latents = max(filled.Epoch, own.Epoch),
			cmp.Or(filled.Latents, own.Latents)
		filled.LatentScale = cmp.Or(filled.LatentScale, own.LatentScale)
	}
	filled.Samples *= len(s.members)
	return filled, nil
}

// untrained returns the error of a member without weights of the last epoch.
func (s subject) untrained() error {
	for _, member := range s.members {
		if !member.Complete() {
			return member.untrained()
		}
	}
	return nil
}

// samePart checks that a part of the training images is the same images, with the same labels, for
// all members.
func (s subject) samePart(part Part) error {
	if part.isTest() {
		return nil
	}
	first := s.members[0]
	for _, member := range s.members[1:] {
		have, want := member.config.Data, first.config.Data
		if have.Train != want.Train || have.Validation != want.Validation ||
			have.LabelNoise != want.LabelNoise || have.NoiseForm != want.NoiseForm {
			return fmt.Errorf("nbbnn: part %q of run %s is other images or labels than of run "+
				"%s: choose runs with equal train, validation, label_noise and noise_form",
				part, member.directory, first.directory)
		}
	}
	return nil
}

// Ensemble is several runs whose predicted probabilities are averaged (METHOD.md section 5). It has
// a directory of its own, named by its members and their weights, in which its cells are kept:
//
//	ensemble.json        the hashes of the members' configurations and weights
//	cells.csv, bins.csv  what Evaluate measured
type Ensemble struct {
	parent string // of its directory
	subject
	tested
}

// OpenEnsemble returns the ensemble of at least two different runs that are tested on the same
// images, in a directory below the given one. The order of the runs doesn't matter. It writes
// nothing: Evaluate makes the directory.
func OpenEnsemble(directory string, members ...*Run) (*Ensemble, error) {
	members = slices.SortedFunc(slices.Values(members), func(a, b *Run) int {
		return strings.Compare(a.hash(), b.hash())
	})
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	e := &Ensemble{parent: directory, subject: subject{members: members}}
	e.of = func() (subject, error) {
		err := e.settle()
		return e.subject, err
	}
	return e, e.settle()
}

// checkMembers checks that runs in the order of their hashes can be averaged: at least two
// different ones, tested on the same images. It reads no file.
func checkMembers(members []*Run) error {
	if len(members) < 2 {
		return fmt.Errorf("nbbnn: %s makes no ensemble: give two or more",
			quantity.Count(len(members), "run"))
	}
	for i, member := range members[1:] {
		if member.hash() == members[i].hash() {
			return fmt.Errorf("nbbnn: run %s is in the ensemble twice: give different runs",
				member.Directory())
		}
		if have, want := member.config.Data.tested(),
			members[0].config.Data.tested(); have != want {
			return fmt.Errorf("nbbnn: run %s is tested on other images than run %s, with %s: "+
				"choose runs that are tested on the same images",
				member.directory, members[0].directory, differences(Config{Data: have},
					Config{Data: want}))
		}
	}
	return nil
}

// settle names the directory by the members' configurations and weights, so that cells of other
// weights are never read. It refuses members with the same weights.
func (e *Ensemble) settle() error {
	var content records.Ensemble
	known := map[string]*Run{}
	for _, member := range e.members {
		card, err := member.Card()
		if err != nil && exists(member.path("card.json")) {
			return err
		}
		if other := known[card.WeightsSHA256]; card.WeightsSHA256 != "" && other != nil {
			return sameWeights(other, member)
		}
		known[card.WeightsSHA256] = member
		content.Members, content.Weights = append(content.Members, member.hash()),
			append(content.Weights, card.StateSHA256)
	}
	directory := filepath.Join(e.parent, content.Name())
	e.subject = subject{e.members, directory, content.Digest(), content.Name(),
		func() (unlock func(), err error) {
			if err := writeMembers(content, directory); err != nil {
				return nil, err
			}
			return lockDirectory(directory)
		}}
	return nil
}

// writeMembers makes the directory and the file that names the members, or checks an existing file.
func writeMembers(f records.Ensemble, directory string) error {
	path := filepath.Join(directory, "ensemble.json")
	if exists(path) {
		_, err := records.Members(directory)
		return err
	}
	err := files.MakeFolder(directory)
	if err == nil {
		err = files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, f) })
	}
	if err != nil {
		return unwritable(directory, err)
	}
	return nil
}

// Directory returns the path of the ensemble's cells. It changes when Evaluate runs after a member
// was trained.
func (e *Ensemble) Directory() string { return e.directory }
