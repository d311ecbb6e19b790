package paper

import (
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestMeter(t *testing.T) {
	var got Update
	now := time.Unix(0, 0)
	meter := newMeter(func(u Update) { got = u }, 4)
	meter.now = func() time.Time { return now }
	for _, test := range []struct {
		seconds     int64
		place, done int
		fraction    float64
		remaining   time.Duration
	}{
		{0, 2, 0, 0.25, 0}, // the first run was there already
		{10, 2, 50, 0.375, 50 * time.Second},
		{20, 3, 0, 0.5, 40 * time.Second},
		{60, 4, 100, 1, 0},
	} {
		now = time.Unix(test.seconds, 0)
		meter.of("M32 seed 1", test.place)(nbbnn.Update{Phase: "train", Done: test.done, Total: 100})
		closeTo(t, "fraction", got.Fraction(), test.fraction, 1e-12)
		closeTo(t, "remaining seconds", got.Remaining.Seconds(), test.remaining.Seconds(), 1e-6)
	}
}

func TestUpdateString(t *testing.T) {
	u := Update{
		Update: nbbnn.Update{Phase: "train", Text: "epoch 1/2", Rate: 1480.4, Done: 1, Total: 2},
		Name:   "M32 seed 2", Place: 4, Runs: 4, Remaining: 12 * time.Second,
	}
	const want = "train    M32 seed 2   epoch 1/2   1480 img/s   4/4   12s left"
	if got := u.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The view of work that is done stays as it is, also where the last run of the list had nothing left to do.
func TestLiveViewEnds(t *testing.T) {
	var drawn []string
	view := &liveView{element: "training_1", draw: func(_, html string) { drawn = append(drawn, html) }}
	view.end()
	if len(drawn) != 0 {
		t.Errorf("%d views of no work", len(drawn))
	}
	for done := 1; done <= 2; done++ {
		view.report(Update{Update: nbbnn.Update{Phase: "train", Text: "epoch 2/2", Done: done, Total: 2}, Place: 1, Runs: 4})
	}
	view.end()
	if len(drawn) != 2 || !strings.Contains(drawn[0], "<script>") || strings.Contains(drawn[1], "<script>") || !strings.Contains(drawn[1], "run 1 of 4") {
		t.Errorf("%d views %q: want one that goes on and one that stays as it is", len(drawn), drawn)
	}
}
