package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// lacking says what a claim needs that the result doesn't have; it's empty when the claim can be checked.
func (r *Result) lacking(claim Claim) string {
	first := r.of(claim.Methods[0])
	for _, method := range claim.Methods {
		runs := r.of(method)
		switch {
		case len(runs) == 0:
			return "the figure has no runs of " + method
		case !sameShape(first, runs):
			return fmt.Sprintf("the runs of %s have other seeds or epochs than those of %s", method, claim.Methods[0])
		case claim.Levels && !evaluated(runs):
			return "Figure.Evaluate computes what it is about"
		}
	}
	return ""
}

// sameShape says whether two methods have the same seeds in the same order, and all runs histories of one length.
func sameShape(a, b []RunResult) bool {
	return slices.EqualFunc(a, b, func(x, y RunResult) bool {
		return x.Seed == y.Seed && len(x.History) > 0 && len(x.History) == len(y.History) && len(x.History) == len(a[0].History)
	})
}

func evaluated(runs []RunResult) bool {
	return !slices.ContainsFunc(runs, func(run RunResult) bool { return len(run.Cells)+len(run.Implicit) == 0 })
}

// trained says whether the methods of a claim have learnt enough for it, and how far training got. What counts is the mean
// error over the seeds, and that no seed has died.
func (r *Result) trained(claim Claim) (enough bool, note string) {
	enough = true
	var likelihoods, errors []string
	for _, method := range claim.Methods {
		mean, worst := r.lastErrors(method)
		enough = enough && mean.Error <= claim.TrainingError && worst < knowingNLL
		likelihoods = append(likelihoods, fmt.Sprintf("%.2f", mean.NLL))
		errors = append(errors, percent(mean.Error))
	}
	if enough {
		return true, "training error " + join(errors)
	}
	return false, fmt.Sprintf("training error %s, NLL %s: at most %s and %.2f allow an answer",
		join(errors), join(likelihoods), percent(claim.TrainingError), knowingNLL)
}

// lastErrors returns the means over the seeds of a method's training error and NLL after the last epoch, and the worst NLL.
func (r *Result) lastErrors(method string) (mean nbbnn.Epoch, worst float64) {
	runs := r.of(method)
	for _, run := range runs {
		last := run.LastEpoch()
		mean.NLL += last.NLL / float64(len(runs))
		mean.Error += last.Error / float64(len(runs))
		worst = max(worst, last.NLL)
	}
	return mean, worst
}

// percent is such as "3%" or "3.2%".
func percent(fraction float64) string {
	text := fmt.Sprintf("%.1f", 100*fraction)
	return strings.TrimSuffix(text, ".0") + "%"
}
