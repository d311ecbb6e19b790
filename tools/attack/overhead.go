package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// overhead is what checking costs, in processor time.
type overhead struct {
	Cells     int     `json:"cells"`   // of the run that is opened
	Opening   float64 `json:"opening"` // milliseconds in all: configuration, card, history and cells
	Checking  float64 `json:"checking"`
	Test      string  `json:"test"`    // that is measured
	Seconds   float64 `json:"seconds"` // that it takes
	TestShare float64 `json:"share"`   // of checking, in percent
}

// What checking may cost.
const (
	openingLimit = 20 // milliseconds
	testLimit    = 1  // percent
)

// checkingFunctions match everything that checks: SHA-256, also where it names a configuration or a
// data set, and the comparison of rows and keys.
const checkingFunctions = `sha256|score\.table\.(check|seal)|[cC]hecksum|DoubleKey|sealOf|checkSeal`

// overheadCommand measures what checking costs.
func overheadCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "overhead", Short: "Measure what checking costs when a run is opened and tested",
		Args: commandline.Arguments(), Example: "  attack overhead",
		RunE: func(c *cobra.Command, _ []string) error { return a.overhead(c.Context()) },
	}
}

// overhead trains and tests a run, and profiles opening it and a longer test.
func (a *app) overhead(ctx context.Context) error {
	place, err := os.MkdirTemp("", "nbbnn-overhead-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	started := time.Now()
	work := newSmallWork()
	work.config.Network.Width, work.config.Data.Train, work.config.Data.Test, work.config.Training.Epochs = 16, 128, 200, 30
	run, err := nbbnn.Open(place, work.config)
	if err != nil {
		return err
	}
	if err := run.Train(ctx, nil); err != nil {
		return err
	}
	longTest := nbbnn.Evaluation{Suite: "all19", Samples: 16, Images: 100}
	measured := overhead{Test: "19 corruptions at 5 levels, 100 images, 16 samples, All-CNN-C of width 16"}
	total, checking, err := profiled(ctx, place, func() error {
		_, err := run.Evaluate(ctx, longTest, nil)
		return err
	})
	if err != nil {
		return err
	}
	measured.Seconds, measured.TestShare = total.Seconds(), 100*checking.Seconds()/total.Seconds()
	if measured.Cells, err = fillRun(ctx, run); err != nil {
		return err
	}
	const times = 200
	total, checking, err = profiled(ctx, place, func() error {
		for range times {
			if err := openAll(place, work.config); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	measured.Opening, measured.Checking = total.Seconds()*1000/times, checking.Seconds()*1000/times
	writeOverhead(a.out, measured)
	if a.record != "" {
		r := newRecord(a, "overhead", time.Since(started), nil)
		r.Command, r.Overhead = "attack overhead", &measured
		if err := addRecord(a.record, r); err != nil {
			return err
		}
	}
	if measured.Opening > openingLimit || measured.TestShare > testLimit {
		return errors.New("attack overhead: checking costs more than it may")
	}
	return nil
}

// fillRun tests a run until it has over 400 cells, and returns how many it has.
func fillRun(ctx context.Context, run *nbbnn.Run) (cells int, err error) {
	for seed := uint64(1); cells < 300; seed++ { // the long test has 96 more
		tested, err := run.Evaluate(ctx, nbbnn.Evaluation{Suite: "all19", Samples: 1, Images: 8, Seed: seed}, nil)
		if err != nil {
			return 0, err
		}
		cells += len(tested)
	}
	const longTest = 96
	return cells + longTest, nil
}

// openAll opens a run and reads everything but its weights.
func openAll(runs string, config nbbnn.Config) error {
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return err
	}
	if _, err := run.Card(); err != nil {
		return err
	}
	if _, err := run.History(); err != nil {
		return err
	}
	_, err = run.Cells(nbbnn.Evaluation{Suite: "all19", Samples: 16, Images: 100})
	return err
}

// profiled returns the processor time of some work, and how much of it is for checking.
func profiled(ctx context.Context, place string, work func() error) (total, checking time.Duration, err error) {
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		return 0, 0, err
	}
	err = work()
	pprof.StopCPUProfile()
	path := filepath.Join(place, "profile")
	if err = errors.Join(err, os.WriteFile(path, profile.Bytes(), 0o600)); err != nil {
		return 0, 0, err
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-unit=ms", "-nodefraction=0", "-nodecount=1000000",
		"-focus="+checkingFunctions, path).CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("attack overhead: %w: %s", err, out)
	}
	return parseProfile(string(out))
}

// profileTotals is the line of pprof with the time of the functions that are asked for and of all.
var profileTotals = regexp.MustCompile(`accounting for ([0-9.]+)(?:ms)?, [0-9.]+% of ([0-9.]+)ms total`)

func parseProfile(text string) (total, part time.Duration, err error) {
	found := profileTotals.FindStringSubmatch(text)
	if found == nil {
		return 0, 0, fmt.Errorf("attack overhead: pprof says no times: %s", text)
	}
	some, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, 0, err
	}
	all, err := strconv.ParseFloat(found[2], 64)
	milliseconds := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	return milliseconds(all), milliseconds(some), err
}

// writeOverhead writes the measurement as sentences.
func writeOverhead(w io.Writer, o overhead) {
	fmt.Fprintf(w, "Opening a run with %d cells takes %.1f ms (at most %d), of which checking takes %.1f ms.\n", o.Cells, o.Opening, openingLimit, o.Checking)
	fmt.Fprintf(w, "In a test of %.0f s (%s), checking takes %.2f %% (at most %d %%).\n", o.Seconds, o.Test, o.TestShare, testLimit)
}
