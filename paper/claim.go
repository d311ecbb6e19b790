package paper

import (
	"fmt"
	"math"
	"strings"
)

// Claim is a statement of the paper about a figure, and how it's checked.
type Claim struct {
	Text          string
	Methods       []string // that it's about; none means all of the figure
	Levels        bool     // it's about corrupted images, so the runs have to be evaluated
	TrainingError float64  // largest training error, a fraction, of networks that it can be asked of; 0 means any

	// Check is only called when each of the methods has the same seeds and epochs and, with Levels, is evaluated.
	Check func(*Result) (Outcome, string)
}

// Outcome is what became of a claim.
type Outcome string

// The outcomes.
const (
	Holds        Outcome = "holds"
	Fails        Outcome = "fails"
	TooFewSeeds  Outcome = "not enough seeds"       // the mean over the seeds doesn't say whether it holds
	NotTrained   Outcome = "not trained far enough" // the claim can't be asked of networks that don't fit their training set
	NotEvaluated Outcome = "not evaluated"          // what it's about isn't there
)

// Networks that haven't learnt their training set can't be asked how noise changes them: it costs them more than those that
// have, so that claims turn round (METHOD.md 4.2). The error alone doesn't tell, for a dead network's logits are tied, and
// what the error of a tie is depends on how it's counted.
const (
	fittedError = 0.10          // up to this training error a network fits its training set
	knowingNLL  = math.Ln10 / 2 // below half of log 10, which is guessing among the ten classes of both data sets, it isn't dead
)

// Verdict is the outcome of a claim with the numbers that it rests on.
type Verdict struct {
	Claim   string  `json:"claim"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail"`
}

// Verdicts are the outcomes of all claims of a figure.
type Verdicts []Verdict

// Verdicts checks the figure's claims.
func (r *Result) Verdicts() Verdicts {
	verdicts := make(Verdicts, len(r.Figure.Claims))
	for i, claim := range r.Figure.Claims {
		outcome, detail := r.check(claim)
		verdicts[i] = Verdict{claim.Text, outcome, detail}
	}
	return verdicts
}

// check asks one claim, if it can be asked.
func (r *Result) check(claim Claim) (Outcome, string) {
	if len(claim.Methods) == 0 {
		claim.Methods = r.Figure.methodNames()
	}
	if lacking := r.lacking(claim); lacking != "" {
		return NotEvaluated, lacking
	}
	outcome, detail := claim.Check(r)
	if claim.TrainingError == 0 {
		return outcome, detail
	}
	trained, note := r.trained(claim)
	if !trained {
		outcome = NotTrained
	}
	return outcome, detail + "; " + note
}

// String is one line for each claim.
func (v Verdicts) String() string {
	lines := v.Lines(func(_ Outcome, text string) string { return text })
	return strings.Join(append(lines, ""), "\n")
}

// Lines returns one line for each claim, such as "claim    NLL of M32 is ...   holds   (6 of 6 levels; 2 seeds)". paint may colour the
// outcome's text.
func (v Verdicts) Lines(paint func(Outcome, string) string) []string {
	var claims, outcomes int
	for _, verdict := range v {
		claims, outcomes = max(claims, len(verdict.Claim)), max(outcomes, len(verdict.Outcome))
	}
	lines := make([]string, len(v))
	for i, verdict := range v {
		outcome := paint(verdict.Outcome, fmt.Sprintf("%-*s", outcomes, verdict.Outcome))
		lines[i] = fmt.Sprintf("claim    %-*s   %s   (%s)", claims, verdict.Claim, outcome, verdict.Detail)
	}
	return lines
}
