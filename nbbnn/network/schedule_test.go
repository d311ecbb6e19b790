package network

import (
	"strconv"
	"strings"
	"testing"
)

func TestSchedulesAgreeWithOracles(t *testing.T) {
	factors, betas := 0, 0 // compared
	for name, values := range oracle[map[string]map[string]any](t, "schedules") {
		of, found := strings.CutPrefix(name, "lr_factor_")
		ramp, isBeta := strings.CutPrefix(name, "beta_")
		for key, want := range values {
			epoch, err := strconv.Atoi(key)
			switch {
			case err != nil:
			case found:
				factors++
				near(t, name+" at epoch "+key, LearningRateFactor(epoch, atoi(t, of)), want, 1e-12)
			case isBeta:
				betas++
				near(t, name+" at epoch "+key, Beta(epoch, atoi(t, ramp)), want, 1e-12)
			}
		}
	}
	if factors == 0 || betas == 0 {
		t.Errorf("%d factors of the learning rate and %d values of beta compared, want some of both", factors, betas)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBetaWithoutRamp(t *testing.T) {
	near(t, "beta", Beta(0, 0), 1.0, 0)
}
