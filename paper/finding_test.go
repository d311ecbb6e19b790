package paper

import (
	"slices"
	"strings"
	"testing"
)

// The title of Figure 3 states what the verdict on its claim supports.
func TestFinding(t *testing.T) {
	for _, test := range []struct {
		name   string
		result *Result
		want   string
	}{
		{"the claim holds", fixture(1, 2, 3, 4, 5), "Wider noise lowers the NLL"},
		{"the opposite", swapped(fixture(1, 2, 3, 4, 5)), "Wider noise raises the NLL"},
		{"no difference", alike(fixture(1, 2, 3, 4, 5)), "No difference found in NLL between " +
			"narrow and wide noise"},
		{"two seeds", fixture(1, 2), "Wider noise lowers the NLL: seen in 2 seeds, not decided"},
		{"two seeds against it", swapped(fixture(1, 2)), "Wider noise raises the NLL: seen in 2 " +
			"seeds, not decided"},
		{"four seeds", fixture(1, 2, 3, 4), "Wider noise lowers the NLL: seen in 4 seeds, not " +
			"decided"},
		{"two seeds that disagree", alike(fixture(1, 2)), "Entropy during training and NLL under " +
			"corruption: seen in 1 of 2 seeds, not decided"},
		{"no better than guessing", dead(fixture(1, 2, 3, 4, 5)),
			"Entropy during training and NLL under corruption: no better than guessing"},
		{"smoke", smoke(fixture(1, 2, 3, 4, 5)), "Entropy during training and NLL under " +
			"corruption (an illustration)"},
		{"no headline", withoutHeadline(fixture(1, 2, 3, 4, 5)), "Figure 3 of the paper"},
	} {
		if got := findingIn(test.result); got != test.want {
			t.Errorf("%s: the title is %q, want %q", test.name, got, test.want)
		}
	}
}

func findingIn(r *Result) string { return findingOf(r.Figure, r.Scale, r.Verdicts()) }

// swapped gives M16 the numbers of M32, and the other way round.
func swapped(r *Result) *Result {
	for i := 0; i < len(r.Runs); i += 2 {
		r.Runs[i].Cells, r.Runs[i+1].Cells = r.Runs[i+1].Cells, r.Runs[i].Cells
	}
	return r
}

// alike makes M32 a little better than M16 with some seeds and a little worse with the others.
func alike(r *Result) *Result {
	for i, shift := range []float64{-0.1, 0.02, 0.1, -0.05, 0.03}[:len(r.Runs)/2] {
		m32 := &r.Runs[2*i+1]
		m32.Cells = slices.Clone(r.Runs[2*i].Cells)
		for level := range m32.Cells {
			m32.Cells[level].NLL += shift
		}
	}
	return r
}

func withoutHeadline(r *Result) *Result {
	r.Figure.headline = headline{}
	return r
}

// Each figure has a primary claim with one effect, and its headline all words.
func TestHeadlines(t *testing.T) {
	for _, figure := range all() {
		h := figure.headline
		if !slices.ContainsFunc(figure.claims, func(c claim) bool { return c.Primary }) {
			t.Errorf("figure %d has no primary claim", figure.Number)
		}
		if slices.Contains([]string{h.Shows, h.Claimed, h.Opposite, h.Between}, "") {
			t.Errorf("the headline of figure %d lacks words: %+v", figure.Number, h)
		}
	}
}

func TestSubject(t *testing.T) {
	r := fixture(1, 2, 3, 4, 5)
	r.Setup.Config = allCNNC(Desk).Config
	const want = "All-CNN-C, all training data of CIFAR-10, 30 epochs, seeds 1 to 5"
	if got := r.subject(); got != want {
		t.Errorf("the subject is %q, want %q", got, want)
	}
	r.LeftOut = []string{"M16 seed 6: not begun"}
	if got := r.subject(); !strings.HasSuffix(got, "; 1 run left out") {
		t.Errorf("the subject is %q, want one that says what is left out", got)
	}
}
