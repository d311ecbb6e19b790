package main

import (
	"strings"
	"testing"
)

// Noise that isn't tested yet is left out of a comparison with its parent, which needs one sample. The
// cure asks for the usual number of samples, unless another one was asked for.
func TestCompareNamesTheUsualTestOfNoise(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	fixed := cardOf(t, "posthoc", "--from", parent, "--epochs", "0", "--runs", runs).Run
	if _, stderr, status := execute(t, "evaluate", parent, "--corruptions", "fog", "--images", "4", "--runs", runs); status != exitDone {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		flags      []string
		want, lack string
	}{
		{nil, "--suite fog --images 4` does so", "--samples"},
		{[]string{"--suite", "fog", "--samples", "1", "--images", "4"}, "--suite fog --samples 1 --images 4` tests them", "Run.Evaluate"},
	} {
		_, stderr, status := execute(t, append([]string{"compare", parent, fixed, "--runs", runs}, c.flags...)...)
		if status != exitDone || !strings.Contains(stderr, c.want) || strings.Contains(stderr, c.lack) || !strings.Contains(stderr, "runs of a single method are left") {
			t.Errorf("%v: status %d, %s", c.flags, status, stderr)
		}
	}
}

// The latest evaluation is compared, and a larger one of the same runs is named.
func TestCompareNamesALargerEvaluation(t *testing.T) {
	runs := t.TempDir()
	run := ordinaryRun(t, runs)
	for _, flags := range [][]string{{"--corruptions", "fog,snow", "--images", "6"}, {"--corruptions", "fog", "--images", "4"}} {
		if _, stderr, status := execute(t, append([]string{"evaluate", run, "--runs", runs}, flags...)...); status != exitDone {
			t.Fatal(stderr)
		}
	}
	const flags, note = "--suite fog,snow --samples 1 --images 6", "a larger evaluation of these runs is there: "
	if _, stderr, status := execute(t, "compare", run, "--runs", runs); status != exitDone || !strings.Contains(stderr, note+flags) {
		t.Errorf("status %d, %s", status, stderr)
	}
	stdout, stderr, status := execute(t, append([]string{"compare", run, "--runs", runs}, strings.Fields(flags)...)...)
	if status != exitDone || strings.Contains(stderr, note) || !strings.Contains(stdout, "6 images") {
		t.Errorf("with these flags: status %d, %s%s", status, stdout, stderr)
	}
}
