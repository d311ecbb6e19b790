package nbbnn_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// The runs in testdata/before were made by an earlier version of the workbench: several networks,
// modes and data sets, an interrupted run, an imported one and an ensemble. Only the form of their
// files was brought up to date. They must open, resume and give the same weights and cells.
const (
	runsBefore      = "testdata/before/runs"
	importedBefore  = "testdata/before/imported"
	interruptedRun  = "08f99d6bbd7d"
	resumedState    = "cc5b5c41feb7688e24388ffda9523dc8c0d3139fcc5c042d93caa33bd92e07de"
	cifarRun        = "77ddfa929861" // of CIFAR-10, which a machine may lack
	ensembleBefore  = "ensemble-2cef19393c64"
	kernelsOfBefore = "go (AVX" // the engine of their cards; other engines round differently
)

// evaluationBefore is the test that every finished run in testdata/before has in its cells.
var evaluationBefore = nbbnn.Evaluation{Suite: "first8", Samples: 2, Images: 8}

func TestRunsMadeBeforeOpenUnchanged(t *testing.T) {
	for _, directory := range []string{runsBefore, importedBefore} {
		parent := copyOfRuns(t, directory)
		for _, name := range runNames(t, parent) {
			if name == interruptedRun {
				continue
			}
			t.Run(name, func(t *testing.T) {
				run := openBefore(t, parent, name)
				before := testkit.Must(run.Card())(t)
				if name == cifarRun {
					return // its images aren't here
				}
				testkit.NoError(t, run.Train(context.Background(), nil))
				after := testkit.Must(run.Card())(t)
				if after.StateSHA256 != before.StateSHA256 {
					t.Errorf("state_sha256 = %s, want %s", after.StateSHA256, before.StateSHA256)
				}
			})
		}
	}
}

func TestInterruptedRunMadeBeforeResumes(t *testing.T) {
	run := openBefore(t, copyOfRuns(t, runsBefore), interruptedRun)
	if run.Complete() {
		t.Fatal("the interrupted run is complete before it is resumed")
	}
	testkit.NoError(t, run.Train(context.Background(), nil))
	card := testkit.Must(run.Card())(t)
	skipOtherEngine(t, card.Engine)
	if card.StateSHA256 != resumedState {
		t.Errorf("state_sha256 = %s, want %s", card.StateSHA256, resumedState)
	}
}

func TestCellsMadeBeforeAreComputedAgain(t *testing.T) {
	parent := copyOfRuns(t, runsBefore)
	for _, name := range runNames(t, parent) {
		if name == interruptedRun || name == cifarRun {
			continue
		}
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(parent, name, "cells.csv")
			want := read(t, file)
			run := openBefore(t, parent, name)
			if cells, err := run.Cells(evaluationBefore); err != nil || len(cells) != 41 {
				t.Errorf("%d cells (%v), want the 41 that the run has", len(cells), err)
			}
			for _, result := range []string{"cells.csv", "bins.csv"} {
				testkit.NoError(t, os.Remove(filepath.Join(parent, name, result)))
			}
			card := testkit.Must(run.Card())(t)
			testkit.Must(run.Evaluate(context.Background(), evaluationBefore, nil))(t)
			skipOtherEngine(t, card.Engine)
			got := read(t, file)
			if got, want = withoutTemperature(got), withoutTemperature(want); got != want {
				t.Errorf("the cells differ from those made before:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// withoutTemperature leaves the columns from the temperature on, and the checksums, which are of
// all columns, out of a text of cells.
func withoutTemperature(text string) string {
	header, _, _ := strings.Cut(text, "\n")
	columns := slices.Index(strings.Split(header, ","), "epistemic") + 1
	var lines []string
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		lines = append(lines, strings.Join(fields[:columns], ","))
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestEnsembleMadeBeforeIsFound(t *testing.T) {
	parent := copyOfRuns(t, runsBefore)
	members := []*nbbnn.Run{openBefore(t, parent, "d0f7142718f7"),
		openBefore(t, parent, "c29bc3f95eac")}
	ensemble := testkit.Must(nbbnn.OpenEnsemble(parent, members...))(t)
	if got := filepath.Base(ensemble.Directory()); got != ensembleBefore {
		t.Fatalf("the ensemble is in %s, want %s", got, ensembleBefore)
	}
	cells := testkit.Must(ensemble.Evaluate(context.Background(), evaluationBefore, nil))(t)
	if len(cells) != 41 {
		t.Errorf("%d cells, want 41", len(cells))
	}
}

func openBefore(t *testing.T, parent, name string) *nbbnn.Run {
	t.Helper()
	config := testkit.Must(nbbnn.ReadConfig(filepath.Join(parent, name, "config.json")))(t)
	run := testkit.Must(nbbnn.Open(parent, config))(t)
	if got := filepath.Base(run.Directory()); got != name {
		t.Fatalf("the run is in %s, want %s: its hash has changed", got, name)
	}
	return run
}

func copyOfRuns(t *testing.T, directory string) string {
	t.Helper()
	parent := t.TempDir()
	testkit.NoError(t, os.CopyFS(parent, os.DirFS(directory)))
	return parent
}

func runNames(t *testing.T, parent string) (names []string) {
	t.Helper()
	entries := testkit.Must(os.ReadDir(parent))(t)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "ensemble-") {
			names = append(names, entry.Name())
		}
	}
	return names
}

// skipOtherEngine skips what follows unless this machine computes with the kernels that made the
// runs. A run trained by other kernels differs in rounding.
func skipOtherEngine(t *testing.T, engine string) {
	t.Helper()
	if !strings.HasPrefix(engine, kernelsOfBefore) || !haveKernels(t) {
		t.Skipf("the runs were made by %q kernels, which this machine or engine lacks",
			kernelsOfBefore)
	}
}

// haveKernels reports whether a tiny training here uses the vector kernels.
func haveKernels(t *testing.T) bool {
	t.Helper()
	config := testkit.Must(nbbnn.ReadConfig(filepath.Join(runsBefore, "333cf2855251",
		"config.json")))(t)
	config.Training.Epochs = 1
	run := testkit.Must(nbbnn.Open(t.TempDir(), config))(t)
	testkit.NoError(t, run.Train(context.Background(), nil))
	card := testkit.Must(run.Card())(t)
	return strings.HasPrefix(card.Engine, kernelsOfBefore) &&
		!strings.Contains(card.Engine, "GOAMD64")
}

func read(t *testing.T, path string) string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return string(data)
}
