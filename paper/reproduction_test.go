package paper

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
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
	words := regexp.MustCompile(`(?s)<style>.*</style>|<script>.*</script>|{{.*?}}|<[^>]*>|95 %|`+
		`\b(19|20)\d\d\b|Figure 6|first8|all19|Shapes10`).ReplaceAllString(reproductionText, "")
	if found := regexp.MustCompile(`.*[0-9].*`).FindString(words); found != "" {
		t.Errorf("the template says a number by hand: %s", found)
	}
}

// The report tells its author, and the date and the commit of its latest record.
func TestReportToPrintHasADate(t *testing.T) {
	const cited = "cff-version: 1.2.0\nversion: 7\nauthors:\n  - name: We\nlicense: MIT\n"
	text := string(testkit.Must(gallery{cited: cited, Cards: []nbbnn.Card{
		{Created: "2026-01-03T04:05:06Z", Commit: "fedcba9876543210"},
		{Created: "2026-01-02T04:05:06Z", Commit: "0123456789abcdef"},
	}}.reproduction())(t))
	for _, want := range []string{"is of 2026-01-03, by a program of commit fedcba987654.",
		"report: We (MIT, version 7 of"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q: %.2500s", want, text)
		}
	}
}

// The report tells what further seeds say of a temperature, and of one rival, as the cells do.
func TestReportToPrintHasFurtherSeedsAndARival(t *testing.T) {
	results, _, err := readResults(resultsFolder)
	testkit.NoError(t, err)
	text := string(testkit.Must(gallery{Results: results, Further: testkit.Must(furtherSeeds(
		resultsFolder))(t)}.reproduction())(t))
	text = regexp.MustCompile("</?b>").ReplaceAllString(html.UnescapeString(text), "")
	text = strings.Join(strings.Fields(text), " ")
	growth := committedResult(t, "figure-06-desk/figure-06.json").Verdict("γ chosen on " +
		"validation images adds robustness: with one temperature each it loses less from clean " +
		"to severe images")
	effect := func(folder, of, from, column string, levels ...int) Effect {
		return newEffect("", "", belowZero, levelDifferences(side{folder, of, column}.runs(t),
			side{folder, from, column}.runs(t), levels))
	}
	entropy := func(column string, levels ...int) Effect {
		return effect("beyond/temperature", "gamma 16", "gamma 0", column, levels...)
	}
	severe, clean, wrong := entropy("nll_t", 4, 5), entropy("nll_t", 0), entropy("error", 4, 5)
	rival := effect("figure-10-desk", "node bnn on cifar 10", "mc dropout on cifar 10", "nll", 1, 2,
		3, 4, 5)
	one := effect("figure-06-quick", "out k 1 gamma k 16", "out k 1 gamma k 0", "nll_t", 4, 5).Mean
	four := effect("figure-06-quick", "out k 4 gamma k 8", "out k 4 gamma k 0", "nll_t", 4, 5).Mean
	if one < severe.Interval[0] || one > severe.Interval[1] || math.Abs(four) > 0.01 {
		t.Errorf("with one component γ changes %.3f nats, with four %.3f, want %.3f and about 0",
			one, four, severe.Mean)
	}
	_, table, _ := strings.Cut(string(readFile(t, resultsFolder+"/README.md")), "\n| study ")
	table, _, _ = strings.Cut(table, "\n| pooled")
	if rows := strings.Count(table, "\n| ["); rows != 10 || strings.Count(table, "| [VGG16") != 2 {
		t.Errorf("the first page of results has %d studies, want the report's ten", rows)
	}
	for _, want := range []string{
		"17 are the paper's; 6 of these agree with it, all exploratory",
		"-1.05, in VGG16 on CIFAR-100, full width, all images)",
		"with one temperature the difference is -0.06 [-0.17, +0.05].",
		"(γ = 32, K = 4) under corruption, without", "takes node-BNN 8 passes, MAP 1.",
		"Figure 3, desk is a selection: seed 4 is left out with its 3 networks",
		"the NLL's growth from clean to severe images by " + growth.Found() +
			", undecided (exploratory)",
		fmt.Sprintf("in 10 further seeds at quick (K = 1), decides the NLL with one temperature "+
			"each: γ = 16 minus γ = 0 is %.3f nats [%.3f, %.3f] under severe corruption, and "+
			"%.3f [%.3f, %.3f] on clean images; its error, %.2f [%.2f, %.2f] points",
			severe.Mean, severe.Interval[0], severe.Interval[1], clean.Mean, clean.Interval[0],
			clean.Interval[1], 100*wrong.Mean, 100*wrong.Interval[0], 100*wrong.Interval[1]),
		fmt.Sprintf("that of MC dropout is %+.3f nats, by seed %+.2f, %+.2f, %+.2f, %+.2f: too few",
			rival.Mean, rival.Differences[0], rival.Differences[1], rival.Differences[2],
			rival.Differences[3]),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
