package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/trial"
)

func TestAgreeJudgesEveryDifference(t *testing.T) {
	for _, test := range []struct {
		first, second float64
		agrees        bool
	}{
		{1e-6, 1e-6, true}, {2e-4, 1e-6, false}, {1e-6, 2e-4, false}, {1e-6, math.MaxFloat64, false}, {math.NaN(), 0, false},
	} {
		err := judge(trial.Agreement{Differences: []trial.Difference{{What: "loss", Value: test.first, Tolerance: 1e-4}, {What: "noise", Value: test.second, Tolerance: 1e-4}}})
		if (err == nil) != test.agrees {
			t.Errorf("losses %g apart, noise %g: got error %v, want agreement %v", test.first, test.second, err, test.agrees)
		}
	}
}

func TestAgreeComparesAtLeastOneStep(t *testing.T) {
	for _, steps := range []string{"0", "-1"} {
		if _, stderr, status := execute(t, "agree", "--steps", steps); status != commandline.Misused || !strings.Contains(stderr, "give --steps 1 or more") {
			t.Errorf("%s steps: exit status %d and %q, want %d and the least number", steps, status, stderr, commandline.Misused)
		}
	}
	t.Setenv("GOMLX_BACKEND", "go")
	stdout, stderr, status := execute(t, "agree", "--width", "2", "--steps", "1", "--json")
	var got trial.Agreement
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != commandline.Done || len(got.Differences) != 6 {
		t.Fatalf("an engine beside itself: %+v, error %v, exit status %d, %s; want 6 differences", got, err, status, stderr)
	}
	for _, d := range got.Differences {
		if d.Value != 0 {
			t.Errorf("an engine beside itself: %s differs by %g, want 0", d.What, d.Value)
		}
	}
}
