package progress

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestParts(t *testing.T) {
	for _, c := range []struct {
		update Update
		want   string
	}{
		{Update{Phase: "train", Run: "9f3c2a", Name: "M32 seed 2", Epoch: 3, Epochs: 12,
			Loss: 0.412, Entropy: 81.3, Error: 0.091, Rate: 1480.4},
			"train    M32 seed 2   epoch 3/12   loss 0.412   entropy 81.3   training error 9.1%  " +
				" 1,480 img/s"},
		{Update{Phase: "test", Run: "9f3c2a", Corruption: "fog", Severity: 3},
			"test     9f3c2a   fog 3"},
		{Update{Phase: "test", Run: "9f3c2a", Corruption: "clean"}, "test     9f3c2a   clean"},
		{Update{Phase: "implicit", Run: "a", Image: 1, Images: 8, Step: 500},
			"implicit a   image 1/8   step 500"},
		{Update{Phase: "layer", Run: "a", Layer: "conv1", Done: 8, Total: 2000},
			"layer    a   conv1   draw 8/2000"},
		{Update{Phase: "draw", Run: "a", Sample: 3, Samples: 30}, "draw     a   weights 3/30   " +
			"batch normalisation"},
		{Update{Phase: "make", Name: "out"}, "make     out"},
		{Update{Phase: "fetch    a.tar", Amount: "1 MB of 2 MB"}, "fetch    a.tar   1 MB of 2 MB"},
	} {
		if got := Join(c.update.Parts()); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		update   Update
		counted  string
		fraction float64
	}{
		{Update{Phase: "train", Done: 37, Total: 100}, "37%", 0.37},
		{Update{Phase: "train", Place: 2, Runs: 4, Done: 50, Total: 100}, "2/4", 0.375},
		{Update{Phase: "test", Place: 2, Runs: 4, Done: 5, Total: 41}, "46/164", (1 + 5.0/41) / 4},
		{Update{Phase: "train"}, "0%", 0},
	} {
		if got := c.update.Counted(); got != c.counted ||
			math.Abs(c.update.Fraction()-c.fraction) > 1e-12 {
			t.Errorf("got %s and %g, want %s and %g", got, c.update.Fraction(), c.counted,
				c.fraction)
		}
	}
}

func TestFuncOfRunAndPart(t *testing.T) {
	var got Update
	report := Func(func(u Update) { got = u }).Of("mine", 2, 3).Part(10, 30)
	report.Report(Update{Phase: "layer", Done: 5, Total: 20})
	if got.Name != "mine" || got.Place != 2 || got.Runs != 3 || got.Done != 15 || got.Total != 30 {
		t.Errorf("got %+v, want 15 of 30 of mine, run 2 of 3", got)
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, testClock)
}

func testClock(t *testing.T) {
	clock, start := Clock{}, time.Now()
	for _, c := range []struct {
		phase       string
		seconds     int64
		place, done int
		remaining   time.Duration
	}{
		{"train", 0, 2, 0, 0}, // the first run was there already
		{"train", 10, 2, 50, 50 * time.Second},
		{"train", 20, 3, 0, 40 * time.Second},
		{"train", 60, 4, 100, 0},
		{"test", 70, 1, 0, 0},
		{"test", 80, 2, 0, 30 * time.Second},
		{"test", 90, 1, 0, 0}, // other work of the same kind
	} {
		time.Sleep(time.Until(start.Add(time.Duration(c.seconds) * time.Second)))
		got := clock.Remaining(Update{Phase: c.phase, Place: c.place, Runs: 4, Done: c.done,
			Total: 100})
		if d := got - c.remaining; d < -time.Microsecond || d > time.Microsecond {
			t.Errorf("%s at %d s: %v left, want %v", c.phase, c.seconds, got, c.remaining)
		}
	}
}
