package nbbnn

import (
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Evaluated reports whether the run has all cells of an evaluation. Those of a run that Restore made
// may lack their bins.
func (r *Run) Evaluated(evaluation Evaluation) bool {
	if !exists(r.path("card.json")) {
		return false
	}
	_, err := r.Cells(evaluation)
	return err == nil
}

// OnCard returns what a card of the run says about an evaluation of the test images, nil if
// nothing. Unlike Evaluated and Cells it reads no table of cells.
func (r *Run) OnCard(card Card, evaluation Evaluation) *CardEvaluation {
	filled, err := r.FillEvaluation(evaluation).identified(context.Background())
	if err != nil {
		return nil
	}
	return card.find(filled.public())
}

// Cells returns the run's scores in a complete evaluation. It computes nothing; an incomplete
// evaluation is an *UnevaluatedError. Cells of a run that Restore made may lack their bins.
func (r *Run) Cells(evaluation Evaluation) (score.Cells, error) {
	e, err := r.evaluator(context.Background(), r.FillEvaluation(evaluation))
	if err != nil {
		return nil, err
	}
	cells, missing := e.have()
	if missing > 0 && !r.Complete() {
		if recorded, missing := e.recorded(); missing == 0 {
			return recorded, nil
		}
		return nil, r.untrained()
	}
	if missing > 0 {
		return nil, &UnevaluatedError{r.directory, e.evaluation, missing, missing + len(cells)}
	}
	return cells, nil
}

// CleanTest returns what the run scored on clean test images with the weights at the end, as
// Evaluation.Part CleanPart tests it: of several such tests, the one of the most images, then of
// the most samples. found is false if there is none.
func (r *Run) CleanTest() (cell score.Cell, found bool, err error) {
	owner, err := r.owner()
	if err != nil {
		return score.Cell{}, false, err
	}
	store, err := score.OpenStore(r.directory, owner)
	if err != nil {
		return score.Cell{}, false, r.cured(err)
	}
	label := Evaluation{Part: CleanPart}.label()
	cell, found = store.Largest(label, score.Condition{Corruption: score.Clean})
	return cell, found, nil
}

// EachValue calls visit with every metric of every cell that the run has, of all evaluations, as
// score.EachValue does, and returns the files that have records without a checksum, as Unsealed
// does. It's for tables of many runs, whose cards have been read: card is the run's, or Card{} if
// it has none.
func (r *Run) EachValue(card Card, visit func(evaluation []string, images, metric, value string) error) (unsealed []string, err error) {
	if card.ConfigHash != "" && card.Checksum == "" {
		unsealed = append(unsealed, "card.json")
	}
	tables, err := score.EachValue(r.directory, r.ownerOn(card), visit)
	return append(unsealed, tables...), r.cured(err)
}

// Unsealed lists the files of the run that hold records without a checksum, such as "cells.csv",
// because an earlier version wrote them or because it was removed: damage to those isn't noticed.
// Given names of files, it reads these only.
func (r *Run) Unsealed(names ...string) (unsealed []string) {
	isAsked := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	var card struct {
		Checksum string `json:"sha256"`
	}
	if isAsked("card.json") {
		data, err := os.ReadFile(r.path("card.json"))
		if err == nil && json.Unmarshal(data, &card) == nil && card.Checksum == "" {
			unsealed = append(unsealed, "card.json")
		}
	}
	if isAsked("train.jsonl") {
		if lines, err := r.history().lines(); err == nil && len(lines) > 0 && lines[0].Checksum == "" {
			unsealed = append(unsealed, "train.jsonl")
		}
	}
	return append(unsealed, score.Unsealed(r.directory, names...)...)
}
