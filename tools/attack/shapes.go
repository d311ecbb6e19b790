package main

import (
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
)

// kernelShapes is how many random shapes a set of kernels was compared on.
type kernelShapes struct {
	Sets      string  `json:"sets"` // that were compared, such as "AVX-512, AVX2 and portable"
	Processor string  `json:"processor"`
	Shapes    int     `json:"shapes"`
	Workers   string  `json:"workers"` // numbers of workers of the test for those
	Minutes   float64 `json:"minutes"`
	Program   string  `json:"program,omitempty"` // SHA-256 of the program that compared them

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
			"first ones, a part of them in each process, and records each part when it ends. With --continue it goes on where\n" +
			"the record ends, if the kernels and their tests are the same.",
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
		all = records["shapes"].Shapes
	}
	place, err := os.MkdirTemp("", "nbbnn-shapes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	here := kernelTest{processor: runtime.GOARCH, count: options.here}
	emulated := kernelTest{processor: "arm64", emulator: "qemu-aarch64", count: options.emulated}
	for _, t := range []kernelTest{here, emulated} {
		if t.count == 0 || !t.canRun(a.out) {
			continue
		}
		t.program = filepath.Join(place, t.processor+".test")
		if err := t.build(ctx); err != nil {
			return err
		}
		if all, err = a.compareShapes(ctx, t, options, all); err != nil {
			return err
		}
	}
	return nil
}

// compareShapes runs a test part by part, and records each.
func (a *app) compareShapes(ctx context.Context, t kernelTest, options shapesOptions, all []kernelShapes) ([]kernelShapes, error) {
	program, err := hashOf(t.program)
	if err != nil {
		return all, err
	}
	done := kernelShapes{Processor: t.processor, Program: program}
	at := slices.IndexFunc(all, func(k kernelShapes) bool { return k.Processor == t.processor })
	if at < 0 {
		at, all = len(all), append(all, done)
	}
	switch {
	case options.resume && all[at].Program == program:
		done = all[at]
		fmt.Fprintf(a.out, "attack   %d shapes on %s are recorded\n", done.Shapes, t.processor)
	case options.resume && all[at].Shapes > 0:
		fmt.Fprintf(a.out, "attack   the %d recorded shapes on %s are of other kernels: all are compared again\n", all[at].Shapes, t.processor)
	}
	for done.Shapes < t.count {
		started := time.Now()
		compared, err := t.compare(ctx, a.out, done.Shapes, min(options.part, t.count-done.Shapes), done.Workers == "")
		if err != nil {
			return all, err
		}
		done.add(compared, time.Since(started))
		all[at] = done
		if err := a.recordShapes(all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// add adds a part that took a time.
func (k *kernelShapes) add(part kernelShapes, took time.Duration) {
	k.Sets, k.Tolerance, k.Normalisation = part.Sets, part.Tolerance, part.Normalisation
	k.Shapes += part.Shapes
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
	for _, k := range all {
		if r.Minutes += k.Minutes; k.Processor == runtime.GOARCH {
			here += k.Shapes
		} else {
			emulated += k.Shapes
		}
	}
	r.Shapes, r.Command = all, fmt.Sprintf("attack shapes --shapes %d --emulated %d", here, emulated)
	return addRecord(a.record, r)
}

// hashOf returns the SHA-256 of a file, in hexadecimal.
func hashOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}
