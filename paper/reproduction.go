package paper

import (
	"bytes"
	_ "embed"
	"html/template"
	"slices"
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
