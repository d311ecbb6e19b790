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
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// overhead is the cost of checking, in processor time.
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

// checkingFunctions match the names of everything that checks: SHA-256, also where it names a
// configuration or a data set, and the comparison of rows and keys. Each must match a function in
// the sources: see TestCheckingFunctionsExist.
var checkingFunctions = []string{
	`sha256`, `score\.\(?\*?table\)?\.check`, `score\.\(?\*?table\)?\.seal`, `[cC]hecksum`, `DoubleKey`, `sealOf`, `checkSeal`,
}

// overheadCommand measures what checking costs.
func overheadCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "overhead", Short: "Measure what checking costs when a run is opened and tested",
		Args: commandline.Arguments(), Example: "  attack overhead",
		RunE: func(c *cobra.Command, _ []string) error { return a.overhead(c.Context()) },
	}
}

// overhead trains and tests a run, profiles opening it and a longer test, and records the result.
func (a *app) overhead(ctx context.Context) error {
	place, err := os.MkdirTemp("", "nbbnn-overhead-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	started := time.Now()
	measured, err := measureOverhead(ctx, place)
	if err != nil {
		return err
	}
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

// measureOverhead measures a run in a folder.
func measureOverhead(ctx context.Context, place string) (measured overhead, err error) {
	config := newSmallWork().config
	config.Network.Width, config.Data.Train, config.Data.Test, config.Training.Epochs = 16, 128, 200, 30
	run, err := nbbnn.Open(place, config)
	if err != nil {
		return measured, err
	}
	if err := run.Train(ctx, nil); err != nil {
		return measured, err
	}
	if err := measured.profileTest(ctx, place, run); err != nil {
		return measured, err
	}
	if err := measured.fill(ctx, run); err != nil {
		return measured, err
	}
	return measured, measured.profileOpening(ctx, place, config)
}

// longTest is the test that is measured.
var longTest = nbbnn.Evaluation{Suite: "all19", Samples: 16, Images: 100}

// profileTest measures a test. Checking takes so little of it that there may be no sample of it.
func (o *overhead) profileTest(ctx context.Context, place string, run *nbbnn.Run) error {
	total, checking, err := profiled(ctx, place, func() error {
		cells, err := run.Evaluate(ctx, longTest, nil)
		o.Cells = len(cells)
		return err
	})
	if err != nil {
		return err
	}
	o.Test = "19 corruptions at 5 levels, 100 images, 16 samples, All-CNN-C of width 16"
	o.Seconds, o.TestShare = total.Seconds(), 100*checking.Seconds()/total.Seconds()
	return nil
}

// fill tests a run until it has over 400 cells.
func (o *overhead) fill(ctx context.Context, run *nbbnn.Run) error {
	for seed := uint64(1); o.Cells <= 400; seed++ {
		tested, err := run.Evaluate(ctx, nbbnn.Evaluation{Suite: "all19", Samples: 1, Images: 8, Seed: seed}, nil)
		if err != nil {
			return err
		}
		o.Cells += len(tested)
	}
	return nil
}

// profileOpening measures opening a run often enough for many samples of checking.
func (o *overhead) profileOpening(ctx context.Context, place string, config nbbnn.Config) error {
	const times = 200
	total, checking, err := profiled(ctx, place, func() error {
		for range times {
			if err := openAll(place, config); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if checking == 0 {
		return errors.New("attack overhead: opening a run has no sample of checking: were the functions that check renamed?")
	}
	o.Opening, o.Checking = total.Seconds()*1000/times, checking.Seconds()*1000/times
	return nil
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
	_, err = run.Cells(longTest)
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
		"-focus="+strings.Join(checkingFunctions, "|"), path).CombinedOutput()
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
