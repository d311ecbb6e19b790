package paper

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The sentences of the report to print follow the verdicts: a claim that fails moves from what was
// easy to what was hard, and each result is counted once. The template has no number of a result.
func TestReportToPrintFollowsVerdicts(t *testing.T) {
	results, _, err := readResults(resultsFolder)
	testkit.NoError(t, err)
	at := slices.IndexFunc(results, func(c committed) bool { return c.Name == "figure-06-desk" })
	verdicts := results[at].Verdicts
	primary := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Primary })
	for outcome, want := range map[Outcome][2]bool{
		Holds: {true, false}, Fails: {false, true}, Seen: {false, true},
	} {
		verdicts[primary].Outcome = outcome
		text := string(testkit.Must(gallery{Results: results}.reproduction())(t))
		_, rest, _ := strings.Cut(text, "What was easy")
		easy, rest, _ := strings.Cut(rest, "What was hard")
		hard, _, _ := strings.Cut(rest, "How it was judged")
		line := "Figure 6, desk: " + verdicts[primary].Claim
		got := [2]bool{strings.Contains(easy, line), strings.Contains(hard, line)}
		if got != want {
			t.Errorf("a claim that %s is among the easy and the hard: %t, want %t", outcome, got,
				want)
		}
		summary, _, _ := strings.Cut(text, "What was easy")
		if count := strings.Count(summary, "Figure 6, desk"); count != 1 {
			t.Errorf("a claim that %s is counted %d times, want once", outcome, count)
		}
	}
	words := regexp.MustCompile(`(?s)<style>.*</style>|{{.*?}}|<[^>]*>|95 %|ICML 2022|Figure 6`).
		ReplaceAllString(reproductionText, "")
	if found := regexp.MustCompile(`.*[0-9].*`).FindString(words); found != "" {
		t.Errorf("the template says a number by hand: %s", found)
	}
}
