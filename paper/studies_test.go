package paper

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// study has the differences between γ above 0 and γ = 0 under severe corruption.
type study struct {
	name     string // within its row of the first page
	folder   string
	asked    string   // before its runs
	told     string   // before the effects in its row
	levels   []string // at γ = 0, before an effect
	guessing float64
	quiet    []float64 // NLL of γ = 0
	// of the NLL, the scaled NLL, its growth from clean images, the error in points, and what the
	// study has besides: the NLL against a temperature alone, the clean error
	effects []Effect
}

// joined are the studies that a pool takes as one: those with the same images, or of a data set.
var joined, bySet = [][]int{{0, 1, 2, 3, 4, 5}, {6}, {7}, {8}, {9}},
	[][]int{{0, 1, 2, 3, 4, 5, 8}, {6, 7}, {9}}

// studiesOfEntropy returns all studies of noise on the outputs of nodes that have records of both.
// Besides they compare the NLL of γ with that of a temperature alone.
func studiesOfEntropy(t *testing.T) (studies []study) {
	t.Helper()
	for _, s := range []struct {
		name, asked, folder, noisy, quiet string
		classes                           float64
	}{
		{"[desk]", "all but *severe minus clean*, in seeds 4, 5", "figure-06-desk", "", bothPlain, 10},
		{"[quick]", "no: all but *severe minus clean* as they ended", "figure-06-quick", "", bothPlain, 10},
		{"[quick, other seeds]", "NLL with one temperature", "beyond/temperature", "gamma 16",
			"gamma 0", 10},
		{"[quick, own images]", "all but *severe minus clean*, in seeds 2 to 5", "beyond/training-images", "gamma 16",
			"gamma 0", 10},
		{"[quick, 36 epochs, own images]", "all", "beyond/longer-training", "gamma 16", "gamma 0",
			10},
		{"[VGG16]", "all but *severe minus clean*", "beyond/vgg16", "gamma 16", "gamma 0", 10},
		{"[VGG16, 1/4, 9,000 of CIFAR-100]", "no: NLL, also with a temperature, as they ended", "beyond/vgg16-cifar100",
			"gamma 16", "gamma 0", 100},
		{"[ResNet18, 1/8, 5,000 of CIFAR-100]", "no", "beyond/hundred-classes",
			"node-bnn gamma 16", "node-bnn gamma 0", 100},
		{"[All-CNN-C]", "no", "beyond/exact-posterior", "γ = 16", "γ = 0", 10},
		{"[demo]", "no", "demo", "noise gamma 16", "noise gamma 0", 10},
	} {
		read := study{name: s.name, folder: s.folder, asked: s.asked,
			guessing: math.Log(s.classes)}
		var mistakes float64
		read.quiet, mistakes = atNoEntropy(t, s.folder, s.quiet)
		if s.noisy == "" {
			read.effects = chosenEntropy(t, s.folder)
		} else {
			noisy, quiet := side{s.folder, s.noisy, "nll"}, side{s.folder, s.quiet, "nll_t"}
			read.effects = append(effectsUnderSeverity(t, s.folder, s.noisy, s.quiet),
				minus(t, noisy, quiet, []int{4, 5}), minus(t, side{s.folder, s.noisy, "error"},
					side{s.folder, s.quiet, "error"}, []int{0}))
		}
		read.told = fmt.Sprintf(" %d | %s |", len(read.quiet), s.asked)
		read.levels = []string{read.level() + ": ", "", "", fmt.Sprintf("%.0f: ", 100*mistakes)}
		studies = append(studies, read)
	}
	return studies
}

// level tells the NLL of γ = 0, in italics if it's worse than guessing.
func (s study) level() string {
	text := fmt.Sprintf("%.2f", score.Summarise(s.quiet).Mean)
	if score.Summarise(s.quiet).Mean > s.guessing {
		return "*" + text + "*"
	}
	return text
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
			"than one temperature").Effects[0], besidePrimary(t, folder, "clean error")}
}

// atNoEntropy returns the NLL of γ = 0 and its mean error.
func atNoEntropy(t *testing.T, folder, method string) (nll []float64, mistakes float64) {
	t.Helper()
	of := func(column string) []float64 {
		runs := side{folder, method, column}.runs(t)
		return levelDifferences(runs, make([][6]float64, len(runs)), []int{4, 5})
	}
	return of("nll"), score.Summarise(of("error")).Mean
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

// pooled is the mean of a column by random effects: between blocks of studies after Paule and
// Mandel, its interval after Hartung and Knapp. In a block each counts by its precision.
func pooled(effects []Effect, blocks [][]int) Effect {
	var means, variances, weights []float64
	for _, block := range blocks {
		var own []float64
		weights = nil
		for _, i := range block {
			differences := effects[i].Differences
			own = append(own, effects[i].Mean)
			weights = append(weights, float64(len(differences))/stat.Variance(differences, nil))
		}
		means = append(means, stat.Mean(own, weights))
		variances = append(variances, 1/floats.Sum(weights))
	}
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
			if i < len(s.levels) {
				cell = s.levels[i] + cell
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
	var clean []Effect
	var below, above int
	for _, s := range studies {
		if growth := s.effects[2]; growth.holds() {
			below++
		} else if growth.fails() {
			above++
		}
		differences := slices.Clone(s.effects[1].Differences)
		floats.Sub(differences, s.effects[2].Differences)
		clean = append(clean, newEffect("", "", belowZero, differences))
	}
	wants := []string{"clean images it's " + cellOf(pooled(clean, joined), 3) + ". The",
		fmt.Sprintf("undecided. %d intervals stand in this table, %d in the next", 4*len(studies),
			5*len(rivals)),
		"two of them asked before all"}
	for name, blocks := range map[string][][]int{"the first six as one": joined,
		"one a data set": bySet, "as ten": {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}}} {
		wants = append(wants, "| pooled, "+name+" | | no | | "+
			cellOf(pooled(ofAll(studies, 1), blocks), 3)+" | "+
			cellOf(pooled(ofAll(studies, 2), blocks), 3)+" | "+
			cellOf(pooled(ofAll(studies, 3), blocks), 1)+" |\n")
	}
	for _, e := range ofAll(studies, 5) {
		if got := outcomeAmong(e, ofAll(studies, 5)); got != Undecided {
			t.Errorf("a study's clean error is %s, and none is said to be decided", got)
		}
	}
	if below != 0 || above != 2 {
		t.Errorf("%d intervals of growth are below 0 and %d above, want 0 and 2", below, above)
	}
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

// Where γ = 0 is worse than guessing, and nowhere else, one temperature does more than γ. That is
// what the first page says, and that one γ above 0 is worse, too.
func TestTemperatureDoesMoreWhereNoEntropyIsWorseThanGuessing(t *testing.T) {
	studies := studiesOfEntropy(t)
	var more, worse []string
	for _, s := range studies {
		level := score.Summarise(s.quiet).Mean
		outcome := outcomeAmong(s.effects[4], ofAll(studies, 4))
		want := Undecided
		if level > s.guessing {
			want = Fails
			more = append(more, fmt.Sprintf("%.3f", s.effects[4].Mean))
		}
		if level+s.effects[0].Mean > s.guessing {
			worse = append(worse, s.name)
		}
		if outcome != want {
			t.Errorf("%s: γ minus a temperature is %s at an NLL of %.2f, want %s", s.name, outcome,
				level, want)
		}
	}
	slices.Sort(more)
	want := fmt.Sprintf("than γ without one, by %s to %s nats†, decided", more[0], more[4])
	if len(more) != 5 || len(worse) != 1 || worse[0] != studies[6].name ||
		!strings.Contains(unwrapped(t, filepath.Join(resultsFolder, "README.md")), want) {
		t.Errorf("the first page lacks %q of five, or γ of %v is worse than guessing", want, worse)
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
		"clean ones, with one temperature each: " + told(more("nll_t", severe, scaled, 1), false,
			"nll") + " nats on severe images, " +
			told(more("nll_t", clean, cleanScaled, 1), false, "nll") + " on clean ones, " +
			told(points, false, "error") + " of clean error",
		"γ = 0 (K = 4) minus MAP is " + cellOf(none, 3) + ", node-BNN",
		"by " + told(levelDifferences(both("4").runs(t), both("0").runs(t), severe), false,
			"nll") + " at γ/K = 4",
		"by " + told(levelDifferences(both("8").runs(t), both("0").runs(t), severe), false,
			"nll") + " at 8†",
		"leaves " + cellOf(newEffect("", "", belowZero, cleanScaled), 3) + " nats.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
}

// The first page's picture has the scaled NLL of its table. -regen draws it again.
func TestFirstPagesPicture(t *testing.T) {
	studies := studiesOfEntropy(t)
	scaled := pooled(ofAll(studies, 1), joined)
	drawn := viz.DifferencePlot{Quantity: "NLL of γ above 0 minus γ = 0 (nats)", Claimed: -1,
		Caption: "severe, one temperature each; green: lower with γ, filled: decided (Holm); " +
			"†: asked after"}
	for i, name := range []string{"desk", "quick", "quick, other seeds", "quick, own images",
		"quick, 36 epochs, own", "VGG16", "VGG16, CIFAR-100", "ResNet18, CIFAR-100", "All-CNN-C",
		"demo", "pooled (six as one) †"} {
		e := scaled
		if i < len(studies) {
			e = studies[i].effects[1]
			if strings.HasPrefix(studies[i].asked, "no") {
				name += " †"
			}
		}
		e.Name = name
		row := e.drawn()
		row.Undecided = i == len(studies) || outcomeAmong(e, ofAll(studies, 1)) == Undecided
		drawn.Differences = append(drawn.Differences, row)
	}
	testkit.NoError(t, sameAsCommitted(testkit.Must(viz.Differences(drawn))(t), filepath.Join(
		resultsFolder, "studies.png")))
}

// A visitor reads the first page in some minutes: it has at most 900 words besides tables. Sizes of
// scales and passes are those of the records.
func TestFirstPageIsShortAndHasSizes(t *testing.T) {
	path := filepath.Join(resultsFolder, "README.md")
	prose := regexp.MustCompile(`(?m)^(\||!\[).*$|\]\([^)]*\)`).ReplaceAllString(string(readFile(t,
		path)), "")
	if count := len(strings.Fields(prose)); count > 900 {
		t.Errorf("the first page has %d words, want at most 900", count)
	}
	var wants []string
	for _, scale := range []struct{ name, form string }{
		{"quick", "ResNet18, 1/%d of its width, %s of CIFAR-10, %d epochs"},
		{"desk", "desk is 1/%d, %s, %d epochs"},
	} {
		config := openRecord(t, "figure-06-"+scale.name+"/cards/out-k-1-gamma-k-0-seed1").Config()
		wants = append(wants, fmt.Sprintf(scale.form, 64/config.Network.Width, quantity.Count(
			config.Data.Train-config.Data.Validation, "image"), config.Training.Epochs))
	}
	passes := map[string][]string{}
	for _, row := range committedResult(t, "figure-10-quick/figure-10.json").Costs[1:] {
		passes[row[4]] = append(passes[row[4]], strings.TrimPrefix(row[0], "CIFAR-10 "))
	}
	wantOnFirstPage(t, append(wants, "quick: "+join(passes["8"])+" 8, "+join(passes["6"])+
		" 6, the others 1.")...)
}

// wantOnFirstPage looks for texts on the first page.
func wantOnFirstPage(t *testing.T, texts ...string) {
	t.Helper()
	page := unwrapped(t, filepath.Join(resultsFolder, "README.md"))
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
}

// Seven studies' records name their commit, and the first page has that of the longest training,
// and its errors.
func TestFirstPageHasCommits(t *testing.T) {
	stamped := 0
	for _, s := range studiesOfEntropy(t) {
		commits := commitsOf(t, s.folder)
		if !slices.Contains(commits, "unknown") {
			stamped++
		}
		if strings.Contains(s.name, "36 epochs") {
			clean := minus(t, side{s.folder, "gamma 16", "error"}, side{s.folder, "gamma 0",
				"error"}, []int{0})
			wantOnFirstPage(t, fmt.Sprintf("(%.8s)", join(commits)), fmt.Sprintf(
				"decides %.1f points fewer errors, too (clean: %.1f)", -s.effects[3].Mean,
				-100*clean.Mean))
		}
	}
	if stamped != 7 {
		t.Errorf("the records of %d studies name their commits, the page says seven", stamped)
	}
}

// commitsOf lists the commits of a folder's records, each once.
func commitsOf(t *testing.T, folder string) (commits []string) {
	t.Helper()
	for _, record := range testkit.Must(filepath.Glob(filepath.Join(resultsFolder, folder,
		cardsFolder, "*"+files.RecordEnding)))(t) {
		var card nbbnn.Card
		if err := readJSON(filepath.Join(record, "card.json"), &card); !errors.Is(err,
			fs.ErrNotExist) { // of an ensemble
			testkit.NoError(t, err)
			commits = quantity.AddNew(commits, card.Commit)
		}
	}
	return commits
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
	labels := committedResult(t, "figure-08-desk/figure-08.json")
	share := func(claim string) float64 { // the effect compares it with a half
		return 50 + labels.Verdict("40% wrong: most wrong labels " + claim).Effects[0].Mean
	}
	want := fmt.Sprintf("learn %.0f %% of them at γ = 64 and %.0f %% at γ = 160 (of the right "+
		"labels %.0f %%, as", share("are learnt at γ = 64"),
		share("aren't learnt at the largest γ"), 100*(1-mean))
	if len(missed) != 3 || !strings.Contains(pages, want) {
		t.Errorf("%d seeds; the first pages lack %q", len(missed), want)
	}
}
