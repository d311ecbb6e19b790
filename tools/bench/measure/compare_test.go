package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This test binary stands in for a benchmark: with the variable set it prints a result of so many
// seconds, or fails.
const standIn = "NBBNN_BENCH_STAND_IN"

// standInMeeting names the folder where copies of the stand-in meet.
const standInMeeting = "NBBNN_BENCH_STAND_IN_MEETING"

// meet waits until so many processes are there, and returns the number of this one, from 1, or 0 if
// the others don't come.
func meet(folder string, processes int) (number int) {
	place := func(i int) string { return filepath.Join(folder, strconv.Itoa(i)) }
	for number = 1; os.Mkdir(place(number), 0o700) != nil; number++ {
	}
	const looks = 10_000 // a millisecond apart
	for range looks {
		if _, err := os.Stat(place(processes)); err == nil {
			return number
		}
		time.Sleep(time.Millisecond)
	}
	return 0
}

func TestMain(m *testing.M) {
	value, is := os.LookupEnv(standIn)
	if !is {
		os.Exit(m.Run())
	}
	if meeting := os.Getenv(standInMeeting); meeting != "" {
		value = fmt.Sprint(meet(meeting, 3))
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		fmt.Fprintf(os.Stderr, "first line\nthe stand-in can't read %q\n", value)
		os.Exit(1)
	}
	result := Result{What: "train", Workload: Workload{Network: "allcnnc", Width: 8, Images: 4, Samples: 2}, Operations: 1e9, PeakGFLOPS: 2, PeakMemory: 100, StartMemory: 40}
	result.Time([]float64{seconds, seconds, seconds})
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		os.Exit(1)
	}
}

func program(name, value string) Program {
	return Program{Name: name, Command: []string{os.Args[0]}, Environment: []string{standIn + "=" + value}}
}

func TestCompareGivesRatiosToTheFirst(t *testing.T) {
	var rounds []int
	c, err := Compare(t.Context(), []Program{program("ours", "0.5"), program("theirs", "2")}, 3, func(round int) { rounds = append(rounds, round) })
	if err != nil {
		t.Fatal(err)
	}
	if c.Steps != 3 || c.Rounds != 3 || len(rounds) != 3 || c.Network != "allcnnc" {
		t.Errorf("comparison of %d steps in %d rounds, %d reported, of %q; want 3, 3, 3 of allcnnc", c.Steps, c.Rounds, len(rounds), c.Network)
	}
	if got := c.Entries[1]; got.Ratio.Median != 0.25 || got.Seconds.Median != 2 || got.Total.Median != 6 {
		t.Errorf("theirs has ratio %g, median %g s, total %g s; want 0.25, 2 and 6", got.Ratio.Median, got.Seconds.Median, got.Total.Median)
	}
}

// What was measured of the others isn't lost when one of them fails, but without ours there is
// nothing to compare.
func TestCompareKeepsWhatWasMeasured(t *testing.T) {
	works, fails := program("works", "1"), program("fails", "nothing")
	for _, test := range []struct {
		programs []Program
		want     int // entries
	}{{[]Program{works, fails, works}, 2}, {[]Program{fails, works}, 0}} {
		c, err := Compare(t.Context(), test.programs, 2, func(int) {})
		if err == nil || !strings.Contains(err.Error(), "bench: fails failed") || len(c.Entries) != test.want {
			t.Errorf("%d entries, error %v, want %d and what failed", len(c.Entries), err, test.want)
		}
	}
}

// A cancellation leaves the rounds that are complete.
func TestCompareKeepsCompleteRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := Compare(ctx, []Program{program("ours", "0.5"), program("theirs", "2")}, 3, func(round int) {
		if round == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	if c.Rounds != 2 || len(c.Entries) != 2 {
		t.Fatalf("%d entries of %d rounds, want 2 of 2", len(c.Entries), c.Rounds)
	}
	for _, entry := range c.Entries {
		if entry.Seconds.Count != 2 {
			t.Errorf("%s has %d rounds, want 2", entry.Name, entry.Seconds.Count)
		}
	}
}

func TestCompareNeedsARound(t *testing.T) {
	for _, rounds := range []int{0, -1} {
		_, err := Compare(t.Context(), []Program{program("ours", "1")}, rounds, func(int) {})
		if err == nil || !strings.Contains(err.Error(), "choose at least 1") {
			t.Errorf("%d rounds: error %v, want one that names the least", rounds, err)
		}
	}
}

// Copies run at once, so each can wait for the others, and the slowest counts.
func TestCopiesRunAtOnce(t *testing.T) {
	meeting := t.TempDir()
	p := program("ours", "by copy")
	p.Copies, p.Environment = 3, append(p.Environment, standInMeeting+"="+meeting)
	result, err := p.Run(t.Context())
	if err != nil || result.MedianSeconds != 3 {
		t.Errorf("copies of 1, 2 and 3 seconds give %g s (%v), want 3", result.MedianSeconds, err)
	}
}

func TestProgramThatFailsIsQuoted(t *testing.T) {
	_, err := program("theirs", "nothing").Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bench: theirs failed") || !strings.HasSuffix(err.Error(), `the stand-in can't read "nothing"`) {
		t.Errorf("error %v, want one that names the program and its last line", err)
	}
	if _, err := program("theirs", "0").Run(t.Context()); err == nil {
		t.Error("a time of 0 s is accepted")
	}
}
