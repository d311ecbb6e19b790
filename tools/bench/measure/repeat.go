package measure

import (
	"context"
	"time"
)

// Repeat calls do so many times for warming up and then so many times with the clock running. It
// returns the seconds of each timed call, and stops between two calls when the context is
// cancelled.
func Repeat(ctx context.Context, warmUp, count int, do func() error) (seconds []float64, err error) {
	for i := range warmUp + count {
		if err := ctx.Err(); err != nil {
			return seconds, err
		}
		started := time.Now()
		if err := do(); err != nil {
			return seconds, err
		}
		if i >= warmUp {
			seconds = append(seconds, time.Since(started).Seconds())
		}
	}
	return seconds, nil
}
