package dataset

import (
	"math"
	"os"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func write(t *testing.T, path string, bytes []byte) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, bytes, 0o644))
}

// checkError wants a one-line error of this package that holds every one of the texts.
func checkError(t *testing.T, err error, want ...string) {
	t.Helper()
	testkit.Error(t, "an error of this package", err, append(want, "dataset: ")...)
}

// checkMoments compares the data set's mean and standard deviation with those of its training
// images.
func checkMoments(t *testing.T, data *Dataset, tolerance float64) {
	t.Helper()
	mean, std := moments(data.Train)
	for channel := range channels {
		if d := math.Abs(mean[channel] - data.Mean[channel]); d > tolerance {
			t.Errorf("mean of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e", channel, mean[channel], data.Mean[channel], d, tolerance)
		}
		if d := math.Abs(std[channel] - data.Std[channel]); d > tolerance {
			t.Errorf("deviation of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e", channel, std[channel], data.Std[channel], d, tolerance)
		}
	}
}
