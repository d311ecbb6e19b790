package paper

import (
	"fmt"
	"strings"
)

// Claim is a statement of the paper about a figure, and how it's checked.
type Claim struct {
	Text          string
	TrainingError float64 // largest training error, a fraction, of networks that the claim can be asked of; 0 means any
	Check         func(*Result) (Outcome, string)
}

// Outcome is what became of a claim.
type Outcome string

// The outcomes.
const (
	Holds        Outcome = "holds"
	Fails        Outcome = "fails"
	TooFewSeeds  Outcome = "not enough seeds"       // the mean over the seeds doesn't say whether it holds
	NotTrained   Outcome = "not trained far enough" // the claim can't be asked of networks that don't fit their training set
	NotEvaluated Outcome = "not evaluated yet"
)

// Training errors, as fractions, up to which a claim can be asked. Noise costs a network that doesn't fit its training set
// yet more than one that does, so claims about clean images turn round; how the curves bend shows earlier (METHOD.md 4.2).
const (
	fittedError = 0.10 // the network fits its training set
	learntError = 0.50 // it has learnt something
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
		outcome, detail := claim.Check(r)
		if note := r.undertrained(claim.TrainingError); note != "" && outcome != NotEvaluated {
			outcome, detail = NotTrained, detail+"; "+note
		}
		verdicts[i] = Verdict{claim.Text, outcome, detail}
	}
	return verdicts
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

// undertrained says how far training got when some method's mean training error is above limit, else it's empty.
func (r *Result) undertrained(limit float64) string {
	enough := true
	var likelihoods, errors []string
	for _, method := range r.Figure.Methods {
		last := summarise(r.series(method.Name, func(run RunResult) []float64 {
			return []float64{run.LastEpoch().NLL, run.LastEpoch().Error}
		}))
		enough = enough && last[1].Mean <= limit
		likelihoods = append(likelihoods, fmt.Sprintf("%.2f", last[0].Mean))
		errors = append(errors, fmt.Sprintf("%.0f%%", 100*last[1].Mean))
	}
	if enough || limit == 0 {
		return ""
	}
	return fmt.Sprintf("training NLL %s, error %s, limit %.0f%%", join(likelihoods), join(errors), 100*limit)
}

// notEvaluated is the outcome of a claim about levels before there are any.
func notEvaluated() (Outcome, string) { return NotEvaluated, "Figure.Evaluate computes the levels" }
