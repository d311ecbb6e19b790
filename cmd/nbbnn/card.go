package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// reportCard prints a run's card: as JSON, or the lines that people ask for first. label says what became of the file.
func (a *app) reportCard(run *nbbnn.Run, label string) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(card)
	}
	a.printCard(run, card, label)
	return nil
}

// printCard prints the lines of a run's card that people ask for first.
func (a *app) printCard(run *nbbnn.Run, card nbbnn.Card, label string) {
	if last := card.Training; last != nil {
		fmt.Fprintf(a.out, "trained  %s in %s   NLL %.3f   error %.1f%%   entropy %.1f nats   (on the training set)\n",
			quantity.Count(last.Epoch, "epoch"), quantity.Span(time.Duration(card.WallSeconds*float64(time.Second))), last.NLL, 100*last.Error, last.Entropy)
	}
	for _, note := range card.Notes {
		fmt.Fprintln(a.out, "note     "+note)
	}
	fmt.Fprintln(a.out, "weights  sha256 "+card.WeightsSHA256)
	fmt.Fprintf(a.out, "%-8s %s\n", label, filepath.Join(run.Directory(), "card.json"))
}
