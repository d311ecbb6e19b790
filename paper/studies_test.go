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
	name     string // within its row of the first page
	marks    string // of the columns: † of one that was asked after the runs, ~ while they ended
	told     string // before the effects in its row
	guessing float64
	quiet    []float64 // NLL of γ = 0
	// of the NLL, the scaled NLL, its growth from clean images, the error in points, and what the
	// study has besides
	effects []Effect
}

// joined is how many studies there are of ResNet18 and CIFAR-10, the first.
const joined = 5

// studiesOfEntropy returns all studies of noise on the outputs of nodes that have records of both.
// Besides they compare the NLL of γ with that of a temperature alone.
func studiesOfEntropy(t *testing.T) (studies []study) {
	t.Helper()
	for _, s := range []struct {
		name, marks, folder, noisy, quiet string
		classes                           float64
	}{
		{"[*desk*]", "--†-", "figure-06-desk", "", bothPlain, 10},
		{"[*quick*]", "~~†~", "figure-06-quick", "", bothPlain, 10},
		{"[other seeds]", "†-††", "beyond/temperature", "gamma 16", "gamma 0", 10},
		{"[own images]", "--†-", "beyond/training-images", "gamma 16", "gamma 0", 10},
		{"[36 epochs]", "----", "beyond/longer-training", "gamma 16", "gamma 0", 10},
		{"[VGG16]", "--†-", "beyond/vgg16", "gamma 16", "gamma 0", 10},
		{"[VGG16, 1/4, 9,000 of CIFAR-100]", "~~††", "beyond/vgg16-cifar100", "gamma 16", "gamma 0",
			100},
		{"[ResNet18, 1/8, 5,000 of CIFAR-100]", "††††", "beyond/hundred-classes",
			"node-bnn gamma 16", "node-bnn gamma 0", 100},
		{"[All-CNN-C]", "††††", "beyond/exact-posterior", "γ = 16", "γ = 0", 10},
		{"[demo]", "††††", "demo", "noise gamma 16", "noise gamma 0", 10},
	} {
		read := study{name: s.name, marks: s.marks, guessing: math.Log(s.classes)}
		read.told, read.quiet = atNoEntropy(t, s.folder, s.quiet)
		if s.noisy == "" {
			read.effects = chosenEntropy(t, s.folder)
		} else {
			noisy, quiet := side{s.folder, s.noisy, "nll"}, side{s.folder, s.quiet, "nll_t"}
			read.effects = append(effectsUnderSeverity(t, s.folder, s.noisy, s.quiet),
				minus(t, noisy, quiet, []int{4, 5}))
		}
		studies = append(studies, read)
	}
	return studies
}

// bothPlain is γ = 0 in Figure 6.
const bothPlain = "out k 1 gamma k 0 + out k 4 gamma k 0"

// chosenEntropy returns the effects of Figure 6 with γ chosen on validation images.
func chosenEntropy(t *testing.T, folder string) []Effect {
	t.Helper()
	result := committedResult(t, folder+"/figure-06.json")
	return []Effect{result.Primary().Effects[0],
		besidePrimary(t, folder, "with one temperature"),
		result.Verdict("γ chosen on validation images adds robustness: with one temperature each " +
			"it loses less from clean to severe images").Effects[0],
		besidePrimary(t, folder, "error"),
		result.Verdict("γ chosen on validation images has a lower NLL under severe corruption " +
			"than one temperature").Effects[0]}
}

// atNoEntropy returns the NLL of γ = 0, and tells the number of seeds, it, and the error.
func atNoEntropy(t *testing.T, folder, method string) (told string, nll []float64) {
	t.Helper()
	of := func(column string) []float64 {
		runs := side{folder, method, column}.runs(t)
		return levelDifferences(runs, make([][6]float64, len(runs)), []int{4, 5})
	}
	nll = of("nll")
	return fmt.Sprintf(" %d | %.2f, %.0f %% |", len(nll), score.Summarise(nll).Mean,
		100*score.Summarise(of("error")).Mean), nll
}

// studiesOfRivals returns the same for node-BNN minus each rival of Figure 10, besides the error on
// clean images.
func studiesOfRivals(t *testing.T) (studies []study) {
	t.Helper()
	const folder, own = "figure-10-quick", "node bnn on cifar 10"
	for _, rival := range []string{"MAP", "SAM", "ASAM", "DAMP", "SWAG", "cSG-HMC", "MC dropout"} {
		other := strings.ToLower(strings.ReplaceAll(rival, "-", " ")) + " on cifar 10"
		clean := minus(t, side{folder, own, "error"}, side{folder, other, "error"}, []int{0})
		floats.Scale(100, clean.Differences)
		studies = append(studies, study{name: rival, effects: append(effectsUnderSeverity(t, folder,
			own, other), newEffect("", "", belowZero, clean.Differences))})
	}
	return studies
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
// interval after Hartung and Knapp. The joined studies count as one, each by its precision.
func pooled(effects []Effect) Effect {
	var means, variances []float64
	for _, e := range effects {
		n := float64(len(e.Differences))
		means = append(means, e.Mean)
		variances = append(variances, stat.Variance(e.Differences, nil)/n)
	}
	var weights []float64
	for _, v := range variances[:joined] {
		weights = append(weights, 1/v)
	}
	means = append([]float64{stat.Mean(means[:joined], weights)}, means[joined:]...)
	variances = append([]float64{1 / floats.Sum(weights)}, variances[joined:]...)
	degrees := float64(len(means) - 1)
	var mean, spread, total float64
	weigh := func(between float64) {
		weights = make([]float64, len(means))
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
		for i, places := range decimals {
			e := s.effects[i]
			cell := cellOf(e, places)
			switch outcomeAmong(e, ofAll(studies, i)) {
			case Holds:
				cell = "**" + cell + "**"
				decided[i]++
			case Fails:
				cell = "**" + cell + "**"
				decided[i]--
			}
			if marks := []rune(s.marks); i < len(marks) {
				cell += strings.Trim(string(marks[i]), "-")
			}
			rows[j] += " " + cell + " |"
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
		cellOf(points, 1) + " |\n", "clean images it has " +
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
	rows, decided := rowsOf(studies, 2, 3, 3, 1)
	for i, row := range rows {
		if !regexp.MustCompile(regexp.QuoteMeta(studies[i].name) + `\([^|]*` +
			regexp.QuoteMeta(row) + "\n").MatchString(page) {
			t.Errorf("the first page lacks the row %s%s", studies[i].name, row)
		}
	}
	if want := []int{10, 2, 0, 1}; !slices.Equal(decided, want) {
		t.Errorf("%d studies are decided, the first pages say %d", decided, want)
	}
}

// Where γ = 0 is worse than guessing, and nowhere else, one temperature does more than γ. That and
// what guessing wins is what the first page says.
func TestTemperatureDoesMoreWhereNoEntropyIsWorseThanGuessing(t *testing.T) {
	studies := studiesOfEntropy(t)
	var wins, more []string
	for _, s := range studies {
		level := score.Summarise(s.quiet).Mean
		outcome := outcomeAmong(s.effects[4], ofAll(studies, 4))
		want := Undecided
		if level > s.guessing {
			want = Fails
			wins = append(wins, fmt.Sprintf("%.2f", level-s.guessing))
			more = append(more, fmt.Sprintf("%.3f", -s.effects[4].Mean))
		}
		if outcome != want {
			t.Errorf("%s: γ minus a temperature is %s at an NLL of %.2f, want %s", s.name, outcome,
				level, want)
		}
	}
	text := unwrapped(t, filepath.Join(resultsFolder, "README.md"))
	for _, want := range []string{"guessing wins " + join(wins) + " nats, in VGG16",
		"without one is " + join(more) + "†: decided"} {
		if !strings.Contains(text, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
}

// What a γ chosen on corrupted images has more than one chosen on validation images, what γ = 0 has
// less than MAP, and noise on inputs and outputs than none, is what the committed cells say.
func TestFirstPageHasOtherNoise(t *testing.T) {
	severe, clean := []int{4, 5}, []int{0}
	desk := studiesOfEntropy(t)[0].effects
	scaled, cleanScaled := desk[1].Differences, slices.Clone(desk[1].Differences)
	floats.Sub(cleanScaled, desk[2].Differences)
	const folder = "figure-06-desk"
	more := func(column string, levels []int, less []float64, scale float64) []float64 {
		differences := levelDifferences(chosenForOthers(t, folder, column, severe),
			side{folder, bothPlain, column}.runs(t), levels)
		floats.Scale(scale, differences)
		floats.Sub(differences, less)
		return differences
	}
	points := more("error", clean, besidePrimary(t, folder, "clean error").Differences, 100)
	floats.Scale(0.01, points)
	none := minus(t, side{"figure-07-quick", "out k 4 gamma k 0", "nll_t"},
		side{"figure-10-quick", "map on cifar 10", "nll_t"}, severe)
	both := func(gamma string) side {
		return side{"figure-07-quick", "both k 4 gamma k " + gamma, "nll_t"}
	}
	mistakes := slices.Clone(desk[3].Differences)
	floats.Sub(mistakes, besidePrimary(t, folder, "clean error").Differences)
	floats.Scale(0.01, mistakes)
	fewer := func(of side) string {
		ordinary := side{"figure-10-quick", "map on cifar 10", "error"}
		differences := levelDifferences(of.runs(t), ordinary.runs(t), severe)
		floats.Sub(differences, levelDifferences(of.runs(t), ordinary.runs(t), clean))
		return strings.TrimSuffix(told(differences, false, "error"), " points")
	}
	text := pagesOfAnswers(t)
	for _, want := range []string{
		"uncorrected: " + told(mistakes, false, "error") +
			" at the desk for γ minus γ = 0; at quick " +
			fewer(side{"figure-10-quick", "node bnn on cifar 10", "error"}) +
			" for node-BNN minus MAP, of which γ = 0 has " +
			fewer(side{"figure-07-quick", "out k 4 gamma k 0", "error"}) + ".",
		"each: " + told(more("nll_t", severe, scaled, 1), false, "nll") + " nats on severe images, " +
			told(more("nll_t", clean, cleanScaled, 1), false, "nll") + " on clean ones, " +
			told(points, false, "error") + " of clean error",
		"γ = 0 minus MAP is " + cellOf(none, 3) + ", as much",
		"γ = 32) " + told(levelDifferences(both("8").runs(t), both("0").runs(t), severe), false,
			"nll") + " nats on severe images†",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
}

// The first page's picture has the scaled NLL of its table. -regen draws it again.
func TestFirstPagesPicture(t *testing.T) {
	studies := studiesOfEntropy(t)
	scaled := pooled(ofAll(studies, 1))
	drawn := viz.DifferencePlot{Quantity: "NLL of γ above 0 minus γ = 0 (nats)", Claimed: -1,
		Caption: "severe corruption, one temperature each; filled: decided (Holm), dots: seeds"}
	for i, name := range []string{"ResNet18, desk", "ResNet18, quick", "other seeds of quick",
		"own images", "36 epochs", "VGG16", "VGG16, CIFAR-100", "ResNet18, CIFAR-100", "All-CNN-C",
		"demo",
		"pooled"} {
		e := scaled
		if i < len(studies) {
			e = studies[i].effects[1]
		}
		e.Name = name
		row := e.drawn()
		row.Undecided = i == len(studies) || outcomeAmong(e, ofAll(studies, 1)) == Undecided
		drawn.Differences = append(drawn.Differences, row)
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
