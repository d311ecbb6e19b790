package paper

import "fmt"

// Check is a statement about a figure's numbers that must be true whatever the networks have learnt,
// such as a property of an exact minimiser. It tests the code, not the paper.
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

// Checks makes the figure's checks.
func (r *Result) Checks() []CheckResult {
	results := make([]CheckResult, len(r.Figure.Checks))
	for i, check := range r.Figure.Checks {
		results[i].Check = check.Text
		results[i].Passed, results[i].Total = check.Test(r)
	}
	return results
}

// String is such as "check    norm falls as lambda grows: 16 of 16".
func (c CheckResult) String() string {
	return fmt.Sprintf("check    %s: %d of %d", c.Check, c.Passed, c.Total)
}
