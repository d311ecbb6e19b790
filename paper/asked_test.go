package paper

import (
	"bytes"
	"cmp"
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
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// The answers to the questions that were asked before their runs are what the committed cells say.
func TestAnswersFollowFromTheirRecords(t *testing.T) {
	page := unwrapped(t, pageBeyond) + pagesOfAnswers(t)
	all, severe, clean := []int{1, 2, 3, 4, 5}, []int{4, 5}, []int{0}
	of := func(folder, method string) func(column string) side {
		return func(column string) side { return side{folder, method, column} }
	}
	learnt := of("beyond/fixed-noise", "learnt 36 epochs")
	fixed := of("beyond/fixed-noise", "fixed 36 epochs")
	stopped := of("figure-06-quick", "out k 1 gamma k 16")
	plain, entropy := of("beyond/temperature", "gamma 0"), of("beyond/temperature", "gamma 16")
	own := func(m, column string) side { return side{"beyond/training-images", m, column} }
	longNoise := of("beyond/longer-training", "gamma 16")
	longPlain := of("beyond/longer-training", "gamma 0")
	vgg := func(m, column string) side { return side{"beyond/vgg16", m, column} }
	theirs := func(m, column string) side { return side{"beyond/vgg16-cifar100", m, column} }
	lines := func(m, column string) side { return side{"beyond/text-lines", m, column} }
	hundred := func(method string) func(column string) side {
		return of("beyond/hundred-classes", method)
	}
	ordinary, quiet, noisy := hundred("map"), hundred("node-bnn gamma 0"),
		hundred("node-bnn gamma 16")
	for _, c := range []toldContrast{
		{learnt("nll"), fixed("nll"), all, 5, "an NLL %s above"},
		{learnt("nll_t"), fixed("nll_t"), all, 5, "leaves %s,"},
		{learnt("nll"), fixed("nll"), clean, 5, "(clean %s)"},
		{learnt("error"), fixed("error"), all, 5, "the error %s"},
		{learnt("nll_t"), fixed("nll_t"), severe, 5, "severe corruption it leaves %s"},
		{stopped("nll"), fixed("nll"), all, 5, "can't be told from it: %s"},
		{entropy("nll_t"), plain("nll_t"), severe, 10, "lower by %s under"},
		{entropy("nll_t"), plain("nll_t"), all, 10, "(levels 1 to 5: %s)"},
		{entropy("nll"), plain("nll"), severe, 10, "without a temperature: %s"},
		{plain("nll_t"), plain("nll"), severe, 10, "lowers it by %s"},
		{entropy("nll"), plain("nll_t"), severe, 10, "alone: %s"},
		{entropy("augrc"), plain("augrc"), severe, 10, "AUGRC falls by %s"},
		{entropy("error"), plain("error"), severe, 10, "error by %s"},
		{entropy("nll_t"), plain("nll_t"), clean, 10, "on clean images by %s"},
		{own("gamma 16", "nll"), own("gamma 0", "nll"), severe, 5, "minus γ = 0 is %s nats;"},
		{own("gamma 16", "nll_t"), own("gamma 0", "nll_t"), severe, 5, "each leaves %s, AUGRC"},
		{own("gamma 16", "augrc"), own("gamma 0", "augrc"), severe, 5, "AUGRC %s, and"},
		{own("gamma 16", "error"), own("gamma 0", "error"), severe, 5, "and %s of error. On"},
		{own("gamma 16", "nll"), own("gamma 0", "nll"), clean, 5, "the NLL is lower by %s, with"},
		{own("gamma 16", "nll_t"), own("gamma 0", "nll_t"), clean, 5, "a temperature by %s. Min"},
		{own("gamma 16", "nll"), own("map", "nll"), severe, 5, "Minus MAP: %s and"},
		{own("gamma 16", "nll_t"), own("map", "nll_t"), severe, 5, "-0.397] and %s. Asked"},
		{longNoise("nll_t"), longPlain("nll_t"), severe, 8, "minus γ = 0 has %s nats und"},
		{longNoise("nll_t"), longPlain("nll_t"), clean, 8, "one temperature leaves %s; the er"},
		{longNoise("error"), longPlain("error"), severe, 8, "the error is lower by %s under sev"},
		{longNoise("error"), longPlain("error"), clean, 8, "corruption, and by %s on clean"},
		{longNoise("nll"), longPlain("nll"), severe, 8, "severe images have %s;"},
		{longPlain("nll_t"), longNoise("nll"), severe, 8, "γ = 16 without one %s."},
		{vgg("gamma 16", "nll"), vgg("gamma 0", "nll"), severe, 5, "minus γ = 0: %s nats. At"},
		{vgg("gamma 16", "nll_t"), vgg("gamma 0", "nll_t"), severe, 5, "temperature each %s are"},
		{vgg("gamma 16", "augrc"), vgg("gamma 0", "augrc"), severe, 5, "AUGRC is lower by %s"},
		{vgg("gamma 16", "error"), vgg("gamma 0", "error"), severe, 5, "the error by %s. On"},
		{vgg("gamma 16", "nll"), vgg("gamma 0", "nll"), clean, 5, "the NLL is lower by %s, with"},
		{vgg("gamma 16", "nll_t"), vgg("gamma 0", "nll_t"), clean, 5, "temperature by %s. Asked aft"},
		{vgg("gamma 0", "nll_t"), vgg("gamma 16", "nll"), severe, 5, "γ = 16 without: %s. Tr"},
		{vgg("gamma 16", "error"), vgg("map", "error"), clean, 5, "errs more by %s than"},
		{vgg("gamma 16", "nll"), vgg("map", "nll"), severe, 5, "Minus MAP γ = 16 has %s nats"},
		{vgg("gamma 16", "nll_t"), vgg("map", "nll_t"), severe, 5, "nats, and %s with one"},
		{vgg("gamma 16", "nll"), vgg("mc dropout", "nll"), severe, 5, "dropout γ = 16 has %s nats, and"},
		{vgg("gamma 16", "nll_t"), vgg("mc dropout", "nll_t"), severe, 5, "temperature %s; on"},
		{vgg("gamma 16", "error"), vgg("mc dropout", "error"), clean, 5, "it errs less by %s"},
		{theirs("gamma 16", "nll"), theirs("gamma 0", "nll"), severe, 5, "minus γ = 0 has %s nats"},
		{theirs("gamma 16", "nll_t"), theirs("gamma 0", "nll_t"), severe, 5,
			"each γ = 16 minus γ = 0 has %s nats there, on"},
		{theirs("gamma 16", "error"), theirs("gamma 0", "error"), severe, 5, "Asked afterwards: error %s,"},
		{theirs("gamma 16", "augrc"), theirs("gamma 0", "augrc"), severe, 5, "AUGRC %s; severe"},
		{theirs("gamma 16", "nll"), theirs("gamma 0", "nll"), clean, 5,
			"(without %s): a slightly"},
		{theirs("gamma 16", "nll_t"), theirs("gamma 0", "nll_t"), clean, 5, "there, on clean images %s ("},
		{theirs("gamma 0", "nll_t"), theirs("gamma 16", "nll"), severe, 5, "without one %s."},
		{theirs("gamma 16", "nll"), theirs("mc dropout", "nll"), severe, 5,
			"Minus MC dropout γ = 16 has %s nats, w"},
		{theirs("gamma 16", "nll_t"), theirs("mc dropout", "nll_t"), severe, 5,
			"nats, with one temperature %s; on"},
		{theirs("gamma 16", "error"), theirs("mc dropout", "error"), clean, 5,
			"it errs less by %s. Both"},
		{noisy("nll"), ordinary("nll"), all, 5, "γ = 16 minus MAP: %s"},
		{noisy("nll"), quiet("nll"), all, 5, "minus γ = 0: %s"},
		{noisy("nll_t"), ordinary("nll_t"), all, 5, "temperature leaves %s, which is undec"},
		{noisy("nll_t"), quiet("nll_t"), all, 5, "against γ = 0 %s"},
		{noisy("error"), ordinary("error"), all, 5, "error is lower by %s"},
		{lines("noise lines", "nll_t"), lines("lines", "nll_t"), all, 5, "its parent is %s, und"},
		{lines("noise lines", "nll"), lines("lines", "nll"), all, 5, "one the difference is %s."},
		{lines("noise lines", "nll"), lines("lines", "nll"), severe, 5, "rwards: severe NLL %s,"},
		{lines("noise lines", "nll"), lines("lines", "nll"), clean, 5, "and %s on clean lines"},
		{lines("noise lines", "error"), lines("lines", "error"), all, 5, "lines; error %s (par"},
		{lines("noise lines", "nll_t"), lines("lines", "nll_t"), severe, 5, "ure each %s, and"},
		{ordinary("nll_t"), noisy("nll"), all, 5, "temperature alone minus γ alone: %s"},
		{noisy("nll_t"), ordinary("nll_t"), clean, 5, "on clean images it leaves %s"},
	} {
		c.wantOn(t, page)
	}
	for form, of := range map[string]side{"MAP's %.2f is worse than guessing": ordinary("nll"),
		"; %.2f with γ = 16 is a little better": noisy("nll"),
		"points than MAP's %.1f.":               ordinary("error")} {
		mean := 0.0
		for _, run := range runsOfCells(t, filepath.Join(resultsFolder, of.folder), of.method,
			of.column) {
			mean += (run[1] + run[2] + run[3] + run[4] + run[5]) / 25
		}
		if of.column == "error" {
			mean *= 100
		}
		if want := fmt.Sprintf(form, mean); !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
}

// What is said of seeds with images of their own, besides differences, is what the cells say.
func TestOwnImagesFollowFromTheirRecords(t *testing.T) {
	page, severe := unwrapped(t, pageBeyond), []int{4, 5}
	results := pagesOfAnswers(t)
	at := func(levels []int, folder, column string) []float64 {
		return levelDifferences(side{"beyond/" + folder, "gamma 16", column}.runs(t),
			side{"beyond/" + folder, "gamma 0", column}.runs(t), levels)
	}
	differences := func(folder, column string) []float64 { return at(severe, folder, column) }
	more := func(folder, column string) string { // than on clean images
		minus := differences(folder, column)
		floats.Sub(minus, at([]int{0}, folder, column))
		return told(minus, false, column)
	}
	probability := func(own, shared float64) float64 { // of an F test on both sides
		return 2 * distuv.F{D1: 4, D2: 9}.Survival(own*own/(shared*shared))
	}
	deviation := func(folder, column string) float64 {
		return score.Summarise(differences(folder, column)).Std
	}
	own, ownScaled := deviation("training-images", "nll"), deviation("training-images", "nll_t")
	shared, scaled := deviation("temperature", "nll"), deviation("temperature", "nll_t")
	level := func(method string) float64 {
		none := make([][6]float64, 5)
		return score.Summarise(levelDifferences(side{"beyond/vgg16", method, "nll"}.runs(t), none,
			severe)).Mean
	}
	quiet, noisy := level("gamma 0"), level("gamma 16")
	overGuessing := levelDifferences(side{"beyond/vgg16-cifar100", "gamma 16", "nll"}.runs(t),
		make([][6]float64, 5), severe)
	floats.AddConst(-math.Log(100), overGuessing)
	vgg16 := told(differences("vgg16", "nll"), false, "nll")
	for _, c := range []struct{ page, want string }{
		{page, fmt.Sprintf("over seeds is %.3f nats, with a temperature %.3f;", own, ownScaled)},
		{page, fmt.Sprintf("training images, it's %.3f and %.3f.", shared, scaled)},
		{page, fmt.Sprintf("At γ = 0 the NLL is %.2f there, worse than guessing (%.2f), which "+
			"wins %.2f of these nats; %.2f with", quiet, math.Log(10), quiet-math.Log(10), noisy)},
		{page, "severe minus clean: " + more("vgg16", "nll") + ", with a temperature " +
			more("vgg16", "nll_t")},
		{page, "severe minus clean " + more("vgg16-cifar100", "nll") + ", with a temperature " +
			more("vgg16-cifar100", "nll_t")},
		{page, fmt.Sprintf("guessing (ln 100 = %.3f) %s", math.Log(100), told(overGuessing, false,
			"nll"))},
		{page, fmt.Sprintf("(F tests: p = %.2f and %.2f)", probability(own, shared),
			probability(ownScaled, scaled))},
		{results, fmt.Sprintf("over seeds is %.1f times that of the ten seeds that share them "+
			"(p = %.2f), with a temperature %.1f times (p = %.2f)", own/shared, probability(own,
			shared), ownScaled/scaled, probability(ownScaled, scaled))},
		{results, "γ = 16 minus γ = 0 is " + told(differences("training-images", "nll"), false,
			"nll") + " under"},
		{results, fmt.Sprintf("γ = 16 minus γ = 0 is %s nats under severe corruption, %.2f of "+
			"which guessing", vgg16, quiet-math.Log(10))},
		{results, "With one temperature " + told(differences("vgg16", "nll_t"), false, "nll_t") +
			" are left"},
		{results, "is " + told(differences("vgg16-cifar100", "nll"), false, "nll") + ", and stays"},
		{results, "temperature " + told(differences("vgg16-cifar100", "nll_t"), false, "nll_t") +
			" are left, on clean images more: " + told(at([]int{0}, "vgg16-cifar100", "nll_t"),
			false, "nll_t")},
		{results, "asked afterwards, uncorrected (" + more("vgg16-cifar100", "nll_t") + "); on " +
			"CIFAR-10 that isn't told (" + more("vgg16", "nll_t") + ")"},
		{results, "five leave " + told(differences("training-images", "nll_t"), false, "nll_t")},
	} {
		if !strings.Contains(c.page, c.want) {
			t.Errorf("a page lacks %q", c.want)
		}
	}
}

// pageBeyond is the page of our own results.
var pageBeyond = filepath.Join(resultsFolder, "beyond", "README.md")

// pagesOfAnswers joins the first page of results and the one with its answers in full.
func pagesOfAnswers(t *testing.T) string {
	t.Helper()
	return unwrapped(t, filepath.Join(resultsFolder, "README.md")) + unwrapped(t,
		filepath.Join(resultsFolder, "details.md"))
}

// unwrapped returns a page whose words have one space between them.
func unwrapped(t *testing.T, path string) string {
	t.Helper()
	return strings.Join(strings.Fields(string(readFile(t, path))), " ")
}

// side is a column of the records of a method, or its mean over several, joined by " + ".
type side struct{ folder, method, column string }

// runs returns the means at each level of each seed.
func (s side) runs(t *testing.T) (runs [][6]float64) {
	methods := strings.Split(s.method, " + ")
	for _, method := range methods {
		for seed, levels := range runsOfCells(t, filepath.Join(resultsFolder, s.folder), method,
			s.column) {
			if seed == len(runs) {
				runs = append(runs, [6]float64{})
			}
			floats.AddScaled(runs[seed][:], 1/float64(len(methods)), levels[:])
		}
	}
	return runs
}

// toldContrast is a difference of two sides, mean of levels, and the form in which a page tells it.
type toldContrast struct {
	run, rival side
	levels     []int
	seeds      int
	form       string
}

// wantOn wants the contrast on a page.
func (c toldContrast) wantOn(t *testing.T, page string) {
	t.Helper()
	runs, rivals := c.run.runs(t), c.rival.runs(t)
	if len(runs) != c.seeds || len(rivals) != c.seeds {
		t.Fatalf("%q: %d and %d runs, want %d", c.form, len(runs), len(rivals), c.seeds)
	}
	if want := fmt.Sprintf(c.form, told(levelDifferences(runs, rivals, c.levels),
		strings.Contains(c.form, " by "), c.run.column)); !strings.Contains(page, want) {
		t.Errorf("the page lacks %q", want)
	}
}

// The differences on the first pages that no verdict has are what the committed cells say.
func TestFirstPagesFollowFromTheirRecords(t *testing.T) {
	pages := pagesOfAnswers(t) + unwrapped(t, filepath.Join("..", "README.md"))
	all, severe, clean := []int{1, 2, 3, 4, 5}, []int{4, 5}, []int{0}
	const plain = "out k 1 gamma k 0 + out k 4 gamma k 0"
	figure10 := func(scale, method, column string) side {
		return side{"figure-10-" + scale, method + " on cifar 10", column}
	}
	again := func(method, column string) side { return side{"beyond/temperature", method, column} }
	for _, c := range []toldContrast{
		{again("gamma 16", "nll_t"), again("gamma 0", "nll_t"), clean, 10,
			"no more than on clean images (%s)"},
		{again("gamma 16", "error"), again("gamma 0", "error"), clean, 10, "undecided (clean: %s)"},
		{figure10("quick", "sam", "error"), figure10("quick", "node bnn", "error"), clean, 5,
			"than SAM on clean images, by %s"},
		{again("gamma 16", "nll_t"), again("gamma 0", "nll_t"), severe, 10,
			"decide it for K = 1: %s of NLL"},
		{again("gamma 16", "error"), again("gamma 0", "error"), severe, 10, "%s of error, undec"},
		{side{"beyond/longer-training", "gamma 16", "nll_t"}, side{"beyond/longer-training",
			"gamma 0", "nll_t"}, severe, 8, "eight, after 36 epochs, %s, decided"},
		{figure10("quick", "node bnn", "error"), figure10("quick", "csg hmc", "error"), all, 5,
			"corruption, by %s"},
		{figure10("quick", "node bnn", "nll_t"), figure10("quick", "csg hmc", "nll_t"), all, 5,
			"its NLL is lower by %s nats"},
		{figure10("quick", "node bnn", "nll_t"), figure10("quick", "swag", "nll_t"), all, 5,
			"its NLL is lower than SWAG's by %s"},
	} {
		c.wantOn(t, pages)
	}
	for form, c := range map[string]struct {
		scale, column, rival string
		levels, less         []int // less are the levels whose difference is subtracted
	}{
		"than that temperature: %s;":  {"desk", "nll", "nll_t", severe, nil},
		"; at quick %s.":              {"quick", "nll", "nll_t", severe, nil},
		"temperature each, %s is":     {"desk", "nll_t", "nll_t", severe, nil},
		"costs %s of error on clea":   {"desk", "error", "error", clean, nil},
		"images, and %s of clean N":   {"desk", "nll_t", "nll_t", clean, nil},
		"it loses less: %s of NLL":    {"desk", "nll_t", "nll_t", severe, clean},
		"severe images, %s nats with": {"desk", "nll_t", "nll_t", severe, clean},
		"At quick it doesn't: %s.":    {"quick", "nll_t", "nll_t", severe, clean},
		"each, and %s of error.":      {"desk", "error", "error", severe, clean},
		"errors change by %s.":        {"desk", "error", "error", severe, nil},
	} {
		folder := "figure-06-" + c.scale
		rivals, chosen := side{folder, plain, c.rival}.runs(t), chosenForOthers(t, folder,
			c.column, severe)
		differences := levelDifferences(chosen, rivals, c.levels)
		if c.less != nil {
			floats.Sub(differences, levelDifferences(chosen, rivals, c.less))
		}
		want := fmt.Sprintf(form, told(differences, false, c.column))
		if !strings.Contains(pages, want) {
			t.Errorf("the first pages lack %q", want)
		}
	}
	fewer := func(method, column string, levels []int) (mean float64, seeds int) {
		differences := levelDifferences(figure10("desk", "node bnn", column).runs(t),
			figure10("desk", method, column).runs(t), levels)
		for _, difference := range differences {
			if difference > 0 {
				seeds++
			}
		}
		return score.Summarise(differences).Mean, seeds
	}
	var points []any
	for _, rival := range []string{"asam", "sam", "damp", "mc dropout"} {
		mean, seeds := fewer(rival, "error", clean)
		if points = append(points, 100*mean); seeds != 4 {
			t.Errorf("%s errs less on clean images in %d seeds, want 4", rival, seeds)
		}
	}
	noise, none := side{"demo", "noise gamma 0", "nll_t"}, side{"demo", "map", "nll_t"}
	better := newEffect("", "", belowZero, levelDifferences(noise.runs(t), none.runs(t), clean))
	if want := fmt.Sprintf("leaves %.2f nats [%.2f, %.2f]. What γ = 16", better.Mean,
		better.Interval[0], better.Interval[1]); !strings.Contains(pages, want) {
		t.Errorf("README lacks %q", want)
	}
	if want := fmt.Sprintf("in the demo noise keeps %.2f nats against it after a temperature (the "+
		"table's first row), and %.2f on clean images", score.Summarise(levelDifferences(
		none.runs(t), noise.runs(t), all)).Mean, score.Summarise(levelDifferences(none.runs(t),
		noise.runs(t),
		clean)).Mean); !strings.Contains(pages, want) {
		t.Errorf("the first pages lack %q", want)
	}
	var early []any
	var desk Report
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, "figure-06-desk",
		"figure-06.json"), &desk))
	for _, v := range desk.Verdicts {
		if v.Claim == "γ chosen on validation images lowers the scaled NLL under severe "+
			"corruption" {
			for _, difference := range v.Effects[0].Differences {
				early = append(early, difference)
			}
		}
	}
	if want := fmt.Sprintf("they give %+.3f, %+.3f and %+.3f nats, the last two %+.3f and %+.3f",
		early...); !strings.Contains(pages, want) {
		t.Errorf("the first pages lack %q", want)
	}
	var worse []any
	for _, rival := range []string{"sam", "damp", "swag"} {
		mean, seeds := fewer(rival, "nll", all)
		if worse = append(worse, -mean); seeds != 0 {
			t.Errorf("%s has the lower NLL in %d seeds, want 0", rival, seeds)
		}
	}
	ordinary, ordinarySeeds := fewer("map", "error", clean)
	dropout, dropoutSeeds := fewer("mc dropout", "nll", all)
	scaledDropout, _ := fewer("mc dropout", "nll_t", all)
	dropoutError, dropoutErrs := fewer("mc dropout", "error", all)
	if want := fmt.Sprintf("ASAM, SAM, DAMP and MC dropout err on %.1f, %.1f, %.1f and %.1f "+
		"points fewer clean images, each in 4 of 4, and MAP on %.1f in %d of 4. - MC dropout has "+
		"the lower NLL under corruption in %d of 4, by %.3f nats (%.3f with one temperature "+
		"each), and errs on %.1f points fewer corrupted images, in %d of 4; SAM, DAMP and SWAG "+
		"have a higher one in 4 of 4, by %.2f, %.2f and %.2f.",
		append(append(points, 100*ordinary, ordinarySeeds, dropoutSeeds, dropout,
			scaledDropout, 100*dropoutError, dropoutErrs), worse...)...); !strings.Contains(
		pages, want) {
		t.Errorf("the first pages lack %q", want)
	}
}

// minus is the difference of two sides' runs, mean of levels.
func minus(t *testing.T, run, rival side, levels []int) Effect {
	t.Helper()
	return newEffect(run.folder, "", belowZero, levelDifferences(run.runs(t), rival.runs(t),
		levels))
}

// What the first pages say of robustness, asked after the runs, is what the committed cells say.
func TestRobustnessFollowsFromItsRecords(t *testing.T) {
	pages := pagesOfAnswers(t) + unwrapped(t, filepath.Join("..", "README.md"))
	all, severe, clean := []int{1, 2, 3, 4, 5}, []int{4, 5}, []int{0}
	desk := committedResult(t, "figure-06-desk/figure-06.json").Primary()
	growth := slices.Clone(desk.Effects[0].Differences)
	floats.Sub(growth, besidePrimary(t, "figure-06-desk", "clean NLL").Differences)
	grown := newEffect("", "", belowZero, growth)
	wants := []string{fmt.Sprintf("the desk, by doubt: %.2f [%.2f, %.2f]", grown.Mean,
		grown.Interval[0], grown.Interval[1])}
	rivals := []string{"sam", "map", "asam", "damp", "csg hmc", "mc dropout", "swag"}
	var grows, scaled, mistakes []Effect
	seeds := map[string]int{} // at the desk, in which the node-BNN's NLL grows less
	for _, rival := range rivals {
		sides := func(scale, column string) (side, side) {
			folder := "figure-10-" + scale
			return side{folder, "node bnn on cifar 10", column},
				side{folder, rival + " on cifar 10", column}
		}
		less := func(scale string) []float64 {
			own, other := sides(scale, "nll_t")
			differences := levelDifferences(own.runs(t), other.runs(t), severe)
			floats.Sub(differences, levelDifferences(own.runs(t), other.runs(t), clean))
			return differences
		}
		own, other := sides("quick", "nll_t")
		grows = append(grows, newEffect(rival, "", belowZero, less("quick")))
		scaled = append(scaled, minus(t, own, other, all))
		for _, difference := range less("desk") {
			if difference < 0 {
				seeds[rival]++
			}
		}
		cost, grown := minus(t, own, other, clean).Mean, -grows[len(grows)-1].Mean
		if strings.Contains("sam asam damp", rival) && 2*cost < grown {
			t.Errorf("%s's clean NLL is %.3f lower, less than half of %.3f", rival, cost, grown)
		}
		own, other = sides("quick", "error")
		e := minus(t, own, other, all)
		if mistakes = append(mistakes, e); rival == "swag" || rival == "csg hmc" {
			wants = append(wants, fmt.Sprintf("%.1f [%.1f, %.1f]", -100*e.Mean, -100*e.Interval[1],
				-100*e.Interval[0]))
		}
	}
	sam := fmt.Sprintf("%.3f [%.3f, %.3f]", -grows[0].Mean, -grows[0].Interval[1],
		-grows[0].Interval[0])
	least, most := math.Inf(1), 0.0
	for i, e := range grows {
		if got := outcomeAmong(e, grows); (got == Holds) != (i == 0) {
			t.Errorf("less growth than %s: %s, and SAM alone is said to be decided", e.Name, got)
		}
		if got := outcomeAmong(mistakes[i], mistakes); (got == Holds) != (e.Name == "swag") {
			t.Errorf("errors against %s: %s, and SWAG's alone are said to be decided", e.Name, got)
		}
		if got := outcomeAmong(scaled[i], scaled); got != Undecided {
			t.Errorf("with one temperature the node-BNN against %s: %s", e.Name, got)
		}
		if i > 0 && i < 5 {
			least, most = min(least, -e.Mean), max(most, -e.Mean)
		}
		if want := []int{4, 4, 4, 4, 2, 1, 4}[i]; seeds[e.Name] != want {
			t.Errorf("less growth than %s at the desk in %d seeds, want %d", e.Name,
				seeds[e.Name], want)
		}
	}
	wants = append(wants, "than SAM's, by "+sam,
		fmt.Sprintf("by %.3f to %.3f,", least, most))
	for _, want := range wants {
		if !strings.Contains(pages, want) {
			t.Errorf("the first pages lack %q", want)
		}
	}
}

// besidePrimary returns what a committed figure measures beside its primary claim.
func besidePrimary(t *testing.T, folder, name string) Effect {
	t.Helper()
	file := strings.TrimSuffix(strings.TrimSuffix(folder, "-desk"), "-quick") + ".json"
	beside := committedResult(t, folder+"/"+file).Primary().Beside
	return beside[slices.IndexFunc(beside, func(e Effect) bool { return e.Name == name })]
}

// chosenForOthers returns a column of each seed, mean of K = 1 and 4, with the γ that has the
// lowest NLL at the levels in the mean of the other seeds.
func chosenForOthers(t *testing.T, folder, column string, levels []int) [][6]float64 {
	const seeds = 5
	chosen := make([][6]float64, seeds)
	for _, k := range []string{"1", "4"} {
		var of [][]float64         // by γ, the NLL of each seed
		var columns [][][6]float64 // by γ
		for _, gamma := range []string{"0", "4", "8", "16", "32", "64"} {
			method := "out k " + k + " gamma k " + gamma
			if runs := runsOfCells(t, filepath.Join(resultsFolder, folder), method,
				"nll"); len(runs) == seeds {
				of = append(of, levelDifferences(runs, make([][6]float64, seeds), levels))
				columns = append(columns, side{folder, method, column}.runs(t))
			}
		}
		for seed := range chosen {
			best := slices.IndexFunc(of, func(nll []float64) bool {
				return !slices.ContainsFunc(of, func(other []float64) bool {
					return floats.Sum(other)-other[seed] < floats.Sum(nll)-nll[seed]
				})
			})
			floats.AddScaled(chosen[seed][:], 0.5, columns[best][seed][:])
		}
	}
	return chosen
}

// What noise on imported networks wins is what their records say: a row for each network, and one
// for the mean of the four.
func TestImportedNetworksFollowFromTheirRecords(t *testing.T) {
	folder := filepath.Join(resultsFolder, "beyond", "any-network")
	page := unwrapped(t, pageBeyond)
	columns, networks := []string{"nll", "nll_t", "error"},
		[]string{"resnet18", "mobilenetv3", "vit", "convnext"}
	all, means, trained := []int{1, 2, 3, 4, 5}, map[string][]float64{}, make([]float64, 5)
	for _, network := range networks {
		of := func(column, rival string, levels []int) []float64 {
			return levelDifferences(runsOfCells(t, folder, "noise-"+network, column),
				runsOfCells(t, folder, network, rival), levels)
		}
		var cells []string
		for _, column := range columns {
			own := of(column, column, all)
			if len(own) != 5 {
				t.Fatalf("%s has %d seeds, want 5", network, len(own))
			}
			cells = append(cells, strings.TrimSuffix(told(own, false, column), " points"))
			if column == "nll_t" && network != "vit" {
				floats.AddScaled(trained, 1.0/3, own)
			}
		}
		if row := " | " + strings.Join(cells, " | ") + " |"; !strings.Contains(page, row) {
			t.Errorf("docs/results/beyond/README.md lacks %q", row)
		}
		for name, own := range map[string][]float64{"nll": of("nll", "nll", all),
			"nll_t": of("nll_t", "nll_t", all), "error": of("error", "error", all),
			"alone": of("nll", "nll_t", all), "clean": of("nll", "nll", []int{0}),
			"clean_t":  of("nll_t", "nll_t", []int{0}),
			"severe_t": of("nll_t", "nll_t", []int{4, 5})} {
			if means[name] == nil {
				means[name] = make([]float64, len(own))
			}
			floats.AddScaled(means[name], 1/float64(len(networks)), own)
		}
	}
	wants := []string{"without it the primary contrast is " + told(trained, false, ""),
		strings.TrimSuffix(told(means["error"], false, "error"), " points") + " |",
		"clean images it lowers the NLL by " + told(means["clean"], true, "")}
	if want := "alone wins " + strings.ReplaceAll(told(means["alone"], false, ""), "+",
		"") + " nats more"; !strings.Contains(pagesOfAnswers(t), want) {
		t.Errorf("the first page lacks %q", want)
	}
	for name, form := range map[string]string{"nll": "| %s |", "nll_t": "**%s**",
		"alone":    "with one temperature: %s,",
		"severe_t": "severe corruption one temperature leaves %s;",
		"clean_t":  "and one temperature leaves %s."} {
		wants = append(wants, fmt.Sprintf(form, told(means[name], false, "")))
	}
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
}

// levelDifferences returns for each seed the mean over levels of what the runs have more than their
// rivals.
func levelDifferences(runs, rivals [][6]float64, levels []int) []float64 {
	minus := make([]float64, len(runs))
	for seed := range runs {
		for _, level := range levels {
			minus[seed] += (runs[seed][level] - rivals[seed][level]) / float64(len(levels))
		}
	}
	return minus
}

// What chosen noise makes of 8 passes is what the table of repetitions says.
func TestPassesFollowFromTheirTable(t *testing.T) {
	folder := filepath.Join(resultsFolder, "beyond")
	page := unwrapped(t, pageBeyond)
	values := passesOf(t, filepath.Join(folder, "passes", "passes.csv"))
	minus := func(a, b string) string {
		e := newEffect("", "", belowZero, differences(values[a][0], values[b][0]))
		return fmt.Sprintf("%+.4f [%+.4f, %+.4f]", e.Mean, e.Interval[0], e.Interval[1])
	}
	share := func(chosen string) string {
		mean := 0.0
		for k, variance := range values[chosen][1] {
			mean += variance / values["independent8"][1][k] / 5
		}
		return fmt.Sprintf("%.2f", mean)
	}
	var from16, from8, shares []string
	for _, chosen := range []string{"stratified8", "sobol8", "antithetic8"} {
		from16 = append(from16, minus(chosen, "independent16"))
		from8 = append(from8, minus(chosen, "independent8"))
		shares = append(shares, share(chosen))
	}
	wants := []string{join(from16), join(from8), join(shares),
		"twice the passes: " + minus("independent16", "independent8")}
	values = passesOf(t, filepath.Join(folder, "passes", "again.csv"))
	wants = append(wants, "16 independent passes "+minus("stratified8", "independent16"),
		"8 independent ones "+minus("stratified8", "independent8"),
		"twice the passes: "+minus("independent16", "independent8"),
		"variance "+share("stratified8")+", with 16 passes "+share("independent16"))
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
}

// What each law of the noise makes of the Gaussian's is what the table of laws says.
func TestLawsFollowFromTheirTable(t *testing.T) {
	folder := filepath.Join(resultsFolder, "beyond")
	page := unwrapped(t, pageBeyond)
	rows := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(folder, "laws",
		"laws.csv")))).ReadAll())(t)
	of := func(law, column string) (runs [][6]float64) {
		at := slices.Index(rows[0], column)
		for _, row := range rows[1:] {
			if level := testkit.Must(strconv.Atoi(row[3]))(t); row[0] == law {
				if level == 0 {
					runs = append(runs, [6]float64{})
				}
				runs[len(runs)-1][level] = testkit.Must(strconv.ParseFloat(row[at], 64))(t)
			}
		}
		return runs
	}
	differ := func(runs, rivals [][6]float64, column string, levels ...int) string {
		return strings.TrimSuffix(told(levelDifferences(runs, rivals, levels), false, column),
			" points")
	}
	minus := func(law, column string, levels ...int) string {
		return differ(of(law, column), of("gaussian", column), column, levels...)
	}
	other := func(law, column, method string) string {
		return differ(of(law, column), side{"beyond/fixed-noise", method + " 36 epochs",
			column}.runs(t), column, 1, 2, 3, 4, 5)
	}
	wants := []string{"slightly more, " + minus("sign", "nll", 0) + " (with one temperature " +
		minus("sign", "nll_t", 0) + ")",
		"minus it is " + other("sign", "nll", "fixed") + ", with one temperature " +
			other("sign", "nll_t", "fixed") + ".",
		"its own γ = 16: " + other("lognormal", "nll", "learnt") + ".",
		"minus ±σ is " + differ(of("dropout", "nll"), of("sign", "nll"), "nll", 1, 2, 3, 4, 5)}
	for _, law := range []string{"sign", "dropout", "lognormal", "factor", "points"} {
		nll := minus(law, "nll", 1, 2, 3, 4, 5)
		if law == "sign" {
			nll = "**" + nll + "**"
		}
		wants = append(wants, "| "+nll+" | "+minus(law, "nll_t", 1, 2, 3, 4, 5)+" | "+
			minus(law, "error", 1, 2, 3, 4, 5)+" |")
	}
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
	for _, law := range []string{"gaussian", "sign"} { // whose records are here
		for _, column := range []string{"nll", "nll_t", "error"} {
			runs := runsOfCells(t, filepath.Join(folder, "laws"), law, column)
			for seed, levels := range of(law, column) {
				testkit.Near(t, "the record of "+law, runs[seed][:], levels[:], 1e-6)
			}
		}
	}
}

// passesOf returns the NLL and variance of five networks, the means over the sets of images, by the
// kind and number of draws.
func passesOf(t *testing.T, path string) map[string][2][]float64 {
	t.Helper()
	rows := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll())(t)[1:]
	values := map[string][2][]float64{}
	for i, row := range rows {
		key, network := row[2]+row[3], 5*i/len(rows)
		v := values[key]
		for k := range v {
			if len(v[k]) <= network {
				v[k] = append(v[k], 0)
			}
			v[k][network] += testkit.Must(strconv.ParseFloat(row[4+k], 64))(t) / 5
		}
		values[key] = v
	}
	return values
}

// told writes the mean of differences with its 95 % interval, of how much is lower if that is told.
func told(differences []float64, falls bool, column string) string {
	summary := score.Summarise(differences)
	ends := summary.Interval(0.95)
	values := []float64{summary.Mean, ends[0], ends[1]}
	form := "%+.3f [%+.3f, %+.3f]"
	if falls {
		for i := range values {
			values[i] = -values[i]
		}
		slices.Sort(values[1:])
		form = "%.3f [%.3f, %.3f]"
	}
	if column == "error" {
		for i := range values {
			values[i] *= 100
		}
		form = strings.ReplaceAll(form, ".3", ".1") + " points"
	}
	return fmt.Sprintf(form, values[0], values[1], values[2])
}

// What the exact posterior makes of gamma is what the record of its figure says.
func TestExactPosteriorFollowsFromItsRecord(t *testing.T) {
	var record Report
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, "beyond", "exact-posterior",
		"exact-posterior.json"), &record))
	values := map[string][][]float64{}
	for _, line := range record.Lines {
		values[line.What+line.Curve] = line.Values
	}
	minus := func(metric, of, from string, levels ...int) Effect {
		var each []float64
		for seed, at := range values[metric+of] {
			sum := 0.0
			for _, level := range levels {
				sum += at[level] - values[metric+from][seed][level]
			}
			each = append(each, sum/float64(len(levels)))
		}
		return newEffect("", "", belowZero, each)
	}
	guessing := func(method string) Effect { // minus the method
		levels := slices.Repeat([]float64{math.Log(10)}, 6)
		values[NLL+"guessing"] = slices.Repeat([][]float64{levels}, 5)
		return minus(NLL, "guessing", method, 1, 2, 3, 4, 5)
	}
	tell := func(form string, e Effect, sign float64) string {
		low, high := sign*e.Interval[0], sign*e.Interval[1]
		return fmt.Sprintf(form, sign*e.Mean, min(low, high), max(low, high))
	}
	all := func(quantity int, method string) float64 { // mean of the seeds, all latents
		var each []float64
		for _, layers := range values[fitQuantities[quantity].what+method] {
			each = append(each, layers[len(layers)-1])
		}
		return score.Summarise(each).Mean
	}
	mean := func(levels ...int) float64 { // NLL of γ = 16
		return minus(NLL, wideQ, "nothing", levels...).Mean
	}
	values[NLL+"nothing"] = slices.Repeat([][]float64{make([]float64, 6)}, 5)
	under := []int{1, 2, 3, 4, 5}
	values[NLL+"MAP with one temperature"] = values[ScaledNLL+mapName]
	mapScaled := minus(NLL, "MAP with one temperature", wideQ, under...)
	if want := fmt.Sprintf("γ = 16 is %.2f times as wide as [the posterior]", math.Exp2(all(0,
		wideExact))); !strings.Contains(pagesOfAnswers(t), want) {
		t.Errorf("the first page lacks %q", want)
	}
	checkTold(t,
		tell("weights of γ = 0 is %+.2f nats [%+.2f, %+.2f]", minus(NLL, wideQ, plainExact,
			under...), 1),
		tell("own weights %+.2f [%+.2f, %+.2f]", minus(NLL, wideQ, wideExact, under...), 1),
		tell("is %+.2f [%+.2f, %+.2f]", guessing(plainExact), 1)+
			tell(" and %+.2f [%+.2f, %+.2f]", guessing(wideExact), 1),
		tell("temperature each, %+.3f [%+.3f, %+.3f]", minus(ScaledNLL, wideQ, plainExact,
			under...), 1)+tell(" and %+.3f [%+.3f, %+.3f]", minus(ScaledNLL, wideQ, wideExact,
			under...), 1),
		tell("costs γ = 0 %.2f nats [%.2f, %.2f]", minus(NLL, plainQ, plainExact, under...), 1),
		fmt.Sprintf("of the %.2f that γ = 16 wins", -minus(NLL, wideQ, plainQ, under...).Mean),
		tell("with one temperature %.3f [%.3f, %.3f]", minus(ScaledNLL, plainQ, plainExact,
			under...), 1),
		tell("are %+.2f [%+.2f, %+.2f] from MAP", minus(NLL, plainExact, mapName, under...), 1)+
			tell(", with one temperature %+.3f [%+.3f, %+.3f], und", minus(ScaledNLL, plainExact,
				mapName, under...), 1),
		tell("under corruption by %+.2f nats [%+.2f, %+.2f], and", minus(NLL, mapExact, mapName,
			under...), 1)+tell(" with one temperature by %+.4f [%+.4f, %+.4f], a little",
			minus(ScaledNLL, mapExact, mapName, under...), 1),
		tell("prior minus it: %+.2f nats [%+.2f, %+.2f], with", minus(NLL, mapPrior, mapExact,
			under...), 1)+tell(" one temperature %+.3f [%+.3f, %+.3f], und", minus(ScaledNLL,
			mapPrior, mapExact, under...), 1),
		tell("clean images it changes MAP's by %+.2f nats [%+.2f, %+.2f], with", minus(NLL,
			mapExact, mapName, 0), 1)+tell(" one temperature by %+.3f [%+.3f, %+.3f], und",
			minus(ScaledNLL, mapExact, mapName, 0), 1),
		tell("errs less, too, by %.1f points [%.1f, %.1f]", minus("Error %", mapExact, mapName,
			under...), -1),
		fmt.Sprintf("never met (prior N(1, 0.16²); its draws are %.0f %% narrower)",
			100*(1-math.Exp2(all(1, mapExact)))),
		tell("draws have %+.2f nats [%+.2f, %+.2f], with", minus(NLL, mapPrior, mapName,
			under...), 1)+tell(" one temperature %+.3f [%+.3f, %+.3f]; they", minus(ScaledNLL,
			mapPrior, mapName, under...), 1),
		tell("than MAP, by %.1f points [%.1f, %.1f]", minus("Error %", mapPrior, mapName,
			under...), -1),
		tell("minus guessing is %+.2f nats [%+.2f, %+.2f]", guessing(wideQ), -1),
		tell("without one by %.2f nats [%.2f, %.2f]", mapScaled, -1),
		tell("minus them is %+.2f nats [%+.2f, %+.2f]", minus(NLL, wideQ, mapPrior, under...), 1),
		tell("with one temperature %+.3f [%+.3f, %+.3f]. MAP", minus(ScaledNLL, wideQ, mapPrior,
			under...), 1),
		tell("of γ = 0 is %+.2f nats [%+.2f, %+.2f])", minus(NLL, wideQ, plainExact, 0), 1),
		tell("errs on %.1f points less under corruption than the exact posterior [%.1f, %.1f]",
			minus("Error %", wideQ, wideExact, under...), -1),
		tell("clean NLL is lower by %.3f nats [%.3f, %.3f]", minus(ScaledNLL, wideQ, wideExact,
			0), -1),
		fmt.Sprintf("(%.2f; at level 5 %.2f, undecided)", mean(under...), mean(5)),
		fmt.Sprintf("draws are %.0f %% narrower than the prior, and q is %.0f %% narrower",
			100*(1-math.Exp2(all(1, plainExact))), 100*(1-math.Exp2(all(0, plainExact)))),
		fmt.Sprintf("(%.1f nats of KL", all(2, plainExact)),
		fmt.Sprintf("%.2f times as wide as the draws, %.0f nats away",
			math.Exp2(all(0, wideExact)), all(2, wideExact)))
}

// How q at γ = 16 differs from the tempered posterior that it aims at is what the committed cells
// and the table of the chains say.
func TestTemperedPosteriorFollowsFromItsRecords(t *testing.T) {
	page, under, clean := unwrapped(t, pageBeyond), []int{1, 2, 3, 4, 5}, []int{0}
	q := func(column string) side { return side{"beyond/exact-posterior", "γ = 16", column} }
	z := func(column string) side { return side{"beyond/tempered-posterior", "tempered", column} }
	for _, c := range []toldContrast{
		{q("nll"), z("nll"), under, 5, "q minus these draws has %s nats"},
		{q("nll_t"), z("nll_t"), under, 5, "with one temperature each %s; on clean"},
		{q("nll"), z("nll"), clean, 5, "on clean images %s and"},
		{q("nll_t"), z("nll_t"), clean, 5, "and, with one, %s; it errs"},
		{q("error"), z("error"), under, 5, "it errs on %s"},
		{side{"beyond/exact-posterior", "γ = 16, exact z", "nll"}, z("nll"), under, 5,
			"Tempering wins %s nats"},
	} {
		c.wantOn(t, page)
	}
	path := filepath.Join(resultsFolder, "beyond", "tempered-posterior", "tempered.csv")
	named, rows := numbersIn(t, path)
	of := func(column string) (values []float64) {
		for _, row := range rows {
			values = append(values, row[named[column]])
		}
		return values
	}
	mean := func(column string) float64 { return stat.Mean(of(column), nil) }
	if floats.Sum(of("diverged")) != 1 || len(rows) != 5 {
		t.Errorf("%v diverge, want one of five", of("diverged"))
	}
	checkTold(t, fmt.Sprintf("draws are %.2f times as wide as the prior, and q is %.0f %% narrower "+
		"than they are, %.1f nats of KL", math.Exp2(mean("wider")),
		100*(1-math.Exp2(mean("narrower"))), mean("kl")),
		fmt.Sprintf("at most %.3f (distances: %.3f, 96",
			slices.Max(of("rhat")), slices.Max(of("folded"))))
}

// How the NLL grows on more test images is what the cells of the same networks say.
func TestMoreTestImagesFollowFromTheirCells(t *testing.T) {
	of := func(column string, levels ...int) []float64 {
		runs := func(method string) [][6]float64 {
			return runsOfCells(t, filepath.Join(resultsFolder, "beyond", "more-images"), method,
				column, "images", "5000")
		}
		noisy, quiet := runs("gamma 16"), runs("gamma 0")
		if len(noisy) != 8 || len(quiet) != 8 {
			t.Fatalf("%d and %d networks, want 8 of each", len(noisy), len(quiet))
		}
		return levelDifferences(noisy, quiet, levels)
	}
	growth := func(column string) []float64 {
		grown := of(column, 4, 5)
		floats.Sub(grown, of(column, 0))
		return grown
	}
	own := effectsUnderSeverity(t, "beyond/longer-training", "gamma 16", "gamma 0")[2].Differences
	scaled, grown := growth("nll_t"), told(growth("error"), false, "error")
	checkTold(t, "severe images, γ = 16 minus γ = 0 is "+told(scaled, false, "nll")+": und",
		fmt.Sprintf("deviation of %.3f here, and of %.3f on", stat.StdDev(scaled, nil),
			stat.StdDev(own, nil)),
		"each "+told(of("nll_t", 4, 5), false, "nll")+" on severe images and "+
			told(of("nll_t", 0), false, "nll")+" on clean ones",
		"lower by "+strings.TrimSuffix(told(of("error", 4, 5), true, "error"), " points")+
			" and "+told(of("error", 0), true, "error")+", and grows by "+grown,
		"the NLL grows by "+told(growth("nll"), false, "nll"))
}

// How well networks tell images from outside is what the table of their program says.
func TestDoubtFollowsFromItsTable(t *testing.T) {
	named, rows := numbersIn(t, filepath.Join(resultsFolder, "beyond", "longer-training",
		"outside.csv"))
	auroc := func(gamma float64, column string) (values []float64) {
		for _, row := range rows {
			if row[named["gamma"]] == gamma {
				values = append(values, row[named[column]])
			}
		}
		return values
	}
	minus := func(values, others []float64) string {
		if len(values) != 8 || len(others) != 8 {
			t.Fatalf("%d and %d networks, want 8 of each", len(values), len(others))
		}
		return told(floats.SubTo(make([]float64, 8), values, others), false, "auroc")
	}
	plain, tempered := auroc(0, "entropy"), auroc(0, "entropy_t")
	low, high := auroc(0, "fpr95"), auroc(16, "fpr95")
	checkTold(t, fmt.Sprintf("AUROC is %.3f at γ = 0 and %.3f at γ = 16", stat.Mean(plain, nil),
		stat.Mean(auroc(16, "entropy"), nil)),
		"The difference is "+minus(auroc(16, "entropy"), plain),
		"raises γ = 0's by "+minus(tempered, plain),
		"γ = 16 minus γ = 0 is "+minus(auroc(16, "entropy_t"), tempered),
		"largest probability it is "+minus(auroc(16, "probability"), auroc(0, "probability")),
		"mutual information "+minus(auroc(16, "information"), auroc(0, "information"))+";",
		"FPR95 falls by "+told(floats.SubTo(make([]float64, 8), high, low), true, "fpr95")+
			fmt.Sprintf(", from %.3f", stat.Mean(low, nil)),
		fmt.Sprintf("keep over %.0f %% of the others", 100*slices.Min(slices.Concat(low, high))))
}

// What five networks win against one with noise, and noise in the five, is what the cells say.
func TestEnsemblesFollowFromTheirCells(t *testing.T) {
	const folder, ordinary, noisy, one = "beyond/ensembles", "five map", "five gamma 16", "gamma 16"
	of := func(method, column string) side { return side{folder, method, column} }
	page, severe, clean := unwrapped(t, pageBeyond), []int{4, 5}, []int{0}
	for _, c := range []toldContrast{
		{of(ordinary, "nll_t"), of(one, "nll_t"), severe, 5, "and of the weights): %s, below"},
		{of(noisy, "nll_t"), of(ordinary, "nll_t"), severe, 5, "minus five MAP networks: %s."},
		{of(ordinary, "error"), of(one, "error"), severe, 5, "severe images is lower by %s,"},
		{of(ordinary, "error"), of(one, "error"), clean, 5, "that of clean ones by %s."},
		{of(ordinary, "nll_t"), of(one, "nll_t"), clean, 5, "NLL is lower by %s with one"},
		{of(ordinary, "nll"), of(one, "nll"), severe, 5, "temperature they have %s on severe"},
		{of(ordinary, "nll"), of(one, "nll"), clean, 5, "images, and %s on clean ones. Asked"},
		{of(noisy, "nll"), of(ordinary, "nll"), severe, 5, "five MAP networks have %s on"},
		{of(noisy, "nll"), of(ordinary, "nll_t"), severe, 5, "with one (asked afterwards) %s."},
		{of(noisy, "nll_t"), of(ordinary, "nll_t"), clean, 5, "on clean images is %s, so"},
		{of(noisy, "error"), of(ordinary, "error"), severe, 5, "they err on %s of severe"},
		{of(noisy, "error"), of(ordinary, "error"), clean, 5, "of severe and %s of clean images."},
	} {
		c.wantOn(t, page)
	}
	asked := []Effect{minus(t, of(ordinary, "nll_t"), of(one, "nll_t"), severe),
		minus(t, of(noisy, "nll_t"), of(ordinary, "nll_t"), severe)}
	for i, e := range asked {
		if got := outcomeAmong(e, asked); got != Undecided {
			t.Errorf("contrast %d is %s, want undecided", i+1, got)
		}
	}
	single := func(column string) []float64 { // one of the five minus γ = 16
		var means [][6]float64
		for seed := 1; seed <= 5; seed++ {
			means = append(means, meanOfCells(t, filepath.Join(resultsFolder, folder),
				fmt.Sprint("map ", seed), column))
		}
		return levelDifferences(means, of(one, column).runs(t), severe)
	}
	under := func(method string) [][6]float64 {
		return runsOfCells(t, filepath.Join(resultsFolder, folder), method, "nll_t", "corruption",
			"contrast")
	}
	contrast := levelDifferences(under(ordinary), under(one), severe)
	others := make([]float64, 5)
	floats.AddScaledTo(others, asked[0].Differences, -1.0/8, contrast)
	floats.Scale(8.0/7, others)
	fewer := strings.TrimSuffix(told(single("error"), false, "error"), " points")
	checkTold(t, fmt.Sprintf("p is %.3f", asked[0].pValue()),
		"grows more: "+told(effectsUnderSeverity(t, folder, ordinary, one)[2].Differences, false,
			"nll"),
		"grows less: "+told(effectsUnderSeverity(t, folder, noisy, ordinary)[2].Differences, false,
			"nll"),
		"each they have "+told(contrast, false, "nll")+" on severe",
		"corruptions they have "+told(others, false, "nll"),
		"one pass) has "+told(single("nll_t"), false, "nll"),
		"errs on "+strings.ReplaceAll(fewer, "+", "")+" points more severe images")
	wantOnFirstPage(t, "MAP networks err on "+told(levelDifferences(of(ordinary, "error").runs(t),
		of(one, "error").runs(t), severe), true, "error")+" fewer severe images than one with γ = "+
		"16; with one temperature each: "+told(asked[0].Differences, false, "nll")+" nats, undecided.")
}

// The list of questions has each section's answer.
func TestListOfQuestionsHasTheirAnswers(t *testing.T) {
	page := string(readFile(t, pageBeyond))
	sections := strings.Split(page, "\n## ")
	answer := regexp.MustCompile(`(?m)^\*\*([^*]+\.)\*\*`)
	for _, section := range sections[1 : len(sections)-1] { // the last lists what was withdrawn
		question, text, _ := strings.Cut(section, "\n")
		want := " | Asked; under way. |\n"
		if found := answer.FindStringSubmatch(text); found != nil {
			want = " | " + strings.ReplaceAll(found[1], "\n", " ") + " |\n"
		}
		if !regexp.MustCompile(regexp.QuoteMeta("| ["+question+"](#") + "[^)]+" +
			regexp.QuoteMeta(")"+want)).MatchString(sections[0]) {
			t.Errorf("the list lacks %s%s", question, want)
		}
	}
}

// numbersIn reads a table of numbers, and the places of its columns.
func numbersIn(t *testing.T, path string) (named map[string]int, rows [][]float64) {
	t.Helper()
	texts := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll())(t)
	named = map[string]int{}
	for i, name := range texts[0] {
		named[name] = i
	}
	for _, row := range texts[1:] {
		var values []float64
		for _, text := range row {
			values = append(values, testkit.Must(strconv.ParseFloat(text, 64))(t))
		}
		rows = append(rows, values)
	}
	return named, rows
}

// What the page says of modes and of how the chains mix is what the table of their program says.
func TestModesFollowFromTheirTable(t *testing.T) {
	path := filepath.Join(resultsFolder, "beyond", "exact-posterior", "modes.csv")
	named, rows := numbersIn(t, path)
	var published [][]float64
	var again []float64 // folded R-hat of γ = 16 with eight steps
	for _, row := range rows {
		if row[0] == 8 && row[1] == 16 {
			again = append(again, row[named["folded"]])
		} else {
			published = append(published, row)
		}
	}
	slices.SortStableFunc(published, func(a, b []float64) int { return cmp.Compare(a[1], b[1]) })
	of := func(column string, from, to int) (values []float64) { // of the runs, γ = 0 first
		for _, row := range published[from:to] {
			values = append(values, row[named[column]])
		}
		return values
	}
	wide := 0
	for _, rHat := range again {
		if rHat > nbbnn.MixedRHat {
			wide++
		}
	}
	latents, least := floats.Sum(of("latents", 0, 10)), slices.Min(of("p", 0, 10))
	if least*latents < 0.05 || wide != 3 {
		t.Errorf("the least p is %g, %d of γ = 16 with eight steps don't mix in widths, want no p "+
			"below 0.05 / %g and three", least, wide, latents)
	}
	effective := func(from, to int) string {
		return fmt.Sprintf("%.0f to %.0f", slices.Min(of("effective", from, to)),
			slices.Max(of("effective", from, to)))
	}
	checkTold(t,
		fmt.Sprintf("over the latents is at most %.3f", slices.Max(of("rhat", 0, 10))),
		fmt.Sprintf("principal component at most %.3f", slices.Max(of("pc1", 0, 10))),
		fmt.Sprintf("Of %.0f marginals", latents), fmt.Sprintf("least p %.3f", least),
		effective(0, 5)+" effective draws", "γ = 16 "+effective(5, 10),
		fmt.Sprintf("from the median at most %.3f", slices.Max(of("folded", 0, 10))),
		fmt.Sprintf("(up to %.3f)", slices.Max(again)))
}

// checkTold looks for texts on the page of results beyond the paper.
func checkTold(t *testing.T, texts ...string) {
	t.Helper()
	page := unwrapped(t, pageBeyond)
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
}
