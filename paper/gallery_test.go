package paper

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const resultsFolder = "../docs/results"

// The committed page and the README tell what the committed results say.
func TestGalleryIsCurrent(t *testing.T) {
	page, err := Gallery(resultsFolder)
	if err != nil {
		t.Fatal(err)
	}
	if string(readFile(t, filepath.Join(resultsFolder, "README.md"))) != page {
		t.Error("docs/results/README.md is older than the results: run make gallery")
	}
	readme := string(readFile(t, "../README.md"))
	highlighted, err := Highlight(readme, resultsFolder, "docs/results")
	if err != nil {
		t.Fatal(err)
	}
	if readme != highlighted {
		t.Error("README.md is older than the results: run make gallery")
	}
}

// The finding and the numbers of each committed result are those of its runs' epochs and cells.
func TestResultsFollowFromTheirCards(t *testing.T) {
	for _, c := range committedResults(t) {
		if c.result == nil {
			continue
		}
		if got := findingOf(c.present(), c.result.Scale, c.result.Verdicts); got != c.result.Finding {
			t.Errorf("%s: the finding is %q, the verdicts say %q: export the figure again", c.name, c.result.Finding, got)
		}
		for _, v := range c.result.Verdicts {
			for _, e := range v.Effects {
				if again := newRoundedEffect(e.Name, e.Unit, e.Claimed, e.Differences, e.Rounding); again.String() != e.String() {
					t.Errorf("%s: the effect is %s, its differences give %s", c.name, e, again)
				}
			}
		}
		checkLevelRows(t, c)
	}
}

// checkLevelRows compares a figure of levels with the means over its cards.
func checkLevelRows(t *testing.T, c committed) {
	t.Helper()
	for _, row := range c.result.Table[1:] {
		if row[0] != NLL {
			continue
		}
		mean, count := [6]float64{}, 0.0
		for _, card := range c.cards {
			if card.method == row[1] {
				for level, value := range card.Evaluation.Levels.NLL {
					mean[level] += value
				}
				count++
			}
		}
		for level := range mean {
			if text := fmt.Sprintf("%.3f", mean[level]/count); count > 0 && text != row[2+level] {
				t.Errorf("%s: NLL of %s at level %d is %s in the table, %s by the cards", c.name, row[1], level, row[2+level], text)
			}
		}
	}
}

func committedResults(t *testing.T) []committed {
	t.Helper()
	results, err := readResults(resultsFolder)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Remarks have no decimal number but those of the generated part of their section, and those of the
// settings and of TestRemarks.
func TestRemarksRepeatGeneratedNumbers(t *testing.T) {
	known := map[string]string{
		"resnet18-quarter": "12.4 13.8", "figure-03-fast-posterior": "0.1 0.02 0.05",
		"benchmark": "0.05 0.1 0.2 0.5 0.78 0.82 1.488 1.652", // see checkSettings and checkFirstSeed
	}
	decimals := regexp.MustCompile(`\d+\.\d+`)
	sections := regexp.MustCompile(`METHOD\.md(\]\([^)]*\))? [\d.]+`)
	for _, c := range committedResults(t) {
		remarks := sections.ReplaceAllString(c.remarks, "")
		generated := known[c.name]
		c.remarks = "# heading"
		switch {
		case c.result != nil:
			generated += c.section()
		case c.tables != "":
			generated += c.tables
		default:
			generated += c.earlierSection()
		}
		for _, number := range decimals.FindAllString(remarks, -1) {
			if !strings.Contains(generated, number) {
				t.Errorf("the remarks of %s have the number %s, which nothing generates or compares", c.name, number)
			}
		}
	}
}

// The remarks on the earlier runs are true of their files.
func TestRemarks(t *testing.T) {
	for _, c := range committedResults(t) {
		switch c.name {
		case "figure-03":
			m16, m32 := c.report.Methods[0], c.report.Methods[1]
			checkFalls(t, m16.Entropy.Mean, m32.Entropy.Mean)
			checkBelow(t, "entropy of M16", m16.Entropy.Mean, m32.Entropy.Mean)
			for seed := range 2 {
				checkBelow(t, "NLL of M32", cardNLL(c, "M32", seed), cardNLL(c, "M16", seed))
			}
			for level := range 6 {
				closeTo(t, "difference of the errors", m32.Levels[Error].Mean[level], m16.Levels[Error].Mean[level], 0.03)
			}
		case "figure-03-fast-posterior":
			m16, m32 := c.report.Methods[0], c.report.Methods[1]
			checkBelow(t, "NLL of M16", m16.Levels[NLL].Mean, m32.Levels[NLL].Mean)
			last := len(m32.Entropy.Mean) - 1
			if m32.Entropy.Mean[last] >= m16.Entropy.Mean[0] {
				t.Error("M32 ends with more entropy than M16 had at its start")
			}
			for _, entropy := range [][]float64{m16.Entropy.Mean, m32.Entropy.Mean} {
				checkBelow(t, "entropy 28 epochs before the end", entropy[last-28:last-27], entropy[last:])
			}
		case "benchmark":
			checkMethodRemarks(t, c.folder)
		case "allcnnc-published":
			checkGuessing(t, table(t, c, "training.csv"))
		case "figure-10-desk":
			checkBenchmarkRemarks(t, c)
		case "figure-12-desk":
			checkLayerRemarks(t, c.result.Verdicts)
		case "resnet18-quarter":
			checkResNetRemarks(t, c)
		}
	}
}

// checkGuessing compares the NLL of every epoch with that of guessing among ten classes.
func checkGuessing(t *testing.T, epochs [][]string) {
	t.Helper()
	at := slices.Index(epochs[0], "nll")
	for _, epoch := range epochs[2:] {
		nll, err := strconv.ParseFloat(epoch[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "NLL after epoch "+epoch[0], nll, math.Log(10), 0.001)
	}
}

// checkLayerRemarks compares the words on the layers of Figure 12 with its effects.
func checkLayerRemarks(t *testing.T, verdicts Verdicts) {
	t.Helper()
	for _, e := range verdicts[0].Effects {
		if second := strings.Contains(e.Name, "conv2"); e.holds() == second {
			t.Errorf("%s: %v, want all layers but the second to hold", e.Name, e.Differences)
		} else if sorted := slices.Sorted(slices.Values(e.Differences)); second && (sorted[2] < 2.9 || sorted[1] > 1.2) {
			t.Errorf("%s: %v, want one seed near three and two near or below one", e.Name, sorted)
		}
	}
	inside := verdicts[2]
	if inside.Outcome != Fails {
		t.Errorf("%s: %s, want that it fails", inside.Claim, inside.Outcome)
	}
	for _, e := range inside.Effects {
		if strings.Contains(e.Name, "conv1") && !e.holds() || e.Name == "M16 in conv7 at severity 3 - 9.5" && !e.failsAmong(len(inside.Effects)) {
			t.Errorf("%s: %v contradicts the remarks", e.Name, e.Differences)
		}
	}
}

func checkFalls(t *testing.T, curves ...[]float64) {
	t.Helper()
	for _, curve := range curves {
		checkBelow(t, "entropy after an epoch", curve[1:], curve[:len(curve)-1])
	}
}

func checkBelow(t *testing.T, what string, a, b []float64) {
	t.Helper()
	for i := range a {
		if a[i] >= b[i] {
			t.Errorf("%s is %v at place %d, not below %v", what, a[i], i, b[i])
		}
	}
}

// cardNLL is the negative log-likelihood of the levels of one of a method's cards.
func cardNLL(c committed, method string, seed int) []float64 {
	var cards []galleryCard
	for _, card := range c.cards {
		if card.method == method {
			cards = append(cards, card)
		}
	}
	return cards[seed].Evaluation.Levels.NLL[:]
}

// checkResNetRemarks compares the numbers of the remarks with the tables.
func checkResNetRemarks(t *testing.T, c committed) {
	t.Helper()
	terms, cells := table(t, c, "training.csv"), table(t, c, "cells.csv")
	number := func(rows [][]string, row int, column string) float64 {
		value, err := strconv.ParseFloat(rows[row][slices.Index(rows[0], column)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, sentence := range []string{
		fmt.Sprintf("error is %.1f %%", 100*number(cells, 1, "error")),
		fmt.Sprintf("mirrored and noisy, %.1f %%", 100*c.cards[0].Training.Error),
		fmt.Sprintf("the entropy falls from %.0f to %.0f nats", number(terms, 1, "entropy"), number(terms, 6, "entropy")),
		fmt.Sprintf("the entropy rises to %.0f,%03.0f", math.Floor(number(terms, 33, "entropy")/1000), math.Mod(number(terms, 33, "entropy"), 1000)),
		fmt.Sprintf("from the prior grows from %.0f to 2,%03.0f nats", number(terms, 1, "kl"), math.Mod(number(terms, 33, "kl"), 1000)),
		fmt.Sprintf("%.0f minutes", math.Floor(c.cards[0].WallSeconds/60)),
	} {
		if !strings.Contains(strings.ReplaceAll(c.remarks, "\n", " "), sentence) {
			t.Errorf("the remarks of %s don't say %q", c.name, sentence)
		}
	}
}

func table(t *testing.T, c committed, name string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(readFile(t, filepath.Join(c.folder, name))))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
