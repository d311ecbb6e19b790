package paper

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// reproductionFile is the report on all results, of at most twelve printed pages, in the form that
// reproducibility tracks ask for.
const reproductionFile = "report.html"

//go:embed gallery_report.html
var reproductionText string

// reproduction returns the text of reproductionFile.
func (g gallery) reproduction() ([]byte, error) {
	var filled bytes.Buffer
	page := template.Must(template.New(reproductionFile).Parse(galleryText)) // for its sentences
	err := template.Must(page.Parse(reproductionText)).Execute(&filled, g)
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

// Only leaves the results whose primary claim is of a kind: "paper", "ours" or "exploratory".
func (gallery) Only(kind string, of []committed) []committed {
	return slices.DeleteFunc(slices.Clone(of), func(c committed) bool {
		primary := c.Primary()
		return primary.Source != kind && (kind != "exploratory" || !primary.Exploratory)
	})
}

// furtherSeeds asks the records of seeds beyond Figure 6's, in a folder of results, what γ changes
// once each network has one temperature; it has no effect without such records.
func furtherSeeds(folder string) (asked worded, err error) {
	runs, err := openRecords(filepath.Join(folder, "beyond", "temperature", cardsFolder))
	if err != nil || len(runs) == 0 {
		return asked, err
	}
	compared, err := nbbnn.Compare(runs, tasks()[0].Evaluation, "")
	if err != nil {
		return asked, err
	}
	plain, entropy := compared.Methods[0], compared.Methods[1] // as the records' names are ordered
	gamma := func(m score.Method) float64 { return m.Settings.(nbbnn.Config).Objective.Gamma }
	minus := func(name, metric string, first, last int) []Effect {
		return []Effect{newEffect(name, metricOf(metric).DifferenceUnit(), belowZero, differences(
			means(entropy, metric, first, last), means(plain, metric, first, last)))}
	}
	asked.Effects = minus(fmt.Sprintf("γ = %g - γ = %g", gamma(entropy), gamma(plain)), ScaledNLL,
		4, 5)
	asked.Beside = append(minus("clean NLL", ScaledNLL, 0, 0), minus("error", Error, 4, 5)...)
	return asked, nil
}

// Against returns the verdict on one rival of several.
func (v worded) Against(rival string) worded {
	v.Effects = slices.DeleteFunc(slices.Clone(v.Effects), func(e Effect) bool {
		return !strings.Contains(e.Name, " - "+rival+",")
	})
	return v
}
