package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// What a processor compared is in the file before the tests of the next one begin, and stays when
// another processor alone compares shapes later.
func TestShapesAreRecordedByProcessor(t *testing.T) {
	a := &app{out: io.Discard, record: filepath.Join(t.TempDir(), "attacks.json")}
	var all []kernelShapes
	for i, processor := range []string{runtime.GOARCH, "another"} {
		all = append(all, kernelShapes{Processor: processor, Shapes: 10 + i, Minutes: 1.5})
		if err := a.recordShapes(all); err != nil {
			t.Fatal(err)
		}
	}
	records, err := readRecords(a.record)
	if got := records["shapes"]; err != nil || len(got.Shapes) != 2 || got.Minutes != 3 || got.Command != "attack shapes --shapes 10 --emulated 11" {
		t.Errorf("the record is %+v (%v)", got, err)
	}
}

// The kernels are compared part by part: the parts add up, and a record of the same kernels, sets
// and machine is continued, any other replaced.
func TestShapesAreContinued(t *testing.T) {
	t.Chdir(root)
	var out strings.Builder
	a := &app{out: &out, record: filepath.Join(t.TempDir(), "attacks.json")}
	here := kernelTest{processor: runtime.GOARCH, program: filepath.Join(t.TempDir(), "kernel.test")}
	if err := here.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare := func(before kernelShapes, count int, resume bool, lines ...string) kernelShapes {
		t.Helper()
		out.Reset()
		test := here
		test.count = count
		if _, err := a.compareShapes(t.Context(), test, shapesOptions{part: 2, resume: resume}, []kernelShapes{before}); err != nil {
			t.Fatal(err)
		}
		records, err := readRecords(a.record)
		if err != nil || len(records["shapes"].Shapes) != 1 {
			t.Fatalf("the record is %+v (%v)", records, err)
		}
		var want strings.Builder
		for _, line := range lines {
			fmt.Fprintf(&want, "attack   %s\n", strings.ReplaceAll(line, "HERE", here.processor))
		}
		if out.String() != want.String() {
			t.Errorf("the comparison writes %q, want %q", out.String(), want.String())
		}
		return records["shapes"].Shapes[0]
	}
	first := compare(kernelShapes{Processor: here.processor, Shapes: 7}, 3, false, "shapes 0 to 1 for HERE", "shapes 2 to 2 for HERE")
	if first.Shapes != 3 || first.Workers == "" || len(first.Program) != 64 || first.Date == "" || first.Machine == "" {
		t.Errorf("3 shapes in parts of 2 are recorded as %+v", first)
	}
	if again := compare(first, 3, true, "3 shapes on HERE are recorded"); again != first {
		t.Errorf("a complete record becomes %+v, was %+v", again, first)
	}
	if more := compare(first, 5, true, "3 shapes on HERE are recorded", "shapes 3 to 4 for HERE"); more.Shapes != 5 || more.Workers != first.Workers {
		t.Errorf("continued to 5 shapes the record is %+v", more)
	}
	for other, change := range map[string]func(*kernelShapes){
		"of other kernels":                          func(k *kernelShapes) { k.Program = "other kernels" },
		"of portable, and here are " + first.Sets:   func(k *kernelShapes) { k.Sets = "portable" },
		"of another machine (8 cores, linux/amd64)": func(k *kernelShapes) { k.Machine = "8 cores, linux/amd64" },
	} {
		stale := first
		stale.Shapes = 320
		change(&stale)
		out.Reset()
		none := kernelShapes{Processor: here.processor, Program: first.Program, Machine: first.Machine}
		got, err := a.resumed(t.Context(), here, stale, none)
		want := "attack   the 320 recorded shapes on " + here.processor + " are " + other + ": all are compared again\n"
		if err != nil || got != none || out.String() != want {
			t.Errorf("a record %s is continued as %+v (%v) after %q, want %q", other, got, err, out.String(), want)
		}
	}
}

// What an earlier call compared keeps its date and machine, on the page, too. Records from before
// these were kept have those of the whole record.
func TestShapesKeepTheirDates(t *testing.T) {
	a := &app{out: io.Discard, record: filepath.Join(t.TempDir(), "attacks.json")}
	old := record{Kind: "shapes", Date: "2026-01-01", Machine: "8 cores, linux/amd64", Shapes: []kernelShapes{{Processor: "arm64", Shapes: 1}}}
	today := kernelShapes{Processor: "amd64", Shapes: 2, Date: "2026-01-03", Machine: "2 cores, linux/amd64"}
	if err := a.recordShapes(append(old.compared(), today)); err != nil {
		t.Fatal(err)
	}
	records, err := readRecords(a.record)
	if err != nil || records["shapes"].Date != "2026-01-01 to 2026-01-03" {
		t.Errorf("the record is %+v (%v)", records["shapes"], err)
	}
	page, err := pageOf(a.record)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"arm64: 2026-01-01, in qemu on 8 cores, linux/amd64.", "amd64: 2026-01-03, on 2 cores, linux/amd64."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// An interruption says how to continue, and has the status of a stop. A part that fails says which.
func TestInterruptedShapes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(kernelFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs("kernel.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := &app{out: io.Discard, record: "attacks.json"}
	test := kernelTest{processor: "amd64", program: program, count: 4}
	_, err = a.compareShapes(t.Context(), test, shapesOptions{part: 2}, nil)
	if err == nil || !strings.Contains(err.Error(), "shapes 0 to 1 for amd64") {
		t.Errorf("a part that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.compareShapes(ctx, test, shapesOptions{part: 2}, nil)
	if !errors.Is(err, context.Canceled) || err.Error() != "attack shapes: stopped after 0 shapes on amd64: repeat with --continue" {
		t.Errorf("an interruption: %v", err)
	}
}

// A call that compares nothing fails.
func TestShapesNeedAnEmulator(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := (&app{out: io.Discard}).shapes(t.Context(), shapesOptions{emulated: 5, part: 2})
	if err == nil || !strings.Contains(err.Error(), "nothing was compared") {
		t.Errorf("without an emulator: %v", err)
	}
}

func TestPartsAddUp(t *testing.T) {
	k := kernelShapes{Processor: "arm64", Program: "ab"}
	k.add(kernelShapes{Sets: "NEON, portable", Shapes: 250, Workers: "1 2", Tolerance: 1, Normalisation: 2}, 2*time.Minute)
	k.add(kernelShapes{Sets: "NEON, portable", Shapes: 50, Tolerance: 1, Normalisation: 2}, 30*time.Second)
	want := kernelShapes{Sets: "NEON, portable", Processor: "arm64", Shapes: 300, Workers: "1 2", Minutes: 2.5, Program: "ab", Tolerance: 1, Normalisation: 2}
	if k != want {
		t.Errorf("two parts are %+v, want %+v", k, want)
	}
}

func TestShapesRefuseNone(t *testing.T) {
	for _, arguments := range [][]string{{"--shapes", "0", "--emulated", "0"}, {"--shapes", "-1"}, {"--part", "0"}, {"--continue"}} {
		command := rootCommand(&app{out: io.Discard})
		command.SetArgs(append([]string{"shapes"}, arguments...))
		command.SilenceErrors, command.SilenceUsage = true, true
		if err := command.ExecuteContext(t.Context()); !commandline.IsUsage(err) {
			t.Errorf("%v: %v, want wrong usage", arguments, err)
		}
	}
}

func TestParseCompared(t *testing.T) {
	const shapes = `    sets_test.go:68: compared NEON, portable on 1000 shapes from 250 on within 4e-06, normalisation within 2e-05
`
	const workers = `    determinism_test.go:44: the same with 1 2 3 8 16 workers
--- PASS: TestResultsDoNotDependOnTheNumberOfCores (0.30s)
`
	want := kernelShapes{Sets: "NEON, portable", Shapes: 1000, Tolerance: 4e-6, Normalisation: 2e-5}
	if got, err := parseCompared(shapes, false); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	want.Workers = "1 2 3 8 16"
	if got, err := parseCompared(workers+shapes, true); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	if _, err := parseCompared(shapes, true); err == nil {
		t.Error("a text without numbers of workers has some")
	}
	if _, err := parseCompared("ok", false); err == nil {
		t.Error("a text without counts has some")
	}
}
