package paper

import (
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Networks can differ because they are trained unequally far, or by different engines. This file
// reports both before a claim is decided.

// trainingNLLs returns the training NLL at the end for the methods of a claim that are trained,
// means over the seeds: each one of a few methods, otherwise the least and the largest.
func trainingNLLs(r *Result, claim claim) string {
	const listed = 4
	var texts []string
	least, largest := math.Inf(1), math.Inf(-1)
	for _, method := range claim.Methods {
		var each []float64
		for _, run := range r.of(method) {
			each = append(each, run.trainingNLL())
		}
		mean := score.Summarise(each).Mean
		if math.IsNaN(mean) {
			continue
		}
		least, largest = min(least, mean), max(largest, mean)
		texts = append(texts, fmt.Sprintf("%.2f (%s)", mean, method))
	}
	if len(texts) > listed {
		return fmt.Sprintf("training NLL from %.2f to %.2f", least, largest)
	}
	if len(texts) == 0 {
		return ""
	}
	return "training NLL " + strings.Join(texts, ", ")
}

// unfinished names the networks of a claim that stop while they learn: their training NLL ends
// above half of guessing's and has fallen, in the second half of the epochs, by more than a tenth
// of it. Such a network may be worse only because it learns more slowly (METHOD.md 4.3). It's ""
// without one.
func unfinished(r *Result, claim claim) string {
	guessing := math.Log(float64(r.classes()))
	count, first := 0, ""
	for _, method := range claim.Methods {
		for _, run := range r.of(method) {
			middle, end := run.History[len(run.History)/2].NLL, run.LastEpoch().NLL
			if end <= guessing/2 || middle-end <= guessing/10 {
				continue
			}
			if count++; first == "" {
				first = fmt.Sprintf("the training NLL of %s still falls, from %.2f to %.2f in "+
					"the second half of its epochs",
					run.Name(), middle, end)
			}
		}
	}
	if count > 1 {
		first += fmt.Sprintf(", and so do %d more", count-1)
	}
	return first
}

// mixedEngines names the seed of a claim that pairs networks of different engines; "" if none.
func mixedEngines(r *Result, claim claim) string {
	seeds := engine.Seeds{}
	for _, method := range claim.Methods {
		for _, run := range r.of(method) {
			if pair := seeds.Add(run.Seed, run.Name(), run.engine); pair != "" {
				return pair
			}
		}
	}
	return ""
}
