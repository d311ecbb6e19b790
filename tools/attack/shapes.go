package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
)

// kernelShapes is how many random shapes a set of kernels was compared on.
type kernelShapes struct {
	Sets      string  `json:"sets"` // that were compared, such as "AVX-512, AVX2 and portable"
	Processor string  `json:"processor"`
	Shapes    int     `json:"shapes"`
	Workers   string  `json:"workers"` // numbers of workers of the test for those
	Minutes   float64 `json:"minutes"`
	Program   string  `json:"program,omitempty"` // SHA-256 of the program that compared them
	Date      string  `json:"date,omitempty"`    // of the first and the last part; before it was kept, that of the record
	Machine   string  `json:"machine,omitempty"` // that compared them; before it was kept, that of the record

	// Largest differences that the test allows, of the largest value, and those of normalisation.
	Tolerance     float64 `json:"tolerance"`
	Normalisation float64 `json:"normalisation_tolerance"`
}

// shapesOptions are the flags of the command shapes.
type shapesOptions struct {
	here, emulated int // shapes
	part           int // shapes of a process
	resume         bool
}

// shapesCommand compares all kernels on random shapes.
func shapesCommand(a *app) *cobra.Command {
	options := shapesOptions{here: 10000, emulated: 1000, part: 250}
	command := &cobra.Command{
		Use: "shapes", Short: "Compare all kernels on random shapes, those for arm64 in qemu-aarch64",
		Long: "Compare all kernels on random shapes, those for arm64 in qemu-aarch64. Shapes are numbered: a call compares the\n" +
			"first ones, a part of them in each process, and records each part when it ends. With --continue it continues\n" +
			"where the record ends, if the kernels, their tests, the instruction sets and the machine are the same.",
		Args: commandline.Arguments(), Example: "  attack shapes --shapes 200\n  attack shapes --emulated 10000 --record attacks.json --continue",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := options.check(a.record); err != nil {
				return commandline.Usage(err)
			}
			return a.shapes(c.Context(), options)
		},
	}
	command.Flags().IntVar(&options.here, "shapes", options.here, "random shapes on this processor; 0 compares none")
	command.Flags().IntVar(&options.emulated, "emulated", options.emulated, "random shapes in qemu-aarch64, about five a second; 0 compares none")
	command.Flags().IntVar(&options.part, "part", options.part, "shapes that a process compares before they are recorded")
	command.Flags().BoolVar(&options.resume, "continue", false, "keep the shapes that --record holds, and compare the rest")
	return command
}

// check refuses numbers that compare nothing.
func (o shapesOptions) check(record string) error {
	switch {
	case min(o.here, o.emulated) < 0 || o.here+o.emulated == 0:
		return fmt.Errorf("attack shapes: %d shapes and %d emulated: give 0 or more of each, and one of them above 0", o.here, o.emulated)
	case o.part < 1:
		return fmt.Errorf("attack shapes: parts of %d shapes: give 1 or more", o.part)
	case o.resume && record == "":
		return errors.New("attack shapes: --continue needs the record: name its file with --record")
	}
	return nil
}

// shapes runs the tests of the kernels on this processor and, if qemu is there, on arm64.
func (a *app) shapes(ctx context.Context, options shapesOptions) error {
	var all []kernelShapes
	if a.record != "" {
		records, err := readRecords(a.record)
		if err != nil {
			return err
		}
		all = records["shapes"].compared()
	}
	place, err := os.MkdirTemp("", "nbbnn-shapes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	here := kernelTest{processor: runtime.GOARCH, count: options.here}
	emulated := kernelTest{processor: "arm64", emulator: "qemu-aarch64", count: options.emulated}
	var none error // why no kernels were compared
	compared := false
	for _, t := range []kernelTest{here, emulated} {
		if t.count == 0 {
			continue
		}
		if none = t.missing(); none != nil {
			fmt.Fprintf(a.out, "attack   not compared: %v\n", none)
			continue
		}
		t.program = filepath.Join(place, t.processor+".test")
		if err := t.build(ctx); err != nil {
			return err
		}
		if all, err = a.compareShapes(ctx, t, options, all); err != nil {
			return err
		}
		compared = true
	}
	if !compared {
		return fmt.Errorf("attack shapes: nothing was compared: %w", none)
	}
	return nil
}

// compareShapes runs a test part by part, and records each.
func (a *app) compareShapes(ctx context.Context, t kernelTest, options shapesOptions, all []kernelShapes) ([]kernelShapes, error) {
	done := kernelShapes{Processor: t.processor, Machine: machine.Describe().String()}
	var err error
	if done.Program, err = hashOf(t.program); err != nil {
		return all, err
	}
	at := slices.IndexFunc(all, func(k kernelShapes) bool { return k.Processor == t.processor })
	if at < 0 {
		at, all = len(all), append(all, done)
	}
	if options.resume && all[at].Shapes > 0 {
		if done, err = a.resumed(ctx, t, all[at], done); err != nil {
			return all, err
		}
	}
	for done.Shapes < t.count {
		started, count := time.Now(), min(options.part, t.count-done.Shapes)
		fmt.Fprintf(a.out, "attack   %s\n", t.part(done.Shapes, count))
		part, err := t.compare(ctx, done.Shapes, count, done.Workers == "")
		if ctx.Err() != nil {
			return all, a.stopped(done)
		}
		if err != nil {
			return all, err
		}
		part.Date = time.Now().UTC().Format(time.DateOnly)
		done.add(part, time.Since(started))
		all[at] = done
		if err := a.recordShapes(all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// resumed returns the recorded shapes if the same program would compare the same sets on the same
// machine, and otherwise none, with a message.
func (a *app) resumed(ctx context.Context, t kernelTest, recorded, none kernelShapes) (kernelShapes, error) {
	other := "of other kernels"
	if recorded.Program == none.Program {
		now, err := t.compare(ctx, 0, 0, false)
		switch {
		case ctx.Err() != nil:
			return none, a.stopped(recorded)
		case err != nil:
			return none, err
		case recorded.Sets != now.Sets:
			other = fmt.Sprintf("of %s, and here are %s", recorded.Sets, now.Sets)
		case recorded.Machine != none.Machine:
			other = fmt.Sprintf("of another machine (%s)", recorded.Machine)
		default:
			fmt.Fprintf(a.out, "attack   %d shapes on %s are recorded\n", recorded.Shapes, t.processor)
			return recorded, nil
		}
	}
	fmt.Fprintf(a.out, "attack   the %d recorded shapes on %s are %s: all are compared again\n", recorded.Shapes, t.processor, other)
	return none, nil
}

// stopped is the error of a comparison that was interrupted after some shapes.
func (a *app) stopped(done kernelShapes) error {
	next := "repeat with --continue"
	if a.record == "" {
		next = "--record FILE would have kept them, for --continue"
	}
	return stop(fmt.Sprintf("attack shapes: stopped after %s on %s: %s", quantity.Count(done.Shapes, "shape"), done.Processor, next))
}

// stop is the text of an interruption.
type stop string

func (s stop) Error() string { return string(s) }

func (stop) Unwrap() error { return context.Canceled }

// add adds a part that took a time.
func (k *kernelShapes) add(part kernelShapes, took time.Duration) {
	k.Sets, k.Tolerance, k.Normalisation = part.Sets, part.Tolerance, part.Normalisation
	k.Shapes, k.Date = k.Shapes+part.Shapes, span(k.Date, part.Date)
	k.Minutes += took.Round(time.Second).Minutes()
	if part.Workers != "" {
		k.Workers = part.Workers
	}
}

// recordShapes records what all processors compared, if there is a file for it.
func (a *app) recordShapes(all []kernelShapes) error {
	if a.record == "" {
		return nil
	}
	r := newRecord(a, "shapes", 0, nil)
	here, emulated := 0, 0
	var dates []string
	for _, k := range all {
		dates = append(dates, k.Date)
		if r.Minutes += k.Minutes; k.Processor == runtime.GOARCH {
			here += k.Shapes
		} else {
			emulated += k.Shapes
		}
	}
	r.Date = span(dates...)
	r.Shapes, r.Command = all, fmt.Sprintf("attack shapes --shapes %d --emulated %d", here, emulated)
	return addRecord(a.record, r)
}

// compared returns the shapes of each processor with their dates and machines.
func (r record) compared() []kernelShapes {
	all := slices.Clone(r.Shapes)
	for i := range all {
		all[i].Date, all[i].Machine = cmp.Or(all[i].Date, r.Date), cmp.Or(all[i].Machine, r.Machine)
	}
	return all
}

// hashOf returns the SHA-256 of a file, in hexadecimal.
func hashOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}
