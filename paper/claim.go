package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
)

// Claim is a statement about a figure that its runs can support or contradict.
type Claim struct {
	Text    string
	Source  Source
	Methods []string // compared by the claim; none means all of the figure
	Rivals  []string // compared with Methods; without one of them the claim isn't the source's any more
	Levels  bool     // the claim is about test images, so the runs have to be evaluated
	Row     string   // of panels that the claim is about; "" means all of the figure

	// Needs says what some methods lack beyond that, such as a temperature of their evaluations; ""
	// if nothing. nil needs nothing.
	Needs func(r *Result, methods []string) string

	// Note adds to a decided claim's detail what some methods were compared at; nil adds nothing.
	Note func(r *Result, methods []string) string

	// Effects returns the differences that decide the claim: it says that each of them lies on its
	// claimed side of zero. It is only called if the methods have the same seeds and epochs and,
	// with Levels, are evaluated.
	Effects func(*Result) []Effect
}

// among returns the claim about those methods of a figure that it's about, and whether it can be
// asked of them. A claim of the paper that lacks a rival says so, and is ours.
func (c Claim) among(known []string) (Claim, bool) {
	unknown := func(name string) bool { return !slices.Contains(known, name) }
	if len(c.Methods) == 0 {
		c.Methods = known
	}
	if len(known) == 0 || slices.ContainsFunc(c.Methods, unknown) {
		return c, false
	}
	if len(c.Rivals) == 0 {
		return c, true
	}
	var missing []string
	c.Methods = slices.Clone(c.Methods)
	for _, rival := range c.Rivals {
		if unknown(rival) {
			missing = append(missing, rival)
		} else {
			c.Methods = append(c.Methods, rival)
		}
	}
	if len(missing) > 0 {
		c.Text, c.Source = c.Text+" (without "+join(missing)+")", Ours
	}
	return c, len(missing) < len(c.Rivals)
}

// about is the beginning of the claim's text, such as "CIFAR-10: ", for a result of one of several
// rows.
func (c Claim) about(r *Result) string {
	if !slices.Contains(r.rows(), c.Row) {
		return ""
	}
	return c.heading()
}

// heading is the row of the claim as the beginning of its text; "" if it's about all of the figure.
func (c Claim) heading() string {
	if c.Row == "" {
		return ""
	}
	return c.Row + ": "
}

// Source says who makes a claim.
type Source string

// The sources.
const (
	FromPaper Source = "paper" // made in the paper's text or visible in its figure
	Ours      Source = "ours"  // a control, or a statement that the paper doesn't make
)

// Check is a statement about a figure's numbers that must be true whatever the networks have
// learnt, such as a property of an exact minimiser. It tests the code, not the paper.
type Check struct {
	Text string
	Test func(*Result) (passed, total int)
}

// CheckResult is how often a check passed.
type CheckResult struct {
	Check  string `json:"check"`
	Passed int    `json:"passed"`
	Total  int    `json:"total"`
}

// String is such as "check    norm falls as lambda grows: 16 of 16".
func (c CheckResult) String() string {
	return fmt.Sprintf("check    %s: %d of %d", c.Check, c.Passed, c.Total)
}

// fittedError is the training error up to which a network fits its training set as the paper's do.
// Noise costs networks that don't fit more than those that do, so claims may turn round (METHOD.md
// 4.2): a verdict above this error says so.
const fittedError = 0.10

// lacking says what a claim needs and the result doesn't have; "" if the claim can be decided.
func lacking(r *Result, claim Claim) string {
	first := r.of(claim.Methods[0])
	for _, method := range claim.Methods {
		runs := r.of(method)
		switch {
		case len(runs) == 0:
			return "the figure has no runs of " + method
		case !claim.Levels && !sameShape(first, runs):
			return fmt.Sprintf("the runs of %s have other seeds or epochs than those of %s", method, claim.Methods[0])
		case !sameSeeds(first, runs):
			return fmt.Sprintf("the runs of %s have other seeds than those of %s", method, claim.Methods[0])
		case claim.Levels && !evaluated(runs):
			return "Figure.Evaluate computes its numbers"
		}
	}
	if claim.Needs != nil {
		return claim.Needs(r, claim.Methods)
	}
	return ""
}

// sameSeeds reports whether two methods have the same seeds in the same order, and all of their
// runs a history.
func sameSeeds(a, b []RunResult) bool {
	return slices.EqualFunc(a, b, func(x, y RunResult) bool { return x.Seed == y.Seed && len(x.History) > 0 && len(y.History) > 0 })
}

// sameShape reports whether two methods have the same seeds in the same order, and all of their
// runs histories of one length.
func sameShape(a, b []RunResult) bool {
	return slices.EqualFunc(a, b, func(x, y RunResult) bool {
		return x.Seed == y.Seed && len(x.History) > 0 && len(x.History) == len(y.History) && len(x.History) == len(a[0].History)
	})
}

// learnt reports whether the networks of a claim have learnt anything, and how far they fit their
// training set. A network has learnt if its training NLL is below half of guessing's. Training
// error alone isn't enough: a collapsed network has equal logits, and its error depends on
// tie-breaking.
func learnt(r *Result, claim Claim) (learnt bool, note string) {
	learnt = true
	var likelihoods, errors []float64
	limit, largest := math.Log(float64(r.classes()))/2, 0.0
	for _, method := range claim.Methods {
		mean, worst := lastErrors(r, method)
		learnt = learnt && worst < limit
		largest = max(largest, mean.Error)
		likelihoods, errors = append(likelihoods, mean.NLL), append(errors, mean.Error)
	}
	note = "training error " + listed(errors, percent)
	switch {
	case !learnt:
		note += fmt.Sprintf(", NLL %s: guessing has %.2f", listed(likelihoods, twoDecimals), 2*limit)
	case largest > fittedError:
		note += fmt.Sprintf(", the paper's networks fit to %s", percent(fittedError))
	}
	return learnt, note
}

// lastErrors returns the means over the seeds of a method's training error and NLL after the last
// epoch, and the worst NLL.
func lastErrors(r *Result, method string) (mean nbbnn.Epoch, worst float64) {
	runs := r.of(method)
	for _, run := range runs {
		last := run.LastEpoch()
		mean.NLL += last.NLL / float64(len(runs))
		mean.Error += last.Error / float64(len(runs))
		worst = max(worst, last.NLL)
	}
	return mean, worst
}

// listed writes up to three numbers, or the range of more.
func listed(values []float64, text func(float64) string) string {
	if len(values) > 3 {
		return text(slices.Min(values)) + " to " + text(slices.Max(values))
	}
	var texts []string
	for _, value := range values {
		texts = append(texts, text(value))
	}
	return join(texts)
}

func twoDecimals(value float64) string { return fmt.Sprintf("%.2f", value) }
