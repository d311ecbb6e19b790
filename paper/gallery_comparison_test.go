package paper

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/report"
)

// The tables of levels in committed comparisons are what the committed cells say.
func TestComparisonsFollowFromTheirCells(t *testing.T) {
	for _, c := range committedResults(t) {
		if c.tables == "" {
			continue
		}
		checkSummary(t, c)
		rows := slices.Collect(comparisonRows(c.tables))
		if len(rows) == 0 || len(rows)%4 != 0 {
			t.Errorf("%s: %d rows of levels, want four metrics of each method", c.name, len(rows))
		}
		for _, row := range rows {
			column, factor, format := "nll", 1.0, "%.3f"
			switch {
			case strings.HasPrefix(row.metric, "scaled"):
				column = "nll_t"
			case strings.HasPrefix(row.metric, "error"):
				column, factor, format = "error", 100, "%.1f"
			case row.metric == "ECE": // of pooled predictions, whose bins aren't committed
				continue
			}
			for level, mean := range meanOfCells(t, c.folder, row.method, column) {
				if want := fmt.Sprintf(format, factor*mean); row.values[level] != want {
					t.Errorf("%s: %s of %s at level %d is %s in the table, %s by the cells", c.name, row.metric, row.method, level, row.values[level], want)
				}
			}
		}
	}
}

// checkSummary compares the means over all corruptions in the first table with the cells, and its
// columns of clean images with the level 0 of the second one.
func checkSummary(t *testing.T, c committed) {
	t.Helper()
	table, _, _ := strings.Cut(c.tables, "\n\n")
	lines := strings.Split(table, "\n")[2:]
	if len(lines) == 0 {
		t.Errorf("%s: no row in the first table", c.name)
	}
	for _, line := range lines {
		cells := tableCells(line)
		for i, column := range []string{"nll", "nll_t", "error"} {
			levels := meanOfCells(t, c.folder, cells[0], column)
			corrupted := 0.0
			for _, value := range levels[1:] {
				corrupted += value / 5
			}
			format, factor := "%.3f", 1.0
			if column == "error" {
				format, factor = "%.1f", 100
			}
			for place, value := range []float64{levels[0], corrupted} {
				if want := fmt.Sprintf(format, factor*value); cells[1+2*i+place] != want {
					t.Errorf("%s: %s of %s is %s in the first table, %s by the cells", c.name, column, cells[0], cells[1+2*i+place], want)
				}
			}
		}
	}
}

// tableCells are the cells of a row in Markdown, without bold type and without what follows a mean.
func tableCells(line string) []string {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i, cell := range cells {
		cell, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(cell), "*"), " ±")
		cells[i] = strings.Trim(cell, "*")
	}
	return cells
}

// meanOfCells returns the means of a column at the levels, over a method's committed runs.
func meanOfCells(t *testing.T, folder, method, column string) (means [6]float64) {
	t.Helper()
	runs := runsOfCells(t, folder, method, column)
	for _, run := range runs {
		for level, value := range run {
			means[level] += value / float64(len(runs))
		}
	}
	return means
}

// runsOfCells returns a column at the levels for each of a method's committed runs, by seed.
func runsOfCells(t *testing.T, folder, method, column string) (runs [][6]float64) {
	t.Helper()
	base := filepath.Join(folder, cardsFolder, report.FileName(method))
	paths, err := filepath.Glob(base + "-seed[0-9].cells.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 { // an ensemble
		paths = []string{base + ".cells.csv"}
	}
	for _, path := range paths {
		runs = append(runs, levelsOfCells(t, path, column))
	}
	return runs
}

// levelsOfCells returns the means of a column at the levels of the suite all19.
func levelsOfCells(t *testing.T, path, column string) (means [6]float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	suite, severity, at := slices.Index(rows[0], "suite"), slices.Index(rows[0], "severity"), slices.Index(rows[0], column)
	const corruptions = 19
	for _, row := range rows[1:] {
		if row[suite] != "all19" {
			continue
		}
		value, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatalf("%s: row %v: %v", path, row, err)
		}
		level, err := strconv.Atoi(row[severity])
		if err != nil {
			t.Fatalf("%s: row %v: %v", path, row, err)
		}
		if level > 0 {
			value /= corruptions
		}
		means[level] += value
	}
	return means
}

type levelsRow struct {
	metric, method string
	values         []string // [6]
}

// comparisonRows are the rows of the table of levels. A metric is named in its first row.
func comparisonRows(tables string) func(yield func(levelsRow) bool) {
	return func(yield func(levelsRow) bool) {
		_, table, _ := strings.Cut(tables, "|  | level |")
		metric := ""
		for line := range strings.Lines(table) {
			cells := tableCells(line)
			if len(cells) != 8 || strings.HasPrefix(cells[0], ":") {
				continue
			}
			if cells[0] != "" {
				metric = cells[0]
			}
			values := cells[2:]
			if !yield(levelsRow{metric, cells[1], values}) {
				return
			}
		}
	}
}

// checkMethodRemarks compares the words on methods next to each other with the cells. Those on
// noise that is put on afterwards are compared in TestPosthocSentences.
func checkMethodRemarks(t *testing.T, folder string) {
	t.Helper()
	const augmix, noisy, dropout = "MAP + AugMix", "post hoc + AugMix", "MC dropout"
	others := []string{"cSG-HMC", "SWAG", "node-BNN", "MAP"}
	ordinary := append([]string{"ens MAP", "ens post hoc", dropout, "fixed noise", "post hoc"}, others...)
	all := append([]string{augmix, noisy}, ordinary...)
	for _, column := range []string{"nll", "nll_t", "error"} {
		checkBest(t, folder, column, augmix, ordinary, 1, 2, 3, 4, 5)
		checkBest(t, folder, column, dropout, ordinary, 3, 4, 5)
		checkBest(t, folder, column, "ens MAP", all, 0)
		checkBest(t, folder, column, "ens MAP", ordinary, 1)
	}
	for _, column := range []string{"nll", "error"} {
		checkBest(t, folder, column, "ens post hoc", ordinary, 2)
		checkBest(t, folder, column, "ens post hoc", except(ordinary, dropout), 3, 4, 5)
		checkWorst(t, folder, column, dropout, all, 0)
	}
	checkBest(t, folder, "nll", noisy, []string{augmix}, 3, 4, 5)
	checkBest(t, folder, "nll", augmix, []string{noisy}, 0, 1, 2)
	checkBest(t, folder, "nll_t", noisy, []string{augmix}, 5)
	checkBest(t, folder, "nll_t", augmix, []string{noisy}, 0, 1, 2, 3, 4)
	checkBest(t, folder, "error", augmix, []string{noisy}, 1, 2, 3)
	checkBest(t, folder, "error", noisy, []string{augmix}, 0)
	checkCleanAugMix(t, folder, augmix)
	checkBest(t, folder, "nll", dropout, []string{"MAP", "node-BNN"}, 2, 3, 4, 5)
	checkBest(t, folder, "error", dropout, []string{"MAP", "node-BNN"}, 2, 3, 4, 5)
	checkBest(t, folder, "nll", "cSG-HMC", others, 2, 3, 4, 5)
	checkBest(t, folder, "error", "SWAG", []string{"cSG-HMC"}, 0, 1, 2, 3, 4, 5)
	checkBest(t, folder, "nll", "SWAG", others, 1)
	checkBest(t, folder, "nll_t", "SWAG", others, 1, 2, 3, 4, 5)
	checkBest(t, folder, "nll", "node-BNN", []string{"MAP"}, 2, 3, 4, 5)
	ahead := []string{augmix, noisy, dropout, "cSG-HMC", "ens post hoc"}
	checkBest(t, folder, "nll", "node-BNN", except(all, ahead...), 5)
	checkWorst(t, folder, "nll", "node-BNN", ahead, 5)
	checkWorst(t, folder, "error", "node-BNN", all, 1, 2, 3, 4, 5)
	for seed, levels := range runsOfCells(t, folder, "MAP", "nll") {
		node := runsOfCells(t, folder, "node-BNN", "nll")[0]
		checkBelow(t, fmt.Sprintf("NLL of the node-BNN beside seed %d of MAP", seed+1), node[3:], levels[3:])
	}
	checkBest(t, folder, "error", "MAP", []string{"node-BNN"}, 2, 3, 4, 5)
	checkBest(t, folder, "nll", dropout, []string{"node-BNN"}, 2, 3, 4, 5)
	checkChain(t, folder)
	checkCalibration(t, folder)
	checkTrainingErrors(t, folder)
	checkCorrupted(t, folder)
	checkCosts(t, folder)
}

// checkBest requires that a method has the lowest mean of a column at some levels, in the digits of
// the page.
func checkBest(t *testing.T, folder, column, method string, among []string, levels ...int) {
	t.Helper()
	of := meanOfCells(t, folder, method, column)
	for _, other := range among {
		values := meanOfCells(t, folder, other, column)
		for _, level := range levels {
			if other != method && math.Round(1000*values[level]) <= math.Round(1000*of[level]) {
				t.Errorf("%s at level %d: %s has %.4f and %s %.4f: want the first to be the best", column, level, method, of[level], other, values[level])
			}
		}
	}
}

// checkWorst requires that a method has the highest mean of a column at some levels.
func checkWorst(t *testing.T, folder, column, method string, among []string, levels ...int) {
	t.Helper()
	for _, other := range except(among, method) {
		checkBest(t, folder, column, other, []string{method}, levels...)
	}
}

// checkCleanAugMix compares the words on AugMix and the two seeds of MAP on clean images.
func checkCleanAugMix(t *testing.T, folder, augmix string) {
	t.Helper()
	for column, want := range map[string]string{"nll": "0.254 0.283 0.283", "error": "0.089 0.105 0.103"} {
		runs := append(runsOfCells(t, folder, "MAP", column), runsOfCells(t, folder, augmix, column)...)
		if got := fmt.Sprintf("%.3f %.3f %.3f", runs[0][0], runs[1][0], runs[2][0]); got != want {
			t.Errorf("clean %s of two seeds of MAP and of AugMix is %s, want %s", column, got, want)
		}
	}
}

// checkCalibration compares the words on the ECE with the table.
func checkCalibration(t *testing.T, folder string) {
	t.Helper()
	calibration := map[string][]float64{}
	for row := range comparisonRows(string(readFile(t, filepath.Join(folder, "tables.md")))) {
		for _, text := range row.values {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if row.metric == "ECE" {
				calibration[row.method] = append(calibration[row.method], value)
			}
		}
	}
	for method, values := range calibration {
		if method != "MC dropout" && !strings.Contains(method, "AugMix") {
			checkBelow(t, "ECE of MC dropout", calibration["MC dropout"][3:], values[3:])
		}
	}
	for level, value := range calibration["post hoc + AugMix"][2:] {
		if parent := calibration["MAP + AugMix"][2+level]; value > parent/2 {
			t.Errorf("the ECE of noise on AugMix at level %d is %g, want at most half of %g", 2+level, value, parent)
		}
	}
}

// checkChain requires the learning rate and the momentum that the words on cSG-HMC give.
func checkChain(t *testing.T, folder string) {
	t.Helper()
	var card nbbnn.Card
	if err := json.Unmarshal(readFile(t, filepath.Join(folder, cardsFolder, "csg-hmc-seed1.json")), &card); err != nil {
		t.Fatal(err)
	}
	if got := card.Config.Training; math.Abs(got.LearningRate-0.04) > 1e-9 || got.Momentum != 0.9 {
		t.Errorf("cSG-HMC was trained with rate %g and momentum %g, want 0.04 and 0.9", got.LearningRate, got.Momentum)
	}
}

// checkTrainingErrors requires the order of the training errors in the words on node noise.
func checkTrainingErrors(t *testing.T, folder string) {
	t.Helper()
	var errors []float64
	for _, name := range []string{"map", "node-bnn", "mc-dropout"} {
		var card struct{ Training struct{ Error float64 } }
		if err := json.Unmarshal(readFile(t, filepath.Join(folder, cardsFolder, name+"-seed1.json")), &card); err != nil {
			t.Fatal(err)
		}
		errors = append(errors, card.Training.Error)
	}
	if !slices.IsSorted(errors) {
		t.Errorf("training errors of MAP, the node-BNN and MC dropout are %v, want them to rise", errors)
	}
	closeTo(t, "ratio of the training errors", errors[1]/errors[0], 2, 0.25)
}

// except returns the names of a list but some.
func except(names []string, excluded ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(excluded, name) })
}

// checkCorrupted compares the words on the NLL over all levels of corruption.
func checkCorrupted(t *testing.T, folder string) {
	t.Helper()
	corrupted := func(method string) (mean float64) {
		levels := meanOfCells(t, folder, method, "nll")
		for _, value := range levels[1:] {
			mean += value / 5
		}
		return mean
	}
	for _, method := range []string{"ens MAP", "node-BNN"} {
		if text := fmt.Sprintf("%.3f", corrupted(method)); text != "1.000" {
			t.Errorf("the NLL of %s over all levels of corruption is %s, want 1.000", method, text)
		}
	}
	for _, method := range []string{"SWAG", "cSG-HMC"} {
		if nll := corrupted(method); nll >= corrupted("ens MAP") {
			t.Errorf("the NLL of %s over all levels of corruption is %g, want less than that of two networks", method, nll)
		}
	}
}

// checkCosts compares the words on parameters and on SWAG's epochs, whose seconds are those of the
// clock.
func checkCosts(t *testing.T, folder string) {
	t.Helper()
	tables := string(readFile(t, filepath.Join(folder, "tables.md")))
	const network = 701_466
	for _, networks := range []int{1, 12, 16} {
		if count := quantity.Thousands(float64(networks * network)); !strings.Contains(tables, " "+count+" ") {
			t.Errorf("no method of the table has the parameters of %d networks, %s", networks, count)
		}
	}
	var epochs []float64
	for line := range strings.Lines(string(readFile(t, filepath.Join(folder, cardsFolder, "swag-seed1.train.jsonl")))) {
		var epoch struct{ Seconds float64 }
		if err := json.Unmarshal([]byte(line), &epoch); err != nil {
			t.Fatal(err)
		}
		epochs = append(epochs, epoch.Seconds)
	}
	slices.Sort(epochs)
	if last := len(epochs) - 1; epochs[last-1] < 1800 || epochs[last-2] > 1800 || epochs[last/2] > 60 {
		t.Errorf("SWAG's epochs took %.0f s, want two over half an hour and half under a minute", epochs)
	}
}
