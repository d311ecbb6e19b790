package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
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
	name    string    // within its row of the first page
	effects [4]Effect // of the NLL, the scaled NLL, its growth, and the error in points
}

// studiesOfEntropy returns all studies of noise on the outputs of nodes that have records of both.
func studiesOfEntropy(t *testing.T) (studies []study) {
	t.Helper()
	for _, scale := range []string{"desk", "quick"} {
		folder := "figure-06-" + scale
		result := committedResult(t, folder+"/figure-06.json")
		studies = append(studies, study{"[*" + scale + "*]", [4]Effect{result.Primary().Effects[0],
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
		of := func(column string, levels ...int) []float64 {
			return levelDifferences(side{s.folder, s.noisy, column}.runs(t),
				side{s.folder, s.quiet, column}.runs(t), levels)
		}
		growth, points := of("nll_t", 4, 5), of("error", 4, 5)
		floats.Sub(growth, of("nll_t", 0))
		floats.Scale(100, points)
		read := study{name: s.name}
		for i, differences := range [][]float64{of("nll", 4, 5), of("nll_t", 4, 5), growth,
			points} {
			read.effects[i] = newEffect("", "", belowZero, differences)
		}
		studies = append(studies, read)
	}
	return studies
}

// The first page has all studies, and its answer counts those that Holm's correction leaves
// decided.
func TestFirstPageHasAllStudies(t *testing.T) {
	page := string(readFile(t, filepath.Join(resultsFolder, "README.md")))
	studies := studiesOfEntropy(t)
	for i, want := range []int{9, 1, 0, 0} {
		var all []Effect
		for _, s := range studies {
			all = append(all, s.effects[i])
		}
		decided := 0
		for _, e := range all {
			if outcomeAmong(e, all) == Holds {
				decided++
			}
		}
		if decided != want {
			t.Errorf("column %d: %d studies are decided, the page says %d", i, decided, want)
		}
	}
	rows := 0
	for line := range strings.SplitSeq(page, "\n") {
		for _, s := range studies {
			if !strings.Contains(line, "| ") || !strings.Contains(line, s.name+"(") {
				continue
			}
			want := fmt.Sprintf(" | %d |", len(s.effects[0].Differences))
			for i, e := range s.effects {
				decimals := []int{2, 3, 3, 1}[i]
				want += fmt.Sprintf(" %+.*f [%+.*f, %+.*f] |", decimals, e.Mean, decimals,
					e.Interval[0], decimals, e.Interval[1])
			}
			if rows++; !strings.HasSuffix(line, want) {
				t.Errorf("the row of %s ends with %q, want %q", s.name, line, want)
			}
		}
	}
	if rows != len(studies) {
		t.Errorf("the first page has %d studies, want %d", rows, len(studies))
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
