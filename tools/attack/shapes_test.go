package main

import (
	"io"
	"path/filepath"
	"runtime"
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

// The kernels are compared part by part: the parts add up, and a record of the same kernels is
// continued, of others replaced.
func TestShapesAreContinued(t *testing.T) {
	t.Chdir(root)
	a := &app{out: io.Discard, record: filepath.Join(t.TempDir(), "attacks.json")}
	compare := func(count int, resume bool) kernelShapes {
		t.Helper()
		if err := a.shapes(t.Context(), shapesOptions{here: count, part: 2, resume: resume}); err != nil {
			t.Fatal(err)
		}
		records, err := readRecords(a.record)
		if err != nil || len(records["shapes"].Shapes) != 1 {
			t.Fatalf("the record is %+v (%v)", records, err)
		}
		return records["shapes"].Shapes[0]
	}
	first := compare(3, false)
	if first.Shapes != 3 || first.Workers == "" || len(first.Program) != 64 {
		t.Errorf("3 shapes in parts of 2 are recorded as %+v", first)
	}
	if again := compare(3, true); again != first {
		t.Errorf("a complete record becomes %+v, was %+v", again, first)
	}
	if more := compare(5, true); more.Shapes != 5 || more.Workers != first.Workers {
		t.Errorf("continued to 5 shapes the record is %+v", more)
	}
	stale := first
	stale.Program, stale.Shapes = "other kernels", 100
	if err := a.recordShapes([]kernelShapes{stale}); err != nil {
		t.Fatal(err)
	}
	if got := compare(1, true); got.Shapes != 1 || got.Program != first.Program {
		t.Errorf("a record of other kernels is continued as %+v", got)
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
