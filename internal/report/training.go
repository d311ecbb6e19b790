package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// trainingTerm is a quantity of a training to draw.
type trainingTerm struct {
	quantity string
	first    int // epoch that has it first
	value    func(nbbnn.Epoch) float64
}

// termsOf returns the terms of a training, from left to right. A network without latents has no
// posterior, and chains have no q.
func termsOf(config nbbnn.Config) (terms []trainingTerm) {
	if config.Posterior.Mode != nbbnn.Deterministic && config.Posthoc.Chains == 0 {
		terms = []trainingTerm{
			{"entropy of q(Z) (nats)", 0, func(e nbbnn.Epoch) float64 { return e.Entropy }},
			{"KL from the prior (nats)", 0, func(e nbbnn.Epoch) float64 { return e.KL }},
		}
	}
	return append(terms, trainingTerm{"training NLL (nats)", 1, func(e nbbnn.Epoch) float64 {
		return e.NLL
	}})
}

func Training(run *nbbnn.Run) (*viz.Figure, error) {
	history, err := trainedHistory(run)
	if err != nil {
		return nil, err
	}
	return historyFigure(run.Config(), history)
}

// historyFigure draws the terms of a training, and notes if it isn't finished.
func historyFigure(config nbbnn.Config, history []nbbnn.Epoch) (*viz.Figure, error) {
	terms := termsOf(config)
	figures := make([]*viz.Figure, len(terms))
	for i, term := range terms {
		curve := viz.Series{Name: config.Title(), First: term.first, Seeds: 1}
		for _, epoch := range history[term.first:] {
			curve.Mean = append(curve.Mean, term.value(epoch))
		}
		figure, err := viz.EpochCurves(term.quantity, []viz.Series{curve})
		if err != nil {
			return nil, err
		}
		figures[i] = figure
	}
	row, err := viz.Row(figures...)
	if trained := len(history) - 1; err == nil && trained < config.Training.Epochs {
		row = row.Titled(fmt.Sprintf("%d of %d epochs", trained, config.Training.Epochs))
	}
	return row, err
}

// SaveTraining writes the record of one run into a directory and returns the paths: training.png is
// its picture, or others of the formats that are given, training.csv has the terms of the
// objective at every epoch, and card.json says where the weights came from. A run that isn't
// trained to the end has no card yet.
func SaveTraining(run *nbbnn.Run, directory string, formats ...string) ([]string, error) {
	history, err := trainedHistory(run)
	if err != nil {
		return nil, err
	}
	figure, err := historyFigure(run.Config(), history)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	var paths []string
	save := func(name string, write func(io.Writer) error) error {
		path := filepath.Join(directory, name)
		if err := files.Write(path, write); err != nil {
			return unwritten(directory, err)
		}
		paths = append(paths, path)
		return nil
	}
	if err := save("training.csv", func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(termRows(history, run.Config().Posthoc.Chains > 0))
	}); err != nil { // first, as it tells whose the folder is
		return nil, err
	}
	pictures, err := SaveFormats(figure, filepath.Join(directory, "training"), formats...)
	if err != nil {
		return nil, unwritten(directory, err)
	}
	paths = append(pictures, paths...)
	card, err := run.Card()
	if _, untrained := errors.AsType[*nbbnn.UntrainedError](err); untrained {
		return paths, nil
	} else if err != nil {
		return nil, err
	}
	err = save("card.json", func(w io.Writer) error { return files.WriteJSON(w, card) })
	return paths, err
}

// trainedHistory returns the record of a run; at least one epoch must be complete.
func trainedHistory(run *nbbnn.Run) ([]nbbnn.Epoch, error) {
	history, err := run.History()
	if err != nil || len(history) > 1 {
		return history, err
	}
	if _, err := run.Card(); err != nil { // it isn't trained
		return nil, err
	}
	return nil, fmt.Errorf("report: run %s has no training of its own, as an imported one or "+
		"fixed noise, so none was recorded: choose a run that was trained here", run.Directory())
}

// Columns of training.csv.
var (
	// only training measures them: the state before it has no value
	measured = []string{"log_likelihood", "nll", "error"}
	// chains have no q and no rates
	withoutChains = []string{"entropy", "kl", "learning_rate", "posterior_learning_rate"}
)

// termRows returns the table of training.csv: the fields of nbbnn.Epoch by their names in JSON.
func termRows(history []nbbnn.Epoch, hasChains bool) [][]string {
	fields := reflect.VisibleFields(reflect.TypeFor[nbbnn.Epoch]())
	rows := make([][]string, 1+len(history))
	for _, field := range fields {
		name := field.Tag.Get("json")
		if hasChains && slices.Contains(withoutChains, name) {
			continue
		}
		rows[0] = append(rows[0], name)
		for i, epoch := range history {
			text := strconv.Itoa(epoch.Epoch)
			if value := reflect.ValueOf(epoch).FieldByIndex(field.Index); value.CanFloat() {
				text = decimal(value.Float())
			}
			if epoch.Epoch == 0 && (slices.Contains(measured, name) ||
				hasChains && name == "cross_entropy") {
				text = ""
			}
			rows[1+i] = append(rows[1+i], text)
		}
	}
	return rows
}

// decimal writes a number for a CSV file.
func decimal(value float64) string { return strconv.FormatFloat(value, 'f', 6, 64) }
