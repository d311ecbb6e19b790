package paper

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// resultsFolder holds the committed results.
const resultsFolder = "../docs/results"

// The committed pages are what the committed results give, and each finding and effect follows from
// its differences.
func TestGalleryIsCurrent(t *testing.T) {
	pages, _, err := galleryOf(resultsFolder)
	testkit.NoError(t, err)
	for _, page := range pages {
		if !bytes.Equal(readFile(t, filepath.Join(resultsFolder, page.name)), page.text) {
			t.Errorf("docs/results/%s is older than the results: run make gallery", page.name)
		}
	}
	results, _, err := readResults(resultsFolder)
	testkit.NoError(t, err)
	for _, c := range results {
		if got := findingOf(c.figure, c.Scale, c.Verdicts); got != c.Finding {
			t.Errorf("%s: the finding is %q, the verdicts say %q: export the figure again", c.Name,
				c.Finding, got)
		}
		for _, v := range c.Verdicts {
			for _, e := range v.Effects {
				if again := newEffect(e.Name, e.Unit, e.Claimed,
					e.Differences); again.String() != e.String() {
					t.Errorf("%s: the effect is %s, its differences give %s", c.Name, e, again)
				}
			}
		}
	}
}

// The pages of a figure that was just exported name its finding. Files of another export are
// refused with the command that makes them again.
func TestGalleryOfAnExport(t *testing.T) {
	folder, options := t.TempDir(), Options{Runs: t.TempDir(), Out: t.TempDir()}
	result := made(t, tiny(Figure03, 1), options)
	exported := filepath.Join(folder, "figure-03-smoke")
	testkit.Must(export(result, exported))(t)
	if paths, err := Gallery(folder); err != nil || len(paths) != 6 {
		t.Fatalf("%d files (%v), want 6", len(paths), err)
	}
	for path, want := range map[string]string{
		"all.md":                    "| [Figure 3, smoke](figure-03-smoke/README.md) |",
		"figure-03-smoke/README.md": findingIn(result), claimsFile: `"result":"figure-03-smoke"`,
		reproductionFile: "Figure 3, smoke"} {
		if !bytes.Contains(readFile(t, filepath.Join(folder, path)), []byte(want)) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	for _, test := range []struct{ file, old, new, want string }{
		{"figure-03.json", `"state_sha256": "`, `"state_sha256": "0`,
			"the card of M16 seed 1 has other weights: export the figure again with " +
				"`nbbnn figure 3 --scale smoke"},
		{"cards/m32-seed1.*.record", `{`, `[`, "the card of M32 seed 1 is missing, damaged or " +
			"of a " +
			"half-done training"},
		{"figure-03.json", `{`, `[`, "figure-03.json is damaged"},
	} {
		path := testkit.Must(filepath.Glob(filepath.Join(exported, test.file)))(t)[0]
		before := readFile(t, path)
		replaceInFile(t, path, test.old, test.new)
		_, err := Gallery(folder)
		testkit.Error(t, t.Name(), err, test.want)
		testkit.NoError(t, os.WriteFile(path, before, 0o644))
	}
	_, err := Gallery(t.TempDir())
	testkit.Error(t, t.Name(), err, "holds no results: `nbbnn figure 3 --scale quick --cards --out")
}

// Records say which commit made them. Those of before November 28, 2026 may lack it.
func TestRecordsNameTheirCommit(t *testing.T) {
	count := 0
	testkit.NoError(t, filepath.WalkDir(resultsFolder, func(path string, _ fs.DirEntry,
		err error) error {
		if err != nil || filepath.Ext(path) != files.RecordEnding {
			return err
		}
		text, err := files.ReadFile(filepath.Join(path, "card.json"))
		if errors.Is(err, fs.ErrNotExist) { // of an ensemble
			return nil
		}
		var card nbbnn.Card
		if err == nil {
			err = files.ParseJSON(text, &card)
		}
		count++
		if card.Created >= "2026-11-28" && (card.Commit == "unknown" || card.Commit == "") {
			t.Errorf("%s of %s has no commit: train with a program of `make build`", path,
				card.Created)
		}
		return err
	}))
	if count < 600 {
		t.Errorf("%d records", count)
	}
}

// meanOfCells returns the means over the seeds of a column at the levels.
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
func runsOfCells(t *testing.T, folder, method, column string,
	where ...string) (runs [][6]float64) {
	t.Helper()
	base := filepath.Join(folder, cardsFolder, report.FileName(method))
	paths := testkit.Must(filepath.Glob(base + "-seed*.record"))(t)
	if len(paths) == 0 { // an ensemble
		paths = testkit.Must(filepath.Glob(base + ".ensemble-*.record"))(t)
	}
	for _, path := range paths {
		runs = append(runs, levelsOfCells(t, path, column, where...))
	}
	return runs
}

// levelsOfCells returns the means of a column at the levels of the one suite of corruptions, or of
// all19: of the cells that have a value in another column, if these two are given.
func levelsOfCells(t *testing.T, path, column string, where ...string) (means [6]float64) {
	t.Helper()
	cells := testkit.Must(files.ReadFile(filepath.Join(path, "cells.csv")))(t)
	rows := testkit.Must(csv.NewReader(bytes.NewReader(cells)).ReadAll())(t)
	suite, severity, at := slices.Index(rows[0], "suite"), slices.Index(rows[0], "severity"),
		slices.Index(rows[0], column)
	var counts [6]float64
	for _, row := range rows[1:] {
		if name, _, _ := strings.Cut(row[suite], "/"); name != "all19" && name != "first8" ||
			where != nil && row[slices.Index(rows[0], where[0])] != where[1] {
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
		counts[level]++
		means[level] += value
	}
	for level := range means {
		means[level] /= counts[level]
	}
	return means
}

// README.md repeats the numbers of the committed demo.
func TestReadmeRepeatsTheResults(t *testing.T) {
	readme := unwrapped(t, filepath.Join("..", "README.md"))
	contains := func(text string) {
		t.Helper()
		if !strings.Contains(readme, text) {
			t.Errorf("README.md lacks %q", text)
		}
	}
	demo := committedResult(t, "demo/demo.json")
	for _, claim := range []int{0, 1} {
		contains(" by " + worded{demo.Verdicts[claim]}.Found())
	}
	temperature, _, _ := strings.Cut(demo.Primary().BesideOf("with one temperature"), " ")
	contains(temperature + " nats are left. On clean images it errs less")
	beside := demo.Primary().Beside
	e := beside[slices.IndexFunc(beside, func(e Effect) bool { return e.Name == "clean error" })]
	contains(fmt.Sprintf("by %.1f points [%.1f, %.1f]", -e.Mean, -e.Interval[1], -e.Interval[0]))
	for _, claim := range []string{"more entropy lowers the NLL under corruption",
		"more entropy lowers the error under corruption"} {
		v := demo.Verdict(claim)
		if contains(v.Found()); v.Outcome != Undecided {
			t.Errorf("README.md says that the demo doesn't decide that %s: %s", claim, v.Outcome)
		}
	}
}

// Every row of the answers in full is a verdict of a committed result, and what its columns ask for
// is measured beside a primary claim.
func TestAnswers(t *testing.T) {
	results, _, err := readResults(resultsFolder)
	testkit.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| \[[^]]+\]\(([^/]+)/README.md\) \| [-+]\d.*\| \*\*.+\*\* \|$`)
	rowsOf := func(g gallery) [][]string {
		var page strings.Builder
		filled := template.Must(template.New("").Parse(galleryDetailsText))
		testkit.NoError(t, filled.Execute(&page, g))
		return row.FindAllStringSubmatch(page.String(), -1)
	}
	rows := rowsOf(gallery{Results: results})
	if len(rows) != 7 || !strings.Contains(galleryDetailsText, `"`+fixedBelowNarrow+`"`) {
		t.Errorf("the rows are %q, want 7, the last of fixed noise", rows)
	}
	if rows = rowsOf(gallery{Results: results[:1]}); len(rows) != 1 ||
		rows[0][1] != results[0].Name {
		t.Errorf("of %s alone the rows are %q, want its own", results[0].Name, rows)
	}
	for _, text := range []string{galleryText, galleryDetailsText, galleryAllText} {
		for _, found := range regexp.MustCompile(`BesideOf "([^"]*)"`).FindAllStringSubmatch(text,
			-1) {
			if !slices.ContainsFunc(besides, func(b struct {
				name, metric string
				clean        bool
			}) bool {
				return b.name == found[1]
			}) {
				t.Errorf("the page asks for %q, which isn't measured", found[1])
			}
		}
	}
}

// The page names the results whose seeds share test images, and counts the records without a
// commit.
func TestWhatResultsShare(t *testing.T) {
	result := func(figure Figure, scale Scale, commits ...string) committed {
		c := committed{Report: Report{Figure: figure.Number, Scale: scale}, figure: figure}
		for i, commit := range commits {
			c.cards = append(c.cards,
				nbbnn.Card{Commit: commit, StateSHA256: fmt.Sprint(figure.Number, i)})
		}
		return c
	}
	g := gallery{Results: []committed{
		// no test images, and its own
		result(Demo, Quick, "abc"), result(testkit.Must(ByNumber(1))(t), Quick),
		result(figure02, Quick),
		result(Figure03, Desk, "unknown", "unknown"), result(Figure03, Quick),
		result(figure05, Quick, "abc", "unknown"),
		result(figure06, Desk), result(figure18, Quick),
	}}
	if got, want := g.SharedImages(), "Figures 2 (quick), 3 (desk) and 5 (quick)"; got != want {
		t.Errorf("%s share test images, want %s", got, want)
	}
	if unstamped := g.Unstamped(); unstamped != 3 || len(g.Runs()) != 5 {
		t.Errorf("%d of %d records name no commit, want 3 of 5", unstamped, len(g.Runs()))
	}
}

// Beside a primary contrast are the same differences after one temperature, in other scores and on
// clean images, as far as they are measured.
func TestBeside(t *testing.T) {
	// of M32 by level
	lead := differences(published.Figure3[1].Mean[:], published.Figure3[0].Mean[:])
	for _, test := range []struct {
		name   string
		result *Result
		want   map[string]float64
	}{
		{"figure 3", fixture(1, 2, 3, 4, 5),
			map[string]float64{"with one temperature": 0.8 * score.Summarise(lead[1:]).Mean,
				"error": 0, "clean NLL": lead[0], "clean error": 0}},
		{"figure 3 without a temperature", withoutTemperature(fixture(1, 2, 3, 4, 5)),
			map[string]float64{"error": 0, "clean NLL": lead[0], "clean error": 0}},
		// gamma chosen on validation images: 16 and 32, whose clean NLL is 0.8 and 1.25 below that
		// at 0
		{"figure 6", sweepFixture(t, figure06), map[string]float64{"with one temperature": -0.7375,
			"error": -14.75, "clean NLL": -1.025, "clean error": -10.25}},
		{"figure 9, on clean images", sweepFixture(t, figure09),
			map[string]float64{"with one temperature": -0.6, "error": -12}},
	} {
		primary, _ := test.result.Verdicts().primary()
		for _, e := range primary.Beside {
			if want, measured := test.want[e.Name]; !measured || math.Abs(e.Mean-want) > 1e-9 ||
				e.Paper != nil {
				t.Errorf("%s: %s is %v, want %g", test.name, e.Name, e, want)
			}
		}
		if len(primary.Beside) != len(test.want) {
			t.Errorf("%s: beside are %v, want %v", test.name, primary.Beside, test.want)
		}
		for _, v := range test.result.Verdicts() {
			if !v.Primary && len(v.Beside) > 0 {
				t.Errorf("%s: beside %q are %v, want nothing", test.name, v.Claim, v.Beside)
			}
		}
	}
	primary, _ := fixture(1, 2, 3, 4).Verdicts().primary()
	few := worded{primary}
	if got := few.BesideOf("clean NLL"); strings.Contains(got, "[") ||
		!strings.HasPrefix(got, "-0.05") {
		t.Errorf("four seeds have %q, want no interval", got)
	}
	if got := few.BesideOf("AUGRC"); got != "–" {
		t.Errorf("AUGRC, which isn't measured, is %q", got)
	}
}

// committedResult reads a result by the path of its report in docs/results.
func committedResult(t *testing.T, name string) committed {
	t.Helper()
	return testkit.Must(readResult(resultsFolder, filepath.Join(resultsFolder, name)))(t)
}

// committedLine is a line of a committed report.
func committedLine(t *testing.T, name, what, curve string) line {
	t.Helper()
	lines := committedResult(t, name).Lines
	at := slices.IndexFunc(lines, func(l line) bool { return l.What == what && l.Curve == curve })
	if at < 0 {
		t.Fatalf("%s has no %s of %s", name, what, curve)
	}
	return lines[at]
}

// The sentences by hand of the page of results: one temperature does as much as γ, and the clean
// error of noise that stays wide.
func TestAnswerFollowsFromResults(t *testing.T) {
	for _, scale := range []string{"quick", "desk"} {
		result := committedResult(t, "figure-06-"+scale+"/figure-06.json")
		if got := result.Verdict(chosenHelps).Outcome; got != Holds {
			t.Errorf("%s: γ doesn't help: %s", scale, got)
		}
		if got := result.Verdict(chosenBeatsTemperature).Effects[0].Mean; got < 0 {
			t.Errorf("%s: γ beats one temperature by %g", scale, got)
		}
		if got := result.Verdict("γ chosen on validation images lowers the scaled NLL under " +
			"severe corruption").Outcome; got != Undecided {
			t.Errorf("%s: more entropy adds more than doubt: %s", scale, got)
		}
	}
	var found []string // the differences that the seeds find
	for _, match := range regexp.MustCompile(`node-BNN - (?:ASAM|MC dropout|cSG-HMC|SAM), .*effect of `+
		`(\S+) nats`).FindAllStringSubmatch(string(readFile(t, filepath.Join(resultsFolder,
		"figure-10-quick", "README.md"))), -1) {
		found = append(found, match[1][:4])
	}
	if len(found) != 4 || slices.Min(found) != "0.15" || slices.Max(found) != "0.21" {
		t.Errorf("the page says that differences of 0.15 to 0.21 nats are found: %v", found)
	}
	single := committedResult(t, "figure-06-desk/figure-06.json").Verdict(chosenBeatsTemperature +
		", for each K").Effects[0]
	if want := fmt.Sprintf("(for K = 1 %+.2f [%+.2f, %+.2f], undecided", single.Mean,
		single.Interval[0], single.Interval[1]); !strings.Contains(pagesOfAnswers(t), want) {
		t.Errorf("the page of results lacks %q", want)
	}
	var scaled []Effect
	ours := side{"figure-10-quick", "node bnn on cifar 10", "nll_t"}.runs(t)
	for _, rival := range []string{"asam", "sam", "damp", "mc dropout", "swag", "csg hmc", "map"} {
		scaled = append(scaled, newEffect(rival, "nats", belowZero, levelDifferences(ours, side{
			"figure-10-quick", rival + " on cifar 10", "nll_t"}.runs(t), []int{1, 2, 3, 4, 5})))
	}
	for _, e := range scaled {
		if got := outcomeAmong(e, scaled); got != Undecided {
			t.Errorf("the page says that with a temperature none is decided: %s is %s", e.Name, got)
		}
	}
	fixed := committedResult(t, "figure-03-desk/figure-03.json").Verdict(fixedBelowNarrow)
	if got := fixed.BesideOf("clean error"); got != "+2.5" {
		t.Errorf("the page says that noise that stays wide costs 2.5 points: %s", got)
	}
	labels := committedResult(t, "figure-09-desk/figure-09.json")
	var quiet []float64
	for _, seed := range committedLine(t, "figure-09-desk/figure-09.json", "40% wrong, test",
		"K = 4").Values {
		quiet = append(quiet, seed[0]-math.Log(10))
	}
	if got := fmt.Sprintf("; of guessing %.2f)", -score.Summarise(
		quiet).Mean); !strings.Contains(pagesOfAnswers(t), got) {
		t.Errorf("the page of results lacks %q", got)
	}
	if e := labels.Verdict("40% wrong: the largest γ lowers the test error").Effects[0]; slices.Max(
		e.Differences) >= 0 {
		t.Errorf("the page says that γ = 160 errs less: %v", e.Differences)
	}
}

// openRecord opens a committed record, given the beginning of its path.
func openRecord(t *testing.T, record string) *nbbnn.Run {
	t.Helper()
	paths := testkit.Must(filepath.Glob(filepath.Join(resultsFolder, record+".*.record")))(t)
	if len(paths) != 1 {
		t.Fatalf("%d records %s", len(paths), record)
	}
	return testkit.Must(nbbnn.OpenDirectory(paths[0]))(t)
}

// README gives the time of Figure 6 at quick as its page measured it, and the demo's as make does.
func TestTimesOfREADME(t *testing.T) {
	readme := unwrapped(t, filepath.Join("..", "README.md"))
	page := string(readFile(t, filepath.Join(resultsFolder, "figure-06-quick", "README.md")))
	cost := regexp.MustCompile(`(\d+) min of training and (\d+) min of testing`).FindStringSubmatch(
		page)
	if cost == nil {
		t.Fatal("the page of Figure 6 at quick has no times in minutes")
	}
	training, testing := testkit.Must(strconv.Atoi(cost[1]))(t),
		testkit.Must(strconv.Atoi(cost[2]))(t)
	if want := fmt.Sprintf("figure 6 --scale quick # up to %d min",
		training+testing); !strings.Contains(readme, want) {
		t.Errorf("README.md lacks %q", want)
	}

	const demo = "about four minutes on two cores after the build"
	if !strings.Contains(string(readFile(t, filepath.Join("..", "Makefile"))), demo) ||
		!strings.Contains(readme, demo) {
		t.Errorf("README.md or the Makefile lacks %q", demo)
	}

	// The desk's networks learnt on GPUs. On two cores they take as many operations at the speed of
	// quick's at most, whose layers are narrower.
	var hours float64
	quick, desk := operationsOfFigure6(t, Quick), operationsOfFigure6(t, Desk)
	for i, minutes := range []int{training, testing} {
		hours += float64(minutes) / 60 * desk[i] / quick[i]
	}
	if want := fmt.Sprintf("figure 6 --scale desk --plan # up to %.0f h on two cores",
		hours); !strings.Contains(readme, want) {
		t.Errorf("README.md lacks %q", want)
	}
}

// operationsOfFigure6 returns the floating-point operations that the training and the testing of
// the committed runs took.
func operationsOfFigure6(t *testing.T, scale Scale) (operations [2]float64) {
	t.Helper()
	figure := testkit.Must(ByName("6"))(t)
	setup := testkit.Must(figure.setup(scale))(t)
	cards := testkit.Must(filepath.Glob(filepath.Join(resultsFolder, "figure-06-"+string(scale),
		"cards", "*.record")))(t)
	for _, card := range cards {
		config := testkit.Must(nbbnn.OpenDirectory(card))(t).Config()
		operations[0] += estimate.Training(config)
		operations[1] += figure.collect.operations(setup, config)
	}
	return operations
}
