package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// study has the differences between γ above 0 and γ = 0 under severe corruption.
type study struct {
	name string // within its row of the first page
	told string // before the effects in its row
	// of the NLL, the scaled NLL, its growth from clean images, the error in points, and what the
	// study has besides
	effects []Effect
	seeds   string // of the desk, in which each is below 0
}

// studiesOfEntropy returns all studies of noise on the outputs of nodes that have records of both.
// Besides they compare the NLL of γ with that of a temperature alone.
func studiesOfEntropy(t *testing.T) (studies []study) {
	t.Helper()
	const plain = "out k 1 gamma k 0 + out k 4 gamma k 0"
	for _, scale := range []string{"desk", "quick"} {
		folder := "figure-06-" + scale
		result := committedResult(t, folder+"/figure-06.json")
		studies = append(studies, study{"[*" + scale + "*]", atNoEntropy(t, folder, plain),
			[]Effect{result.Primary().Effects[0],
				besidePrimary(t, folder, "with one temperature"),
				result.Verdict("γ chosen on validation images adds robustness: with one " +
					"temperature each it loses less from clean to severe images").Effects[0],
				besidePrimary(t, folder, "error"),
				result.Verdict("γ chosen on validation images has a lower NLL under severe " +
					"corruption than one temperature").Effects[0]}, ""})
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
		noisy, quiet := side{s.folder, s.noisy, "nll"}, side{s.folder, s.quiet, "nll_t"}
		studies = append(studies, study{s.name, atNoEntropy(t, s.folder, s.quiet),
			append(effectsUnderSeverity(t, s.folder, s.noisy, s.quiet),
				minus(t, noisy, quiet, []int{4, 5})), ""})
	}
	return studies
}

// atNoEntropy tells the number of seeds, and the NLL and the error of γ = 0.
func atNoEntropy(t *testing.T, folder, method string) string {
	t.Helper()
	nll := side{folder, method, "nll"}.runs(t)
	none := make([][6]float64, len(nll))
	return fmt.Sprintf(" %d | %.2f, %.0f %% |", len(nll), score.Summarise(levelDifferences(nll,
		none, []int{4, 5})).Mean, 100*score.Summarise(levelDifferences(side{folder, method,
		"error"}.runs(t), none, []int{4, 5})).Mean)
}

// studiesOfRivals returns the same for node-BNN minus each rival of Figure 10, besides the error on
// clean images, with the counts of the desk's seeds in which node-BNN's is lower.
func studiesOfRivals(t *testing.T) (studies []study) {
	t.Helper()
	for _, rival := range []string{"MAP", "SAM", "ASAM", "DAMP", "SWAG", "cSG-HMC", "MC dropout"} {
		read := study{name: rival}
		for _, scale := range []string{"desk", "quick"} {
			folder, own := "figure-10-"+scale, "node bnn on cifar 10"
			other := strings.ToLower(strings.ReplaceAll(rival, "-", " ")) + " on cifar 10"
			clean := levelDifferences(side{folder, own, "error"}.runs(t), side{folder, other,
				"error"}.runs(t), []int{0})
			floats.Scale(100, clean)
			read.effects = append(effectsUnderSeverity(t, folder, own, other), newEffect("", "",
				belowZero, clean))
			if scale == "desk" {
				read.seeds = countsBelowZero(read.effects)
			}
		}
		studies = append(studies, read)
	}
	return studies
}

// countsBelowZero tells in how many seeds each effect is below 0.
func countsBelowZero(effects []Effect) (counts string) {
	for _, e := range effects {
		below := slices.DeleteFunc(slices.Clone(e.Differences), func(d float64) bool {
			return d >= 0
		})
		counts += fmt.Sprintf(" %d", len(below))
	}
	return counts
}

// effectsUnderSeverity returns how one method of a folder differs from another on severe images:
// NLL, scaled NLL, its growth from clean images, and error in points.
func effectsUnderSeverity(t *testing.T, folder, method, rival string) (effects []Effect) {
	t.Helper()
	of := func(column string, levels ...int) []float64 {
		return levelDifferences(side{folder, method, column}.runs(t),
			side{folder, rival, column}.runs(t), levels)
	}
	growth, points := of("nll_t", 4, 5), of("error", 4, 5)
	floats.Sub(growth, of("nll_t", 0))
	floats.Scale(100, points)
	for _, differences := range [][]float64{of("nll", 4, 5), of("nll_t", 4, 5), growth, points} {
		effects = append(effects, newEffect("", "", belowZero, differences))
	}
	return effects
}

// ofAll returns an effect of each study.
func ofAll(studies []study, i int) (effects []Effect) {
	for _, s := range studies {
		effects = append(effects, s.effects[i])
	}
	return effects
}

// pooled is the mean of a column by random effects: between studies after Paule and Mandel, its
// interval after Hartung and Knapp.
func pooled(effects []Effect) Effect {
	var means, variances []float64
	for _, e := range effects {
		n := float64(len(e.Differences))
		means = append(means, e.Mean)
		variances = append(variances, stat.Variance(e.Differences, nil)/n)
	}
	degrees := float64(len(means) - 1)
	var mean, spread, total float64
	weigh := func(between float64) {
		weights := make([]float64, len(means))
		for i, v := range variances {
			weights[i] = 1 / (v + between)
		}
		mean, total, spread = stat.Mean(means, weights), floats.Sum(weights), 0
		for i, w := range weights {
			spread += w * (means[i] - mean) * (means[i] - mean) / degrees
		}
	}
	low, high := 0.0, 1.0
	for range 60 { // the variance between studies at which the spread is 1, or none
		if weigh((low + high) / 2); spread > 1 {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	half := score.StudentQuantile(len(means)-1, confidence) * math.Sqrt(max(1, spread)/total)
	return Effect{Mean: mean, Interval: &[2]float64{mean - half, mean + half}}
}

// cellOf tells an effect.
func cellOf(e Effect, decimals int) string {
	return fmt.Sprintf("%+.*f [%+.*f, %+.*f]", decimals, e.Mean, decimals, e.Interval[0], decimals,
		e.Interval[1])
}

// rowsOf returns the ends of the studies' rows on the first page: effects that Holm's correction
// leaves decided among those of their column are bold. decided counts them by column, those above
// zero as -1.
func rowsOf(studies []study, decimals ...int) (rows []string, decided []int) {
	rows, decided = make([]string, len(studies)), make([]int, len(decimals))
	for j, s := range studies {
		rows[j] = " |" + s.told
		for i, e := range s.effects {
			cell := cellOf(e, decimals[i])
			switch outcomeAmong(e, ofAll(studies, i)) {
			case Holds:
				cell = "**" + cell + "**"
				decided[i]++
			case Fails:
				cell = "**" + cell + "**"
				decided[i]--
			}
			rows[j] += " " + cell + " |"
		}
		if s.seeds != "" {
			rows[j] += s.seeds + " |"
		}
	}
	return rows, decided
}

// The first page has all studies, their pool and all rivals, and its answer counts the studies that
// Holm's correction leaves decided.
func TestFirstPageHasAllStudies(t *testing.T) {
	page := string(readFile(t, filepath.Join(resultsFolder, "README.md")))
	text := unwrapped(t, filepath.Join(resultsFolder, "README.md"))
	studies, rivals := studiesOfEntropy(t), studiesOfRivals(t)
	scaled, growth, points := pooled(ofAll(studies, 1)), pooled(ofAll(studies, 2)),
		pooled(ofAll(studies, 3))
	var clean []Effect
	for _, s := range studies {
		differences := slices.Clone(s.effects[1].Differences)
		floats.Sub(differences, s.effects[2].Differences)
		clean = append(clean, newEffect("", "", belowZero, differences))
	}
	wants := []string{"| pooled† | | | | " + cellOf(scaled, 3) + " | " + cellOf(growth, 3) + " | " +
		cellOf(points, 1) + " | |\n", "clean images it has " +
		cellOf(pooled(clean), 3) + " nats with",
		" nats (with one temperature " + cellOf(clean[0], 3) + "), "}
	rows, _ := rowsOf(rivals, 2, 3, 3, 1, 1)
	for i, row := range rows {
		wants = append(wants, "| "+rivals[i].name+row+"\n")
	}
	for _, want := range wants {
		if !strings.Contains(page, want) && !strings.Contains(text, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	rows, decided := rowsOf(studies, 2, 3, 3, 1, 3)
	for i, row := range rows {
		if !regexp.MustCompile(regexp.QuoteMeta(studies[i].name) + `\([^|]*` +
			regexp.QuoteMeta(row) + "\n").MatchString(page) {
			t.Errorf("the first page lacks the row %s%s", studies[i].name, row)
		}
	}
	if want := []int{9, 1, 0, 0, -4}; !slices.Equal(decided, want) {
		t.Errorf("%d studies are decided, the first pages say %d", decided, want)
	}
}

// The first page's picture has the scaled NLL of its table. -regen draws it again.
func TestFirstPagesPicture(t *testing.T) {
	studies := studiesOfEntropy(t)
	scaled := pooled(ofAll(studies, 1))
	drawn := viz.DifferencePlot{Quantity: "NLL of γ above 0 minus γ = 0 (nats)", Claimed: -1,
		Caption: "severe corruption, one temperature each; 95 % intervals over paired seeds (dots)"}
	for i, name := range []string{"ResNet18, desk", "ResNet18, quick", "other seeds of quick",
		"own images", "VGG16", "VGG16, CIFAR-100", "ResNet18, CIFAR-100", "All-CNN-C", "demo",
		"pooled"} {
		e := scaled
		if i < len(studies) {
			e = studies[i].effects[1]
		}
		e.Name = name
		drawn.Differences = append(drawn.Differences, e.drawn())
	}
	testkit.NoError(t, sameAsCommitted(testkit.Must(viz.Differences(drawn))(t), filepath.Join(
		resultsFolder, "studies.png")))
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
