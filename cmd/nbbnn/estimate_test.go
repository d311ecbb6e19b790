package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestTrainEstimatesOnlyWhatIsNew(t *testing.T) {
	runs := t.TempDir()
	for i, want := range []bool{true, false} {
		_, stderr, status := execute(t, tinyRun(runs)...)
		if got := strings.Contains(stderr, "plan     "); got != want || status != exitDone {
			t.Errorf("training number %d announces a plan: %v, want %v; exit status %d\n%s", i+1, got, want, status, stderr)
		}
	}
}

func TestUnknownEstimateStopsNothing(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{streams: streams{out: &bytes.Buffer{}, err: &stderr}}
	bad := nbbnn.Config{Network: nbbnn.Network{Name: "abacus"}}
	if err := a.announceEstimate(t.Context(), bad); err != nil || !strings.HasPrefix(stderr.String(), "plan     unknown: ") {
		t.Errorf("got error %v and %q, want a line that says why the plan is unknown", err, stderr.String())
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.announceEstimate(cancelled, nbbnn.Config{}); !errors.Is(err, nbbnn.ErrStopped) {
		t.Errorf("cancelled: got error %v, want %v", err, nbbnn.ErrStopped)
	}
}
