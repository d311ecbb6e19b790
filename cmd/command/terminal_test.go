package command

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbbnn/workbench/internal/progress"
)

func updateOf(phase string, place, done int) progress.Update {
	u := progress.Update{Phase: phase, Name: "M32 seed 2", Place: place, Runs: 2, Done: done,
		Total: 100, Rate: 1480.4}
	if phase == "test" {
		u.Corruption, u.Severity = "fog", 3
		return u
	}
	u.Epoch, u.Epochs, u.Loss, u.Entropy, u.Error = 1, 2, 0.412, 81.3, 0.091
	return u
}

func TestProgressWithoutTerminal(t *testing.T) {
	var text bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		p := newProgress(streams{err: &text}, "all of it")
		for done := range 101 {
			p.update(updateOf("train", 2, done))
		}
		time.Sleep(42 * time.Second)
		p.update(updateOf("test", 1, 50))
		time.Sleep(7 * time.Second)
		p.update(updateOf("test", 2, 100))
		p.finish()
		p.finish()
		time.Sleep(3 * time.Second)
		p.update(updateOf("test", 2, 100)) // is of one cell
		p.finish()
		p.update(updateOf("test", 1, 50)) // and is stopped
		p.finish()
	})
	const want = "train    M32 seed 2   epoch 1/2   loss 0.412   entropy 81.3   training error " +
		"9.1%   1,480 img/s   42 s   [==============]   2/2\n" +
		"test     all of it   1,480 img/s   7 s   [==============]   200/200\n" +
		"test     all of it   1,480 img/s   3 s   [==============]   200/200\n" +
		"test     M32 seed 2   fog 3   1,480 img/s   ...   [===           ]   50/200\n"
	if got := text.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// A long phase has lines before its end, as far apart in time and in work as a log wants.
func TestProgressOfALongPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		p := newProgress(streams{err: &text}, "")
		for _, c := range []struct {
			after time.Duration
			done  int
			lines int
		}{{0, 10, 0}, {logEvery, 11, 0}, {0, 20, 1}, {logEvery - 1, 40, 1}, {1, 41, 2},
			{time.Hour, 100, 2}} {
			time.Sleep(c.after)
			u := updateOf("train", 1, c.done)
			u.Runs = 1
			p.update(u)
			if got := strings.Count(text.String(), "\n"); got != c.lines {
				t.Errorf("at %d %%: %d lines, want %d:\n%s", c.done, got, c.lines, text.String())
			}
		}
	})
}

func TestFit(t *testing.T) {
	line := []progress.Part{{Text: "train"}, {Text: "epoch 1/2", Rank: 1},
		{Text: "loss 0.412", Rank: 3}, {Text: "12 s left", Rank: 2}, {Text: "1/4"}}
	for _, test := range []struct {
		columns int
		want    string
	}{
		{0, "train   epoch 1/2   loss 0.412   12 s left   1/4"},
		{49, "train   epoch 1/2   loss 0.412   12 s left   1/4"},
		{48, "train   epoch 1/2   12 s left   1/4"},
		{30, "train   epoch 1/2   1/4"},
		{5, "train   1/4"},
	} {
		if got := fit(line, test.columns); got != test.want {
			t.Errorf("in %d columns %q, want %q", test.columns, got, test.want)
		}
	}
}

func TestProgressOnTerminal(t *testing.T) {
	var text bytes.Buffer
	p := newProgress(streams{err: &text, terminal: true, columns: 60}, "")
	p.update(updateOf("train", 1, 50))
	p.update(updateOf("train", 1, 51)) // too soon after the first
	p.finish()
	lines := strings.Split(text.String(), "\r")
	if len(lines) != 3 || strings.Count(text.String(), "\n") != 1 {
		t.Fatalf("got %q, want two writes of one line", text.String())
	}
	if line := strings.TrimRight(lines[2], "\n"); len(strings.TrimSuffix(line, "\x1b[K")) >= 60 {
		t.Errorf("line %q is too long for 60 columns", line)
	}
}

// fullDisk is an output that takes nothing.
type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

// Output that can't be written is a failure; a reader that has seen enough is none.
func TestFullOutputIsAFailure(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{{syscall.ENOSPC, exitFailed}, {syscall.EPIPE, exitDone}} {
		for _, args := range [][]string{{"corrupt", "list"}, {"runs", "--json"}} {
			var problems bytes.Buffer
			status := run(t.Context(), append(args, "--runs", t.TempDir()),
				streams{out: fullDisk{c.err}, err: &problems})
			if status != c.status || c.status == exitFailed &&
				!strings.Contains(problems.String(), "can't be written") {
				t.Errorf("%v, %v: status %d, %q, want %d", args, c.err, status, problems.String(),
					c.status)
			}
		}
	}
}

// Without a home directory everything works that needs no file from there.
func TestRunsWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "NBBNN_DATA"} {
		t.Setenv(name, "")
	}
	wantStatus(t, exitDone, "", append(tinyRun(t.TempDir()), "--epochs", "1")...)
}
