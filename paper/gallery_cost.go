package paper

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/report"
)

// costSection shows what the methods of a benchmark cost, if that is known.
func costSection(c committed) string {
	if len(c.result.Costs) == 0 {
		return ""
	}
	picture := c.figure.Name() + passesEnding
	return joinParts([]string{
		fmt.Sprintf("![Error and NLL against the forward passes of a prediction](%s/%s)", c.name, picture),
		paragraph("The cost of each method: " + report.CostCaption + "."),
		markdownTable(c.result.Costs),
	})
}

// shortCost is such as "6 runs, 2 h 40 min".
func (c committed) shortCost() string {
	training, testing := c.seconds()
	return fmt.Sprintf("%s, %s", counted(len(c.cards), "run"), span(training+testing))
}

// seconds returns how long the runs were trained and tested.
func (c committed) seconds() (training, testing float64) {
	for _, card := range c.cards {
		training += card.WallSeconds
		for _, evaluation := range card.Evaluations() {
			testing += evaluation.WallSeconds
		}
	}
	return training, testing
}

// cost is such as "6 runs, 2 h 10 min of training and 30 min of testing on AMD EPYC, 2 cores".
func (c committed) cost() string {
	training, testing := c.seconds()
	var machines []string
	for _, card := range c.cards {
		if !slices.Contains(machines, card.Hardware) {
			machines = append(machines, card.Hardware)
		}
	}
	return fmt.Sprintf("%s, %s of training and %s of testing on %s", counted(len(c.cards), "run"), span(training), span(testing), strings.Join(machines, " and "))
}

func span(seconds float64) string {
	return quantity.Span(time.Duration(seconds * float64(time.Second)))
}
