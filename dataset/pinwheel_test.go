package dataset

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The hash is on the card of every run, so it never changes.
func TestPinwheelHash(t *testing.T) {
	data := testkit.Must(Open(t.Context(), Config{Name: Pinwheel}))(t)
	if want :=
		"7fac19a2d663be761bf335e55fcf187cbb644adf20ec87764c61749654d7a540"; data.Hash != want {
		t.Errorf("pinwheel has the hash\n%s, want\n%s", data.Hash, want)
	}
	fewer, err := Open(t.Context(), Config{Name: Pinwheel, TrainCount: 10, TestCount: 4})
	if err != nil || string(fewer.Train.Pixels) != string(data.Train.Pixels[:30]) {
		t.Errorf("the first ten points are others, error %v", err)
	}
	for c, mean := range data.Mean {
		var sum float64
		for i := c; i < len(data.Train.Pixels); i += 3 {
			sum += float64(data.Train.Pixels[i]) / 255 / float64(data.Train.Count())
		}
		if difference := sum - mean; difference > 0.02 || difference < -0.02 {
			t.Errorf("channel %d has the mean %.3f, want about %.3f", c, sum, mean)
		}
	}
}

func TestPinwheelRefuses(t *testing.T) {
	if _, err := Open(t.Context(), Config{Name: Pinwheel, TrainCount: pinwheelLimit +
		1}); err == nil || !strings.Contains(err.Error(), "at most 1,000,000") {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, Config{Name: Pinwheel}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}
