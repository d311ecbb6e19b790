package main

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// What one processor compared is in the file before the tests of the next one begin.
func TestShapesAreRecordedByProcessor(t *testing.T) {
	a := &app{out: io.Discard, record: filepath.Join(t.TempDir(), "attacks.json")}
	r := newRecord(a, "shapes", 0, nil)
	for i, processor := range []string{"amd64", "arm64"} {
		if err := a.recordShapes(&r, kernelShapes{Processor: processor, Shapes: 10}, time.Now()); err != nil {
			t.Fatal(err)
		}
		records, err := readRecords(a.record)
		if got := records["shapes"].Shapes; err != nil || len(got) != i+1 || got[i].Processor != processor {
			t.Errorf("after %s the record has %+v (%v)", processor, got, err)
		}
	}
}

func TestShapesRefuseNone(t *testing.T) {
	for _, arguments := range [][]string{{"--shapes", "0"}, {"--emulated", "0"}} {
		command := rootCommand(&app{out: io.Discard})
		command.SetArgs(append([]string{"shapes"}, arguments...))
		command.SilenceErrors, command.SilenceUsage = true, true
		if err := command.ExecuteContext(t.Context()); !commandline.IsUsage(err) {
			t.Errorf("%v: %v, want wrong usage", arguments, err)
		}
	}
}

func TestParseCompared(t *testing.T) {
	const said = `    determinism_test.go:44: the same with 1 2 3 8 16 workers
--- PASS: TestResultsDoNotDependOnTheNumberOfCores (0.30s)
    sets_test.go:68: compared NEON, portable on 1000 shapes within 4e-06, normalisation within 2e-05
`
	want := kernelShapes{Sets: "NEON, portable", Shapes: 1000, Workers: "1 2 3 8 16", Tolerance: 4e-6, Normalisation: 2e-5}
	if got, err := parseCompared(said); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	if _, err := parseCompared("ok"); err == nil {
		t.Error("a text without counts has some")
	}
}
