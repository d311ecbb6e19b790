package paper

import (
	"context"
	"math"
	"time"

	"github.com/nbbnn/workbench/nbbnn"
)

// Speed is how fast this machine trains, from trial steps of one network.
type Speed struct {
	Operations float64 // floating-point operations a second
	Memory     float64 // that the network takes to train, in bytes; 0 if unknown
}

// seconds is about how long operations take; 0 if the speed is unknown.
func (s Speed) seconds(operations float64) float64 {
	if s.Operations <= 0 {
		return 0
	}
	return operations / s.Operations
}

// Duration is about how long operations take; 0 if the speed is unknown.
func (s Speed) Duration(operations float64) time.Duration { return duration(s.seconds(operations)) }

// duration is a number of seconds, at most the 292 years that a duration can hold.
func duration(seconds float64) time.Duration {
	if seconds >= time.Duration(math.MaxInt64).Seconds() {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}

// speeds holds what was measured already, by the configuration.
type speeds map[nbbnn.Config]Speed

// of returns the speed of a network, which it measures in about a second unless it is known.
func (s speeds) of(ctx context.Context, config nbbnn.Config) (Speed, error) {
	if speed, found := s[config]; found {
		return speed, nil
	}
	cost, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return Speed{}, err
	}
	s[config] = Speed{Operations: trainingOperations(config) / cost.TotalSeconds, Memory: cost.Memory}
	return s[config], nil
}
