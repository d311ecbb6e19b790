package paper

import (
	"strings"
	"testing"
)

// If a figure's runs aren't trained to the end, the error says how far they are and how to continue.
func TestEvaluateBeforeTraining(t *testing.T) {
	figure := Figure03.Adjust(func(s *Setup) { s.Seeds = FirstSeeds(1) })
	_, err := figure.Evaluate(t.Context(), Smoke, Options{Runs: t.TempDir()})
	const want = "paper: training hasn't begun with M16 seed 1: run the training again to continue; 2 of 2 runs"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
