package command

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The tidy table has every value of every cell with the configuration of its run, and a column for
// what differs.
func TestCells(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	wantStatus(t, exitDone, "", append(tinyRun(runs), "--label-noise", "0.25", "--name",
		"noisy")...)
	path := filepath.Join(t.TempDir(), "cells.csv")
	wantStatus(t, exitDone, "values of 3 runs", "compare", "--tidy", "--runs", runs, "--out", path)
	file := testkit.Must(os.Open(path))(t)
	defer file.Close()
	rows := testkit.Must(csv.NewReader(file).ReadAll())(t)
	column := func(row []string, name string) string {
		place := slices.Index(rows[0], name)
		if place < 0 {
			t.Fatalf("no column %q in %q", name, rows[0])
		}
		return row[place]
	}
	clean := map[string]int{}
	for _, row := range rows[1:] {
		isTest := column(row, "suite") == "clean" && column(row, "metric") == "error"
		if isTest && column(row, "evaluation_seed") == "0" && column(row, "images") == "16" &&
			column(row, "samples") == "8" {
			clean[column(row, "run")]++
		}
		if column(row, "method") != "node-BNN" || column(row, "variant") != "plain" ||
			column(row, "first") != "0" {
			t.Fatalf("row %q has another method, variant or first image", row)
		}
		if column(row, "name") == "noisy" && column(row, "data.label_noise") != "0.25" {
			t.Fatalf("row %q lacks the field that differs", row)
		}
	}
	if len(clean) != 3 || clean[names[0]] != 1 {
		t.Errorf("clean tests of the runs are %v, want one of each", clean)
	}
	for _, metric := range []string{"nll", "NLL"} {
		stdout, _, status := execute(t, "compare", "--tidy", names[0], "--runs", runs, "--metrics",
			metric, "--where", "seed=1")
		if lines := strings.Count(stdout, "\n"); status != exitDone || lines != 1+41+1 {
			t.Errorf("%s: status %d and %d lines, want a header, 41 cells and the clean test",
				metric, status, lines)
		}
	}
}

// A run whose cells are damaged, or whose card is lost, doesn't stop the table of the others.
func TestCellsLeavesDamagedRunsOut(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	cells, card := filepath.Join(runs, names[0], "cells.csv"), filepath.Join(runs, names[0],
		"card.json")
	for _, damage := range []func() error{
		func() error {
			data, err := os.ReadFile(cells)
			if err != nil {
				return err
			}
			data[len(data)-2] ^= 1 // of the last row's checksum
			return os.WriteFile(cells, data, 0o644)
		},
		func() error { return os.Remove(card) },
	} {
		testkit.NoError(t, damage())
		for _, metric := range [][]string{nil, {"--metrics", "nll"}} {
			stdout, stderr, status := execute(t,
				append([]string{"compare", "--tidy", "--runs", runs}, metric...)...)
			if status != exitDone || strings.Contains(stdout, names[0]) ||
				!strings.Contains(stdout, names[1]) || !strings.Contains(stderr, "left out: ") ||
				!strings.Contains(stderr, names[0]) {
				t.Errorf("status %d, %d bytes, %s, want a note of the damaged run and the other",
					status, len(stdout), stderr)
			}
		}
		wantStatus(t, exitFailed, cells, "compare", "--tidy", names[0], "--runs", runs)
	}
}

// A table of which every run is left out is a failure, and no file is written.
func TestCellsRefuses(t *testing.T) {
	runs, none, lost, untested := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	wantStatus(t, exitDone, "", append(tinyRun(untested), "--no-test")...)
	names, out := trainedTwice(t, runs), filepath.Join(none, "cells.csv")
	untrained := trainedTwice(t, lost)
	for _, name := range untrained {
		testkit.NoError(t, os.Remove(filepath.Join(lost, name, "card.json")))
	}
	slices.Sort(untrained)
	all := fmt.Sprintf("left out: 2 runs not trained to the end: %s (seed 1, stopped, at epoch "+
		"1 of 1), %s (seed 2, stopped, at epoch 1 of 1); the first of them: run %s", untrained[0],
		untrained[1], lost)
	for _, c := range []struct {
		runs, args, want string
		status           int
	}{
		{runs, names[0] + " --metrics nlll", `no run has a metric "nlll" (did you mean "nll"?)`,
			exitUsage},
		{untested, "--metrics nlll", `unknown metric "nlll"`, exitUsage},
		{runs, "--where gamma", `nbbnn compare: --where "gamma" is no condition`, exitUsage},
		{runs, none + " " + none, "nbbnn compare: no run is left: the notes above say what each " +
			"lacks\n", exitFailed},
		{lost, "--out " + out, all, exitFailed},
	} {
		stdout, stderr, status := execute(t, append([]string{"compare", "--tidy", "--runs", c.runs},
			strings.Fields(c.args)...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) ||
			hasFile(none, "cells.csv") {
			t.Errorf("%s: status %d, %s%s, want %d and %q", c.args, status, stdout, stderr,
				c.status, c.want)
		}
	}
}
