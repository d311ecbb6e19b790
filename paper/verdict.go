package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Outcome is the answer of the runs to a claim.
type Outcome string

// The outcomes. With several effects a claim holds if every interval lies on its claimed side of
// zero. It fails if every interval lies on the other side, so that its opposite holds, or one after
// Holm's correction for their number: of many intervals at 95 %, one lies there by chance.
const (
	Holds     Outcome = "holds"
	Fails     Outcome = "fails"
	Undecided Outcome = "undecided" // neither
	// some intervals lie on the claimed side, others on the other
	Mixed Outcome = "mixed"
	Seen  Outcome = "seen" // fewer than five seeds: nothing is decided
	// the smoke scale shows the effect and doesn't judge
	Illustration Outcome = "an illustration"
	NotTrained   Outcome = "no better than guessing" // a network doesn't beat guessing
	Unfinished   Outcome = "not trained to the end"
	NotEvaluated Outcome = "not evaluated" // the runs lack the numbers that the claim needs
)

// Verdict is the outcome of a claim with the effects that it follows from.
type Verdict struct {
	Claim   string `json:"claim"`
	Source  string `json:"source"` // "paper" or "ours"
	Primary bool   `json:"primary,omitempty"`
	// the paper's effect in its own setting, of a primary claim; 0 if it isn't public
	Theirs  float64  `json:"paper_effect,omitempty"`
	Outcome Outcome  `json:"outcome"`
	Detail  string   `json:"detail"` // in words: how many effects hold, or what is missing
	Effects []Effect `json:"effects,omitempty"`
	// the contrast of a primary claim in other scores, and on clean images
	Beside []Effect `json:"beside,omitempty"`

	// the claim compares the best of several with the best of several, which holds too often
	// without any effect, or runs or a pilot had shown its numbers before it was made
	Exploratory bool `json:"exploratory,omitempty"`

	gap *gap // of the least noisy network, if the claim is about test images
}

// Verdicts are the outcomes of all claims of a figure.
type Verdicts []Verdict

// decide returns the verdict on one claim, and whether the runs have anything to compare.
func decide(r *Result, claim claim) (v Verdict, asked bool) {
	v = Verdict{Claim: claim.about(r) + claim.Text, Source: claim.Source, Primary: claim.Primary,
		Theirs: claim.Theirs, Exploratory: claim.Exploratory, Outcome: NotEvaluated}
	if v.Detail = lacking(r, claim); v.Detail != "" {
		return v, true
	}
	effects := claim.Effects(r)
	open := slices.IndexFunc(effects, func(e Effect) bool { return math.IsNaN(e.Mean) })
	if open >= 0 {
		v.Detail = unmeasured(r, claim, effects[open])
	}
	if open >= 0 || len(effects) == 0 {
		return v, open >= 0
	}
	v.Effects = effects
	v.Outcome, v.Detail = outcomeOf(v.Effects), holding(v.Effects)
	if claim.Levels {
		v.Beside = claim.family.beside(r)
		if text := trainingNLLs(r, claim); text != "" {
			v.Detail += "; " + text
		}
		if note := untrained(r, claim); note != "" {
			v.Outcome, v.Detail = NotTrained, v.Detail+"; "+note
		} else if note := unfinished(r, claim); note != "" {
			v.Outcome, v.Detail = Unfinished, v.Detail+"; "+note
		}
		if v.gap = gapOf(r); v.gap != nil {
			v.Detail += "; " + v.gap.String()
		}
	}
	if v.Outcome == Undecided && r.Setup.ownImages() && every(v.Effects, Effect.excludesPaper) {
		v.Detail += "; an effect of the paper's size is excluded"
	}
	if !r.Scale.judges() {
		v.Outcome = Illustration
	}
	return v, true
}

// unmeasured names the first seed for which an effect has no value.
func unmeasured(r *Result, claim claim, e Effect) string {
	seed := max(0, slices.IndexFunc(e.Differences, math.IsNaN))
	return fmt.Sprintf("seed %d has no value of %s in %s: `%s` tests the runs that lack it",
		r.Setup.Seeds[seed], e.Name, cmp.Or(claim.Metric, NLL), commandOf(r))
}

// decidingSeeds is the least number of seeds that decides a claim. With three or four a t-interval
// is so wide, or by chance so narrow, that later seeds often change the answer.
const decidingSeeds = 5

// outcomeOf returns the outcome that follows from the intervals.
func outcomeOf(effects []Effect) Outcome {
	switch {
	case len(effects[0].Differences) < decidingSeeds:
		return Seen
	case count(effects, Fails) > 0 && count(effects, Holds) > 0:
		return Mixed
	case count(effects, Fails) > 0:
		return Fails
	case !every(effects, Effect.holds):
		return Undecided
	}
	return Holds
}

// every reports whether all effects are so.
func every(effects []Effect, so func(Effect) bool) bool {
	return !slices.ContainsFunc(effects, func(e Effect) bool { return !so(e) })
}

// count counts the effects with an outcome, corrected for their number.
func count(effects []Effect, outcome Outcome) (count int) {
	for _, e := range effects {
		if outcomeAmong(e, effects) == outcome {
			count++
		}
	}
	return count
}

// isDecided reports whether an outcome follows from intervals.
func isDecided(outcome Outcome) bool {
	return slices.Contains([]Outcome{Holds, Fails, Mixed, Undecided}, outcome)
}

// adjusted counts the effects that make a claim fail: "; 1 on the other side after correction for 6
// intervals"; "" without 95 % intervals.
func (v Verdict) adjusted() string {
	_, failing, _ := tally(v.Effects)
	if failing == 0 || len(v.Effects) == 1 || !isDecided(v.Outcome) {
		return ""
	}
	return fmt.Sprintf("; %d on the other side after correction for %d intervals",
		count(v.Effects, Fails), len(v.Effects))
}

// agreement counts the seeds in which every difference lies on its claimed side.
func agreement(effects []Effect) (agreeing, seeds int) {
	seeds = len(effects[0].Differences)
	for seed := range seeds {
		if !slices.ContainsFunc(effects, func(e Effect) bool {
			return e.favour(e.Differences[seed]) <= 0
		}) {
			agreeing++
		}
	}
	return agreeing, seeds
}

// tally counts the effects with an interval on the claimed side, on the other side, and with a mean
// on the claimed side.
func tally(effects []Effect) (holding, failing, means int) {
	for _, e := range effects {
		switch {
		case e.holds():
			holding++
		case e.fails():
			failing++
		}
		if e.favour(e.Mean) > 0 {
			means++
		}
	}
	return holding, failing, means
}

// holding returns a text like "5 of 6 intervals on the claimed side, 1 on the other".
func holding(effects []Effect) string {
	holding, failing, on := tally(effects)
	if effects[0].Interval == nil {
		return fmt.Sprintf("%d of %s on the claimed side", on, counted(len(effects), "mean"))
	}
	text := fmt.Sprintf("%d of %s on the claimed side", holding, counted(len(effects), "interval"))
	if failing > 0 {
		text += fmt.Sprintf(", %d on the other", failing)
	}
	return text
}

// Text returns the outcome in words, "holds" or "seen in 2 of 2 seeds". A claim of the paper is
// answered as the paper does, with the size of its effect, or against it.
func (v Verdict) Text() string {
	text := v.answer()
	if v.Exploratory {
		text += " (exploratory)"
	}
	return text
}

// size compares the effect of a verdict that holds with the paper's on the same network and data:
// ", 1/12 of the size"; "" if they differ by less than a factor of two.
func (v Verdict) size() string {
	if v.Outcome != Holds || len(v.Effects) != 1 || v.Effects[0].Paper == nil {
		return ""
	}
	switch ratio := v.Effects[0].Mean / *v.Effects[0].Paper; {
	case ratio > 2:
		return fmt.Sprintf(", %.0f times the size", ratio)
	case ratio < 0.5:
		return fmt.Sprintf(", 1/%.0f of the size", 1/ratio)
	}
	return ""
}

func (v Verdict) answer() string {
	answers := map[Outcome]string{Holds: "as the paper", Fails: "against the paper"}
	if size := v.size(); size != "" {
		answers[Holds] = "same sign as the paper" + size
	}
	switch answer, decided := answers[v.Outcome]; {
	case v.Outcome == Seen:
		agreeing, seeds := agreement(v.Effects)
		return fmt.Sprintf("seen in %d of %s", agreeing, counted(seeds, "seed"))
	case v.Source == fromPaper && decided:
		return answer
	}
	return string(v.Outcome)
}

// seeds returns the number of seeds that were compared.
func (v Verdict) seeds() int {
	if len(v.Effects) == 0 {
		return 0
	}
	return len(v.Effects[0].Differences)
}

// line returns the text of an effect of the verdict with its outcome: "M32 - M16, level 5: -0.58
// nats [-0.71, -0.45], 5 seeds: holds".
func (v Verdict) line(e Effect) string {
	text := e.String()
	if isDecided(v.Outcome) {
		text += ": " + string(outcomeAmong(e, v.Effects))
	}
	if e.Paper != nil {
		text += fmt.Sprintf(" (paper: %s)", quantity.Signed(*e.Paper, decimals(*e.Paper)))
	}
	return text
}

// findable describes, for an undecided effect, the true effect that about four of five samples with
// as many seeds and this spread would decide: of m effects, at the first of Holm's steps.
func (v Verdict) findable(e Effect) string {
	if !isDecided(v.Outcome) || e.Claimed == nearZero || e.Interval[0] == e.Interval[1] ||
		outcomeAmong(e, v.Effects) != Undecided {
		return ""
	}
	degrees, half := len(e.Differences)-1, (e.Interval[1]-e.Interval[0])/2
	decided := score.StudentQuantile(degrees, 1-(1-confidence)/float64(len(v.Effects)))
	seen := score.StudentQuantile(degrees, 0.6) // one-sided it's the quantile of 80 %
	least := half * (decided + seen) / score.StudentQuantile(degrees, confidence)
	return fmt.Sprintf(" (a true effect of %.*f %s would be seen in some four of five such "+
		"samples)", decimals(half), least, e.Unit)
}

// shownEffects is the largest number of effects that are printed one by one.
const shownEffects = 6

// shown returns the effects to print: all if there are few; otherwise the failing ones if they are
// few; otherwise the weakest for the claim.
func (v Verdict) shown() []Effect {
	if len(v.Effects) <= shownEffects {
		return v.Effects
	}
	effects := slices.SortedFunc(slices.Values(v.Effects), func(a, b Effect) int {
		return cmp.Compare(a.nearest(), b.nearest())
	})
	open := slices.DeleteFunc(slices.Clone(effects), func(e Effect) bool {
		return outcomeAmong(e, v.Effects) == Holds
	})
	if 0 < len(open) && len(open) <= shownEffects {
		return open
	}
	effects[0].Name = "least: " + effects[0].Name
	return effects[:1]
}

// String has the lines of all claims.
func (v Verdicts) String() string {
	lines := v.Lines(func(_ Outcome, text string) string { return text })
	return strings.Join(append(lines, ""), "\n")
}

// Lines returns for each claim a line, "claim NLL of M32 is ... holds (paper; 6 of 6 intervals on
// the claimed side)", followed by a line for each effect. paint may colour the outcome.
func (v Verdicts) Lines(paint func(Outcome, string) string) (lines []string) {
	var claims, outcomes int
	for _, verdict := range v {
		claims, outcomes = max(claims, len(verdict.Claim)), max(outcomes, len(verdict.Text()))
	}
	for _, verdict := range v {
		outcome := paint(verdict.Outcome, fmt.Sprintf("%-*s", outcomes, verdict.Text()))
		lines = append(lines, fmt.Sprintf("claim    %-*s   %s   (%s; %s)", claims+1,
			verdict.Claim+":", outcome, verdict.Source, verdict.Detail+verdict.adjusted()))
		for _, effect := range verdict.shown() {
			lines = append(lines, "           "+verdict.line(effect)+verdict.findable(effect))
		}
	}
	return lines
}
