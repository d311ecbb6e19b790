package paper

import (
	"bytes"
	_ "embed"
	"html/template"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
)

// reproductionFile is the report on all results, of at most twelve printed pages, in the form that
// reproducibility tracks ask for.
const reproductionFile = "report.html"

//go:embed gallery_report.html
var reproductionText string

// reproduction returns the text of reproductionFile.
func (g gallery) reproduction() ([]byte, error) {
	var filled bytes.Buffer
	page, err := template.New(reproductionFile).Parse(reproductionText)
	if err == nil {
		err = page.Execute(&filled, g)
	}
	return filled.Bytes(), err
}

// Answered lists the results whose primary claim has one of the outcomes.
func (g gallery) Answered(outcomes ...Outcome) (answered []committed) {
	for _, c := range g.Results {
		if slices.Contains(outcomes, c.Primary().Outcome) {
			answered = append(answered, c)
		}
	}
	return answered
}

// Of lists those that Answered does whose primary claim is of the source.
func (g gallery) Of(source Source, outcomes ...Outcome) []committed {
	return slices.DeleteFunc(g.Answered(outcomes...), func(c committed) bool {
		return c.Primary().Source != source
	})
}

// Cost is the cost of all results, each run once, as committed.Cost words it.
func (g gallery) Cost() string {
	var all committed
	for _, c := range g.Results {
		for _, card := range c.cards {
			if !slices.ContainsFunc(all.cards, func(other nbbnn.Card) bool {
				return other.StateSHA256 == card.StateSHA256
			}) {
				all.cards = append(all.cards, card)
			}
		}
	}
	return all.Cost()
}
