package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// claim is a statement about a figure that its runs can support or contradict.
type claim struct {
	Text   string
	Source string // fromPaper or ours
	// the one contrast that answers the figure, named before its runs; all others are secondary
	Primary bool
	// the paper's effect in its own setting, of a primary claim; 0 if it isn't public
	Theirs  float64
	Methods []string // compared by the claim; none means all of the figure
	// compared with Methods; without one of them the claim isn't the source's any more
	Rivals []string
	Levels bool   // the claim is about test images, so the runs have to be evaluated
	Row    string // of panels that the claim is about; "" means all of the figure
	Metric string // that every run of Methods has to have; "" if none can lack it

	// Exploratory marks a claim whose numbers were seen before it was made, or that compares the
	// best of several with the best of several: without any effect it holds too often (METHOD.md
	// 4.3).
	Exploratory bool

	// asks the same of other scores and of clean images; nil if nothing else is measured
	family family

	// Effects returns the differences that decide the claim: the claim is that each lies on its
	// claimed side of zero. It is only called if the methods have the same seeds and epochs and,
	// with Levels, are evaluated.
	Effects contrast
}

// paperSays and weAsk return a claim about test images, of the paper and of ours.
func paperSays(text string, effects contrast) claim {
	return claim{Text: text, Source: fromPaper, Levels: true, Effects: effects}
}

func weAsk(text string, effects contrast) claim {
	return claim{Text: text, Source: ours, Levels: true, Effects: effects}
}

// weCompare asks whether a metric of one method is below another's under corruption.
func weCompare(text, metric, method, other string) claim {
	return weAsk(text, lower(metric, underCorruption, method, other)).of(method, other)
}

// asPrimary makes the claim its figure's answer. theirs is the paper's effect, 0 if it isn't
// public.
func (c claim) asPrimary(theirs float64) claim {
	c.Primary, c.Theirs = true, theirs
	return c
}

// beside adds the claim's contrast after one temperature, in other scores, and on clean images.
func (c claim) beside(family family) claim {
	c.family = family
	return c
}

// exploratory marks the claim.
func (c claim) exploratory() claim {
	c.Exploratory = true
	return c
}

// needing makes the claim need a metric of every run that it compares.
func (c claim) needing(metric string) claim {
	c.Metric = metric
	return c
}

// of names the methods that the claim compares.
func (c claim) of(methods ...string) claim {
	c.Methods = methods
	return c
}

// among limits the claim to the figure's known methods and reports whether it can be tested on
// them. A claim of the paper that lacks a rival says so, and is ours.
func (c claim) among(known []string) (claim, bool) {
	isKnown := func(name string) bool { return slices.Contains(known, name) }
	isUnknown := func(name string) bool { return !isKnown(name) }
	if len(c.Methods) == 0 {
		c.Methods = known
	}
	if len(known) == 0 || slices.ContainsFunc(c.Methods, isUnknown) {
		return c, false
	}
	if missing := slices.DeleteFunc(slices.Clone(c.Rivals), isKnown); len(missing) > 0 {
		c.Text, c.Source = c.Text+" (without "+join(missing)+")", ours
	}
	rivals := slices.DeleteFunc(slices.Clone(c.Rivals), isUnknown)
	c.Methods = slices.Concat(c.Methods, rivals)
	return c, len(c.Rivals) == 0 || len(rivals) > 0
}

// about returns the beginning of the claim's text, "CIFAR-10: ", for a result of one of several
// rows.
func (c claim) about(r *Result) string {
	if c.Row == "" || !slices.Contains(r.rows(), c.Row) {
		return ""
	}
	return c.Row + ": "
}

// The sources of claims.
const (
	fromPaper = "paper" // made in the paper's text or visible in its figure
	ours      = "ours"  // a control, or a statement that the paper doesn't make
)

// check is a statement about a figure's numbers that must be true of any networks, for example a
// property of an exact minimiser. It tests the code, not the paper.
type check struct {
	Text string
	Test func(*Result) (passed, total int)
}

// CheckResult counts how often a check passed.
type CheckResult struct {
	Check  string `json:"check"`
	Passed int    `json:"passed"`
	Total  int    `json:"total"`
}

// String returns a line like "check norm falls as lambda grows: 16 of 16".
func (c CheckResult) String() string {
	return fmt.Sprintf("check    %s: %d of %d", c.Check, c.Passed, c.Total)
}

// lacking names what is missing to decide a claim; "" if nothing.
func lacking(r *Result, claim claim) string {
	first := r.of(claim.Methods[0])
	if note := mixedEngines(r, claim); note != "" {
		return note
	}
	for _, method := range claim.Methods {
		runs := r.of(method)
		switch {
		case len(runs) == 0:
			return "the figure has no runs of " + method
		case !paired(first, runs, !claim.Levels):
			return fmt.Sprintf("the runs of %s and %s differ in seeds or epochs", method,
				claim.Methods[0])
		case claim.Levels && !r.evaluated:
			return "Figure.Evaluate computes its numbers"
		}
		for _, run := range runs {
			if run.Exact.unmixed != "" {
				return run.Exact.unmixed
			}
			if claim.Metric != "" && !run.has(claim.Metric) {
				return remedy(r, run, claim.Metric)
			}
		}
	}
	return ""
}

// remedy names a run's missing metric and the command that measures it.
func remedy(r *Result, run RunResult, metric string) string {
	if run.cross != nil {
		return fmt.Sprintf("the cross-test of %s has no %s: `nbbnn figure 3 --scale %s` gives it a"+
			" temperature, and `nbbnn figure 5` adds it", run.Name(), metric, r.Scale)
	}
	text := fmt.Sprintf("%s has no %s: `%s", run.Name(), metric, commandOf(r))
	if metric == ScaledNLL {
		return fmt.Sprintf("%s --images N` with another N of at least %d measures it",
			text, nbbnn.CrossFitImages)
	}
	return text + "` measures it"
}

// commandOf makes the figure at its scale.
func commandOf(r *Result) string {
	return fmt.Sprintf("nbbnn figure %s --scale %s", r.Figure.Command(), r.Scale)
}

// paired reports whether two methods have the same seeds in the same order, and all of their runs
// histories, if asked of one length.
func paired(a, b []RunResult, epochs bool) bool {
	return slices.EqualFunc(a, b, func(x, y RunResult) bool {
		return x.Seed == y.Seed && len(x.History) > 0 && len(y.History) > 0 &&
			(!epochs || len(x.History) == len(y.History) && len(x.History) == len(a[0].History))
	})
}

// untrained names the networks of a claim that don't beat guessing on clean test images, by a
// thousandth of a nat in their negative log-likelihood or by a tenth in their error; "" if all do.
// Nothing is asked of the training images: the better a network refuses wrong labels, the worse it
// fits them.
func untrained(r *Result, claim claim) string {
	classes := float64(r.classes())
	guessing := score.Cell{NLL: math.Log(classes), Error: 1 - 1/classes}
	var notes []string
	networks := 0
	for _, method := range claim.Methods {
		for _, run := range r.of(method) {
			networks++
			if cell, tested := run.clean(); tested && cell.NLL > guessing.NLL-1e-3 &&
				cell.Error > 0.9*guessing.Error {
				notes = append(notes, fmt.Sprintf("%s has the test NLL %.2f and the error %s: "+
					"guessing has %.2f and %s",
					run.Name(), cell.NLL, percent(cell.Error), guessing.NLL,
					percent(guessing.Error)))
			}
		}
	}
	switch len(notes) {
	case 0:
		return ""
	case 1:
		return notes[0]
	}
	return fmt.Sprintf("%d of %d networks don't beat guessing: %s", len(notes), networks, notes[0])
}

// gap is the clean test NLL minus the training NLL of the least noisy method of a figure, the mean
// over its seeds: the most that a regulariser can win on clean images (METHOD.md 4.3).
type gap struct {
	Method string  `json:"method"`
	Nats   float64 `json:"nats"`
}

// gapOf returns the gap of a result; nil if its runs weren't tested on clean images.
func gapOf(r *Result) (least *gap) {
	quietest := math.Inf(1)
	for _, method := range r.Setup.Methods {
		noise := noiseOf(r.Setup.config(method, 0).WithDefaults())
		gaps := gapsOf(r.of(method.Name))
		if mean := score.Summarise(gaps).Mean; noise < quietest && len(gaps) > 0 &&
			!math.IsNaN(mean) {
			quietest, least = noise, &gap{method.Name, mean}
		}
	}
	return least
}

// noiseOf orders configurations by their noise: none, then by its initial deviation and by gamma.
func noiseOf(config nbbnn.Config) float64 {
	if config.Posterior.Mode == nbbnn.Deterministic {
		return 0
	}
	return config.Posterior.InitStd * (1 + config.Objective.Gamma)
}

// gapsOf returns each run's NLL on clean test images minus its training NLL, in nats; NaN without a
// test on them or without training.
func gapsOf(runs []RunResult) (gaps []float64) {
	for _, run := range runs {
		gap := math.NaN()
		if cell, tested := run.clean(); tested && len(run.History) > 0 {
			gap = cell.NLL - run.trainingNLL()
		}
		gaps = append(gaps, gap)
	}
	return gaps
}

// String returns a text like "gap 1.52 nats (MAP)".
func (g gap) String() string {
	return fmt.Sprintf("gap %.2f nats (%s)", g.Nats, g.Method)
}
