package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// standIn lets this test binary stand in for a benchmark: it prints a result of so many seconds, or
// fails.
const standIn = "NBBNN_BENCH_STAND_IN"

func TestMain(m *testing.M) {
	value, is := os.LookupEnv(standIn)
	if !is {
		os.Exit(m.Run())
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		fmt.Fprintf(os.Stderr, "first line\nthe stand-in can't read %q\n", value)
		os.Exit(1)
	}
	result := Result{What: "train", Network: "allcnnc", Width: 8, Images: 4, Samples: 2, Steps: 3,
		MedianSeconds: seconds}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		os.Exit(1)
	}
}

// execute runs a command line in this process.
func execute(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), args, &out, &err)
	return out.String(), err.String(), status
}

func TestBenchPrintsWhatItMeasured(t *testing.T) {
	for _, what := range []string{"train", "evaluate"} {
		stdout, stderr, status := execute(t, what, "--width", "2", "--images", "2", "--samples",
			"2", "--steps", "3", "--warm-up", "1", "--side", "16", "--json")
		if status != commandline.Done {
			t.Fatalf("%s: exit status %d: %s", what, status, stderr)
		}
		var result Result
		if err := json.Unmarshal([]byte(stdout), &result); err != nil {
			t.Fatalf("%s: standard output isn't a result: %v\n%s", what, err, stdout)
		}
		if result.What != what || result.Steps != 3 || result.Seconds.Count != 3 ||
			result.Images*result.Samples != 4 {
			t.Errorf("%s: result is %+v, want 3 steps of 4 rows", what, result)
		}
		if result.MedianSeconds <= 0 || result.RowsPerSecond <= 0 || result.GFLOPS <= 0 {
			t.Errorf("%s: median %g s, %g rows/s, %g GFLOP/s; want positive numbers", what,
				result.MedianSeconds, result.RowsPerSecond, result.GFLOPS)
		}
	}
}

func TestBenchRefusesWhatItCannotMeasure(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train", "--network", "allcnn"}, `did you mean "allcnnc"?`},
		{[]string{"train", "--warm-up", "-1"}, "-1 warm-up"},
		{[]string{"evaluate", "--steps", "0"}, "0 steps"},
		{[]string{"peers", "--networks", "resnet50:8"}, `unknown network "resnet50:8"`},
		{[]string{"peers", "--what", "sleep", "--networks", "vgg16:8"},
			`unknown measurement "sleep"`},
		{[]string{"peers", "--with", "abacus", "--networks", "vgg16:8"},
			`unknown program "abacus"`},
		{[]string{"peers", "--precision", "bfloat", "--networks", "vgg16:8"},
			`did you mean "bfloat16"`},
	} {
		_, stderr, status := execute(t, c.args...)
		if status != commandline.Misused || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit status %d and %q, want %d and %q", c.args, status, stderr,
				commandline.Misused, c.want)
		}
	}
}

func TestAllPeersComputeInTheSamePrecision(t *testing.T) {
	flags := peerFlags{python: "python3", precision: "bfloat16", with: []string{"pytorch"},
		images: 4, samples: 1}
	programs := testkit.Must(flags.programs("train", network.Network{Name: "vgg16", Width: 8}))(t)
	for _, program := range programs {
		if got := strings.Join(program.Command, " "); strings.Count(got,
			"--precision bfloat16") != 1 {
			t.Errorf("%s is called as %q, want --precision bfloat16", program.Name, got)
		}
	}
}

func program(name, value string) Program {
	return Program{Name: name, Command: []string{os.Args[0]}, Environment: []string{standIn + "=" +
		value}}
}

func TestCompareGivesRatiosToTheFirst(t *testing.T) {
	var rounds []int
	c := testkit.Must(compare(t.Context(), []Program{program("ours", "0.5"),
		program("theirs", "2")}, 3, func(round int) { rounds = append(rounds, round) }))(t)
	if c.Steps != 3 || c.Rounds != 3 || len(rounds) != 3 || c.Network != "allcnnc" {
		t.Errorf("comparison of %d steps in %d rounds, %d reported, of %q; want 3, 3, 3 of allcnnc",
			c.Steps, c.Rounds, len(rounds), c.Network)
	}
	if got := c.Entries[1]; got.Ratio.Median != 0.25 || got.Seconds.Median != 2 {
		t.Errorf("theirs has ratio %g, median %g s; want 0.25 and 2", got.Ratio.Median,
			got.Seconds.Median)
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
		c, err := compare(t.Context(), test.programs, 2, func(int) {})
		if err == nil || !strings.Contains(err.Error(), "bench: fails failed") ||
			len(c.Entries) != test.want {
			t.Errorf("%d entries, error %v, want %d and what failed", len(c.Entries), err,
				test.want)
		}
	}
}

// A cancellation leaves the rounds that are complete.
func TestCompareKeepsCompleteRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := compare(ctx, []Program{program("ours", "0.5"), program("theirs", "2")}, 3,
		func(round int) {
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
		_, err := compare(t.Context(), []Program{program("ours", "1")}, rounds, func(int) {})
		if err == nil || !strings.Contains(err.Error(), "choose at least 1") {
			t.Errorf("%d rounds: error %v, want one that names the least", rounds, err)
		}
	}
}

func TestProgramThatFailsIsQuoted(t *testing.T) {
	_, err := program("theirs", "nothing").Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bench: theirs failed") ||
		!strings.HasSuffix(err.Error(), `the stand-in can't read "nothing"`) {
		t.Errorf("error %v, want one that names the program and its last line", err)
	}
	if _, err := program("theirs", "0").Run(t.Context()); err == nil {
		t.Error("a time of 0 s is accepted")
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   Spread
	}{
		{"one", []float64{3}, Spread{3, 3, 3, 3, 3, 1}},
		{"five, unsorted", []float64{5, 1, 4, 2, 3}, Spread{3, 2, 4, 1, 5, 5}},
		{"four, between two", []float64{1, 2, 3, 4}, Spread{2.5, 1.75, 3.25, 1, 4, 4}},
	} {
		if got := newSpread(c.values); got != c.want {
			t.Errorf("%s: spread is %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRepeatTimesOnlyWhatComesAfterTheWarmUp(t *testing.T) {
	calls := 0
	seconds, err := repeat(t.Context(), 2, 3, func() error { calls++; return nil })
	if err != nil || calls != 5 || len(seconds) != 3 {
		t.Errorf("%d calls, %d times, error %v, want 5, 3 and none", calls, len(seconds), err)
	}
	broken := errors.New("broken")
	if _, err := repeat(t.Context(), 0, 3, func() error {
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := repeat(cancelled, 0, 1, func() error {
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
