package main

import (
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// A command that ends by a signal of another isn't one that was killed here.
func TestKillAfter(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("nothing was killed: %v", err)
	}
	for _, c := range []struct {
		script string
		after  time.Duration
		killed bool
		status int
	}{
		{"exec sleep 100", 0, true, -1},
		{"kill -9 $$", time.Hour, false, -1},
		{"exit 3", time.Hour, false, 3},
	} {
		killed, got, err := killAfter(t.Context(), program{path: shell}, t.TempDir(), c.after, []string{"-c", c.script})
		if err != nil || killed != c.killed || got.Status != c.status {
			t.Errorf("%q: killed %v, status %d (%v), want %v and %d", c.script, killed, got.Status, err, c.killed, c.status)
		}
	}
}

// Each kill counts, and a bad verdict without one.
func TestCountOfKills(t *testing.T) {
	for _, c := range []struct {
		kills      int
		verdict    string
		tried, bad int
	}{{0, harmless, 0, 0}, {0, silent, 1, 1}, {1, crashed, 1, 1}, {3, harmless, 3, 0}, {3, leftover, 3, 1}} {
		k := kills{flips: flips{tally: &tally{}, report: io.Discard}}
		k.count("train", c.kills, c.verdict, "")
		tried, bad := 0, 0
		for _, r := range k.tally.rows {
			tried, bad = tried+r.Tried, bad+r.bad()
		}
		if tried != c.tried || bad != c.bad {
			t.Errorf("%d kills, %s: %d tried and %d bad, want %d and %d", c.kills, c.verdict, tried, bad, c.tried, c.bad)
		}
	}
}

// Verdicts of one of several processes.
func TestEndsTogether(t *testing.T) {
	for _, c := range []struct {
		end  end
		want string
	}{
		{end{}, harmless},
		{end{answer: answer{Status: -1}, killed: true}, harmless},
		{end{answer: answer{Status: -1}}, crashed},
		{end{answer: answer{Status: 2, Err: "panic: no\n\ngoroutine 1 [running]:\n"}}, crashed},
		{end{answer: answer{Status: commandline.Stopped}}, harmless},
		{end{answer: answer{Status: 1, Err: "the run " + completed}}, harmless},
		{end{answer: answer{Status: 1, Err: "no"}}, unclear},
	} {
		if got := c.end.verdict(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.end, got, c.want)
		}
	}
}
