package viz

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestTrainingHTML(t *testing.T) {
	view := Training{
		Phase: "train", Name: "M32 <2>", Text: "epoch 7/12", Fraction: 0.5, Rate: 1480.4, Remaining: 12 * time.Second,
		Curves: []Progression{
			{Name: "NLL", Values: []float64{2, math.NaN(), 1}},
			{Name: "one epoch", Values: []float64{1}},
			{Name: "flat", Values: []float64{3, 3}},
		},
	}
	got := view.HTML()
	for _, want := range []string{
		"train  M32 &lt;2&gt;   epoch 7/12   1480 images/s   12s left",
		"width:50.0%",
		`points="3.0,3.0 167.0,43.0"`,
		`points="3.0,23.0 167.0,23.0"`,
		"<b>1</b>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("HTML lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "one epoch") {
		t.Errorf("a curve of one point is drawn:\n%s", got)
	}
	if open, closed := strings.Count(got, "<div"), strings.Count(got, "</div>"); open != closed {
		t.Errorf("%d divisions are opened, %d closed", open, closed)
	}
}

// Only a view in a notebook's element brings the script that keeps it up to date, with the identifier that the script looks for.
func TestTrainingElement(t *testing.T) {
	for _, c := range []struct {
		element string
		scripts int
	}{{"", 0}, {"training_7", 1}} {
		got := Training{Element: c.element}.HTML()
		if scripts := strings.Count(got, "<script>"); scripts != c.scripts || !strings.Contains(got, `data-element="`+c.element+`"`) {
			t.Errorf("element %q: got %d scripts, want %d:\n%s", c.element, scripts, c.scripts, got)
		}
	}
}

func TestTrainingFractionStaysInTheBar(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		want     string
	}{{-1, "width:0.0%"}, {1.5, "width:100.0%"}, {math.NaN(), "width:0.0%"}} {
		if got := (Training{Fraction: c.fraction}).HTML(); !strings.Contains(got, c.want) {
			t.Errorf("fraction %g: HTML lacks %q:\n%s", c.fraction, c.want, got)
		}
	}
}
