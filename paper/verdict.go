package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Outcome is the answer of the runs to a claim.
type Outcome string

// The outcomes. With several effects a claim holds if every interval lies on its claimed side of
// zero. It fails if every interval lies on the other side, so that its opposite holds, or one of m
// intervals at the confidence 1 - 0.05/m: of many intervals at 95 %, one lies there by chance.
const (
	Holds        Outcome = "holds"
	Fails        Outcome = "fails"
	Undecided    Outcome = "undecided"       // neither
	Seen         Outcome = "seen"            // fewer than 3 seeds: nothing is decided
	Illustration Outcome = "an illustration" // the smoke scale shows the effect and doesn't judge
	NotTrained   Outcome = "not trained"     // a network doesn't beat guessing
	NotEvaluated Outcome = "not evaluated"   // the runs lack the numbers that the claim needs
)

// Verdict is the outcome of a claim with the effects that it follows from.
type Verdict struct {
	Claim   string   `json:"claim"`
	Source  Source   `json:"source"`
	Primary bool     `json:"primary,omitempty"`
	Theirs  float64  `json:"paper_effect,omitempty"` // Claim.Theirs
	Outcome Outcome  `json:"outcome"`
	Detail  string   `json:"detail"` // in words: how many effects hold, or what is missing
	Effects []Effect `json:"effects,omitempty"`

	gap *gap // of the least noisy network, if the claim is about test images
}

// Verdicts are the outcomes of all claims of a figure.
type Verdicts []Verdict

// decide returns the verdict on one claim, and whether the runs have anything to compare.
func decide(r *Result, claim Claim) (v Verdict, asked bool) {
	v = Verdict{Claim: claim.about(r) + claim.Text, Source: claim.Source, Primary: claim.Primary, Theirs: claim.Theirs, Outcome: NotEvaluated}
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
		if note := untrained(r, claim); note != "" {
			v.Outcome, v.Detail = NotTrained, v.Detail+"; "+note
		}
		if v.gap = gapOf(r); v.gap != nil {
			v.Detail += "; " + v.gap.String()
		}
	}
	if v.Outcome == Undecided && every(v.Effects, Effect.excludesPaper) {
		v.Detail += "; an effect of the paper's size is excluded"
	}
	if !r.Scale.judges() {
		v.Outcome = Illustration
	}
	return v, true
}

// unmeasured says that an effect has no value, and which seed is the first without one.
func unmeasured(r *Result, claim Claim, e Effect) string {
	seed := max(0, slices.IndexFunc(e.Differences, math.IsNaN))
	return fmt.Sprintf("seed %d has no value of %s in %s: `%s` tests the runs that lack it",
		r.Setup.Seeds[seed], e.Name, cmp.Or(claim.Metric, NLL), commandOf(r))
}

// outcomeOf is the outcome that follows from the intervals.
func outcomeOf(effects []Effect) Outcome {
	switch {
	case len(effects[0].Differences) < score.DecidingSeeds:
		return Seen
	case failingOfAll(effects) > 0 || every(effects, Effect.fails):
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

// failingOfAll counts the effects that lie on the other side of zero by more than the chance that
// this number of effects has.
func failingOfAll(effects []Effect) (count int) {
	for _, e := range effects {
		if e.failsAmong(len(effects)) {
			count++
		}
	}
	return count
}

// adjusted says how many of several effects make a claim fail, such as "; 1 on the other side at
// the confidence of 99.2 % for 6 intervals"; "" if none of the 95 % intervals is there.
func (v Verdict) adjusted() string {
	_, failing, _ := tally(v.Effects)
	if failing == 0 || len(v.Effects) == 1 || (v.Outcome != Fails && v.Outcome != Undecided) {
		return ""
	}
	if failingOfAll(v.Effects) == 0 && every(v.Effects, Effect.fails) {
		return "; the opposite holds"
	}
	count := len(v.Effects)
	return fmt.Sprintf("; %d on the other side at the confidence of %.3g %% for %d intervals",
		failingOfAll(v.Effects), 100-100*(1-confidence)/float64(count), count)
}

// agreement counts the seeds in which every difference lies on its claimed side.
func agreement(effects []Effect) (agreeing, seeds int) {
	seeds = len(effects[0].Differences)
	for seed := range seeds {
		if !slices.ContainsFunc(effects, func(e Effect) bool { return e.favour(e.Differences[seed]) <= 0 }) {
			agreeing++
		}
	}
	return agreeing, seeds
}

// tally counts the effects whose interval lies on the claimed side, those with it on the other, and
// those whose mean lies on the claimed side.
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

// holding is such as "5 of 6 intervals on the claimed side, 1 on the other".
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

// Text is the outcome in words, such as "holds" or "seen in 2 of 2 seeds". A claim of the paper is
// answered as the paper does, against it, or not at all.
func (v Verdict) Text() string {
	answers := map[Outcome]string{Holds: "as the paper", Fails: "against the paper", Undecided: "no answer"}
	switch answer, decided := answers[v.Outcome]; {
	case v.Outcome == Seen:
		agreeing, seeds := agreement(v.Effects)
		return fmt.Sprintf("seen in %d of %s", agreeing, counted(seeds, "seed"))
	case v.Source == FromPaper && decided:
		return answer
	}
	return string(v.Outcome)
}

// Seen is the number of seeds that were compared.
func (v Verdict) Seen() int {
	if len(v.Effects) == 0 {
		return 0
	}
	return len(v.Effects[0].Differences)
}

// line is an effect of the verdict with what it says about the claim, such as
// "M32 - M16, level 5: -0.58 nats [-0.71, -0.45], 5 seeds: holds".
func (v Verdict) line(e Effect) string {
	text := e.String()
	switch v.Outcome {
	case Holds, Fails, Undecided:
		text += ": " + string(outcomeOf([]Effect{e}))
	}
	if e.Paper != nil {
		text += fmt.Sprintf(" (paper: %s)", signed(*e.Paper, decimals(*e.Paper)))
	}
	return text
}

// shownEffects is the largest number of effects that are printed one by one.
const shownEffects = 6

// shown returns the effects to print: all if there are few; else those that don't hold, if there are few
// of these; else the one that speaks least for the claim.
func (v Verdict) shown() []Effect {
	if len(v.Effects) <= shownEffects {
		return v.Effects
	}
	effects := slices.SortedFunc(slices.Values(v.Effects), func(a, b Effect) int { return cmp.Compare(a.nearest(), b.nearest()) })
	open := slices.DeleteFunc(slices.Clone(effects), Effect.holds)
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

// Lines returns for each claim a line such as "claim    NLL of M32 is ...   holds   (paper; 6 of 6
// intervals on the claimed side)", followed by a line for each effect. paint may colour the
// outcome.
func (v Verdicts) Lines(paint func(Outcome, string) string) (lines []string) {
	var claims, outcomes int
	for _, verdict := range v {
		claims, outcomes = max(claims, len(verdict.Claim)), max(outcomes, len(verdict.Text()))
	}
	for _, verdict := range v {
		outcome := paint(verdict.Outcome, fmt.Sprintf("%-*s", outcomes, verdict.Text()))
		lines = append(lines, fmt.Sprintf("claim    %-*s   %s   (%s; %s)", claims, verdict.Claim, outcome, verdict.Source, verdict.Detail+verdict.adjusted()))
		for _, effect := range verdict.shown() {
			lines = append(lines, "           "+verdict.line(effect))
		}
	}
	return lines
}
