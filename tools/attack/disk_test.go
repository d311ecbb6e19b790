package main

import (
	"io"
	"testing"
	"time"
)

// Each fault is tried, though the work before it ended without one.
func TestDiskTriesEveryFault(t *testing.T) {
	const beyondTheLast = 10000 // so that each fault concerns the first step alone
	a := &assault{app: &app{out: io.Discard, stride: beyondTheLast}, place: t.TempDir(), started: time.Now()}
	if err := a.disk(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if !a.tally.has("disk", f.name) {
			t.Errorf("%q wasn't tried", f.name)
		}
	}
	for _, r := range a.tally.rows {
		if r.Tried != 1 || r.bad() > 0 {
			t.Errorf("%v: want one attack, which is noticed", r)
		}
	}
}
