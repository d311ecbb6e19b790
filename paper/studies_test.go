package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// study has the differences between γ above 0 and γ = 0 under severe corruption.
type study struct {
	name    string   // within its row of the first page
	effects []Effect // of the NLL, the scaled NLL, its growth, and the error in points
	seeds   string   // of the desk, in which each is below 0
}

// studiesOfEntropy returns all studies of noise on the outputs of nodes that have records of both.
func studiesOfEntropy(t *testing.T) (studies []study) {
	t.Helper()
	for _, scale := range []string{"desk", "quick"} {
		folder := "figure-06-" + scale
		result := committedResult(t, folder+"/figure-06.json")
		studies = append(studies, study{name: "[*" + scale + "*]", effects: []Effect{result.Primary().Effects[0],
			besidePrimary(t, folder, "with one temperature"),
			result.Verdict("γ chosen on validation images adds robustness: with one " +
				"temperature each it loses less from clean to severe images").Effects[0],
			besidePrimary(t, folder, "error")}})
	}
	for _, s := range []struct{ name, folder, noisy, quiet string }{
		{"[other seeds]", "beyond/temperature", "gamma 16", "gamma 0"},
		{"[own images]", "beyond/training-images", "gamma 16", "gamma 0"},
		{"[VGG16]", "beyond/vgg16", "gamma 16", "gamma 0"},
		{"[VGG16, 1/4, 9,000 of CIFAR-100]", "beyond/vgg16-cifar100", "gamma 16", "gamma 0"},
		{"[ResNet18, 1/8, 5,000 of CIFAR-100]", "beyond/hundred-classes", "node-bnn gamma 16",
			"node-bnn gamma 0"},
		{"[All-CNN-C]", "beyond/exact-posterior", "γ = 16", "γ = 0"},
		{"[demo]", "demo", "noise gamma 16", "noise gamma 0"},
	} {
		studies = append(studies, study{name: s.name, effects: effectsUnderSeverity(t, s.folder,
			s.noisy, s.quiet)})
	}
	return studies
}

// studiesOfRivals returns the same, with the error on clean images, for node-BNN minus each rival of
// Figure 10, and the counts of the desk's seeds in which node-BNN's is lower.
func studiesOfRivals(t *testing.T) (studies []study) {
	t.Helper()
	for _, rival := range []string{"MAP", "SAM", "ASAM", "DAMP", "SWAG", "cSG-HMC", "MC dropout"} {
		method := strings.ToLower(strings.ReplaceAll(rival, "-", " ")) + " on cifar 10"
		read := study{name: rival}
		for _, scale := range []string{"quick", "desk"} {
			folder := "figure-10-" + scale
			effects := effectsUnderSeverity(t, folder, "node bnn on cifar 10", method)
			if scale == "quick" {
				read.effects = effects
				continue
			}
			for _, e := range effects {
				lower := 0
				for _, difference := range e.Differences {
					if difference < 0 {
						lower++
					}
				}
				read.seeds += fmt.Sprintf(" %d", lower)
			}
		}
		studies = append(studies, read)
	}
	return studies
}

// effectsUnderSeverity returns how one method of a folder differs from another on severe images: NLL,
// scaled NLL, its growth from clean images, error in points; and the clean error in points.
func effectsUnderSeverity(t *testing.T, folder, method, rival string) (effects []Effect) {
	t.Helper()
	of := func(column string, levels ...int) []float64 {
		return levelDifferences(side{folder, method, column}.runs(t),
			side{folder, rival, column}.runs(t), levels)
	}
	growth, points, clean := of("nll_t", 4, 5), of("error", 4, 5), of("error", 0)
	floats.Sub(growth, of("nll_t", 0))
	floats.Scale(100, points)
	floats.Scale(100, clean)
	for _, differences := range [][]float64{of("nll", 4, 5), of("nll_t", 4, 5), growth, points,
		clean} {
		effects = append(effects, newEffect("", "", belowZero, differences))
	}
	return effects
}

// rowsOf returns the ends of the studies' rows on the first page: effects that Holm's correction
// leaves decided among those of their column are bold.
func rowsOf(studies []study, decimals []int) (rows []string) {
	rows = make([]string, len(studies))
	for i := range decimals {
		var column []Effect
		for _, s := range studies {
			column = append(column, s.effects[i])
		}
		for j, e := range column {
			cell := fmt.Sprintf("%+.*f [%+.*f, %+.*f]", decimals[i], e.Mean, decimals[i],
				e.Interval[0], decimals[i], e.Interval[1])
			if outcomeAmong(e, column) != Undecided {
				cell = "**" + cell + "**"
			}
			rows[j] += " " + cell + " |"
		}
	}
	return rows
}

// The first page has all studies and all rivals, and its answer counts those that Holm's correction
// leaves decided.
func TestFirstPageHasAllStudies(t *testing.T) {
	page := string(readFile(t, filepath.Join(resultsFolder, "README.md")))
	studies, rivals := studiesOfEntropy(t), studiesOfRivals(t)
	for i, row := range rowsOf(studies, []int{2, 3, 3, 1}) {
		row = fmt.Sprintf(" | %d |%s\n", len(studies[i].effects[0].Differences), row)
		if !regexp.MustCompile(regexp.QuoteMeta(studies[i].name) + `\([^|]*` +
			regexp.QuoteMeta(row)).MatchString(page) {
			t.Errorf("the first page lacks the row %s%s", studies[i].name, row)
		}
	}
	for i, row := range rowsOf(rivals, []int{2, 3, 3, 1, 1}) {
		if row = "| " + rivals[i].name + " |" + row + rivals[i].seeds + " |\n"; !strings.Contains(
			page, row) {
			t.Errorf("the first page lacks the row %s", row)
		}
	}
	for i, want := range []int{9, 1, 0, 0} {
		var bold int
		for _, row := range rowsOf(studies, []int{2, 3, 3, 1}) {
			if strings.Contains(strings.Split(row, "|")[i], "**") {
				bold++
			}
		}
		if bold != want {
			t.Errorf("column %d: %d studies are decided, the page says %d", i, bold, want)
		}
	}
}

// With the largest γ networks learn few of the right labels, too.
func TestRightLabelsAtTheLargestGamma(t *testing.T) {
	paths := testkit.Must(filepath.Glob(filepath.Join(resultsFolder, "figure-08-desk", cardsFolder,
		"out-k-4-gamma-k-40-on-40-wrong-seed*.record")))(t)
	var missed []float64
	for _, path := range paths {
		cells := testkit.Must(files.ReadFile(filepath.Join(path, "cells.csv")))(t)
		for _, row := range testkit.Must(csv.NewReader(bytes.NewReader(cells)).ReadAll())(t) {
			if row[0] == "clean_labels" {
				missed = append(missed, testkit.Must(strconv.ParseFloat(row[8], 64))(t))
			}
		}
	}
	mean := score.Summarise(missed).Mean
	pages := pagesOfAnswers(t)
	for _, want := range []string{fmt.Sprintf("miss %.0f %% of the right ones", 100*mean),
		fmt.Sprintf("(of the right labels %.0f %%, as", 100*(1-mean))} {
		if len(missed) != 3 || !strings.Contains(pages, want) {
			t.Errorf("%d seeds; the first pages lack %q", len(missed), want)
		}
	}
}
