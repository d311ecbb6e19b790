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
