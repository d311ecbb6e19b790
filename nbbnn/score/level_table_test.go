package score

import (
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/testkit"
)

// madeCells are the cells of all 19 corruptions; metric gives the NLL of each.
func madeCells(t *testing.T, metric func(index, severity int) float64) Cells {
	t.Helper()
	suite := testkit.Must(corrupt.SuiteByName("all19"))(t)
	cells := Cells{{Corruption: Clean, Images: 10, Samples: 4, NLL: metric(-1, 0)}}
	for index, corruption := range suite.Corruptions {
		for severity := 1; severity < LevelCount; severity++ {
			cells = append(cells, Cell{Corruption: corruption, Severity: severity, Images: 10,
				Samples: 4, NLL: metric(index, severity)})
		}
	}
	return cells
}

// One evaluation of all 19 types gives the tables of 19, 17 and 15; mean and standard deviation are
// over the runs.
func TestSummariseLevelsOfEverySuite(t *testing.T) {
	first := madeCells(t, func(index, severity int) float64 {
		return float64(index + 100*severity)
	})
	second := madeCells(t, func(index, severity int) float64 {
		return float64(index + 100*severity + 2)
	})
	for _, c := range []struct {
		suite string
		count int
	}{{"all19", 19}, {"ub17", 17}, {"main15", 15}} {
		table := testkit.Must(summariseLevels(c.suite, first, second))(t)
		if table.Corruptions != c.count || table.Runs != 2 || table.Samples != 4 ||
			table.Images != 10 || table.NLL[3].N != 2 {
			t.Errorf("table is %+v, want %d corruptions of two runs", table, c.count)
		}
		suite, _ := corrupt.SuiteByName(c.suite)
		mean := 0.0
		for index, corruption := range corrupt.Names()[:19] {
			for _, name := range suite.Corruptions {
				if name == corruption {
					mean += float64(index) / float64(c.count)
				}
			}
		}
		testkit.Near(t, c.suite+": mean at level 3", table.NLL.Means()[3], mean+301, 1e-9)
		testkit.Near(t, c.suite+": deviation at level 3", table.NLL[3].Std, 1.4142135623730951,
			1e-9)
		testkit.Near(t, c.suite+": clean", table.NLL[0].Mean, 0.0, 1e-12)
	}
	cells, err := summariseCells("main15", first, second)
	if err != nil || len(cells) != 1+15*5 {
		t.Fatalf("%d cells, error %v, want 76", len(cells), err)
	}
	if c := cells[5*14+2]; c.Corruption != corrupt.Names()[14] || c.Severity != 2 ||
		c.Metrics["nll"].Mean != 215 {
		t.Errorf("cell is %+v, want the fifteenth type at severity 2 with NLL 215", c)
	}
}

func TestSummariseRefuses(t *testing.T) {
	cells := madeCells(t, func(int, int) float64 { return 1 })
	other := madeCells(t, func(int, int) float64 { return 1 })
	for i := range other {
		other[i].Samples = 8
	}
	for _, c := range []struct {
		suite string
		runs  []Cells
		want  string
	}{
		{"all19", nil, "at least one"},
		{"all20", []Cells{cells}, "all19"},
		{"all19", []Cells{cells[:90]}, "is missing"},
		{"all19", []Cells{cells, other}, "alike"},
	} {
		_, err := summariseLevels(c.suite, c.runs...)
		testkit.Error(t, "levels", err, c.want)
		_, err = summariseCells(c.suite, c.runs...)
		testkit.Error(t, "cells", err, c.want)
	}
}

// Cells without their bins have the mean of their calibration errors, and none of all together, and
// say what to take instead.
func TestCellsWithoutBins(t *testing.T) {
	cells := madeCells(t, func(int, int) float64 { return 1 })
	for i := range cells {
		cells[i].ECE = 0.25
	}
	levels, err := cells.Levels()
	if err != nil || levels.ECE != nil {
		t.Fatalf("the ECE is %v, error %v, want none", levels.ECE, err)
	}
	for level := range levels.MeanECE {
		testkit.Near(t, "mean ECE", levels.MeanECE[level], 0.25, 1e-12)
	}
	table, err := summariseLevels("all19", cells)
	if err != nil || table.ECE != nil {
		t.Errorf("the table has the ECE %v, error %v", table.ECE, err)
	}
	metric := testkit.Must(MetricByName("ECE"))(t)
	_, err = metric.Series("all19", cells)
	checkError(t, "ECE without bins", err, "take MeanECE")
}
