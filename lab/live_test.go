package lab

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/progress"
)

func training(done int) progress.Update {
	return progress.Update{
		Phase: "train", Name: "M32 <2>", Place: 1, Runs: 4, Done: done, Total: 12, Rate: 1480.4,
		Epoch: 7, Epochs: 12, Loss: 0.412, Entropy: 81.3, Error: 0.091,
	}
}

func TestLiveHTML(t *testing.T) {
	u := training(6)
	u.Curves = []progress.Curve{
		{Name: "NLL", Values: []float64{2, math.NaN(), 1}},
		{Name: "one epoch", Values: []float64{1}},
		{Name: "flat", Values: []float64{3, 3}},
	}
	got := liveHTML(u, 12*time.Second, "training_7", true)
	const line = "train    M32 &lt;2&gt;   epoch 7/12   loss 0.412   entropy 81.3   training " +
		"error 9.1%   1,480 img/s   12 s left   run 1 of 4"
	for _, want := range []string{
		`data-element="training_7"`, `data-line="` + line + `"`, ">" + line + "</div>",
		"width:12.5%",
		`points="3.0,3.0 167.0,43.0"`, `points="3.0,23.0 167.0,23.0"`, "<b>1</b>", "<script>",
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

// A view is drawn at most twice a second, but the end of a run always, without a script. Other work
// gets another view.
func TestLiveView(t *testing.T) {
	var elements, pages []string
	synced := 0
	view := &liveView{name: "mine", sync: func() { synced++ }, draw: func(element, html string) {
		elements, pages = append(elements, element), append(pages, html)
	}}
	for done := 1; done <= 12; done++ {
		view.report(training(done))
	}
	view.report(progress.Update{Phase: "train", Run: "9f3c2a", Done: 1, Total: 1})
	// the next of its kind
	view.report(progress.Update{Phase: "train", Run: "41ab07", Done: 1, Total: 1})
	if len(pages) != 4 || synced != 3 {
		t.Fatalf("%d views and %d synchronisations, want 4 and 3: %q", len(pages), synced, pages)
	}
	for i, script := range []bool{true, false, false, false} {
		if got := strings.Contains(pages[i], "<script>"); got != script {
			t.Errorf("view %d has a script: %v, want %v", i, got, script)
		}
	}
	if elements[0] != elements[1] || elements[1] == elements[2] || elements[2] != elements[3] {
		t.Errorf("elements %q, want one for the first work and another for the others, which are "+
			"alike", elements)
	}
	if !strings.Contains(pages[2], `data-line="train    mine   100%`) &&
		!strings.Contains(pages[2], `data-line="train    mine"`) {
		t.Errorf("the work without a name isn't called mine: %s", pages[2])
	}
}

// Outside a notebook a live view takes updates and shows nothing.
func TestLiveOutsideNotebook(t *testing.T) {
	Live("mine").Report(training(1))
}
