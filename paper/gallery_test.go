package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz/report"
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
			t.Errorf("%s: the finding is %q, the verdicts say %q: export the figure again", c.Name, c.Finding, got)
		}
		for _, v := range c.Verdicts {
			for _, e := range v.Effects {
				if again := newEffect(e.Name, e.Unit, e.Claimed, e.Differences); again.String() != e.String() {
					t.Errorf("%s: the effect is %s, its differences give %s", c.Name, e, again)
				}
			}
		}
	}
}

// The pages of a figure that was just exported name its finding. Files of another export are refused
// with the command that makes them again.
func TestGalleryOfAnExport(t *testing.T) {
	folder, options := t.TempDir(), Options{Runs: t.TempDir(), Out: t.TempDir()}
	result := made(t, tiny(Figure03, 1), options)
	exported := filepath.Join(folder, "figure-03-smoke")
	testkit.Must(Export(result, exported))(t)
	if paths, err := Gallery(folder); err != nil || len(paths) != 4 {
		t.Fatalf("%d files (%v), want 4", len(paths), err)
	}
	for path, want := range map[string]string{"README.md": "| [Figure 3, smoke](figure-03-smoke/README.md) |", "figure-03-smoke/README.md": result.Finding(), claimsFile: `"result":"figure-03-smoke"`} {
		if !bytes.Contains(readFile(t, filepath.Join(folder, path)), []byte(want)) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	for _, test := range []struct{ file, old, new, want string }{
		{"cards/m16-seed1.json", `"state_sha256": "`, `"state_sha256": "0`, "that of M16 seed 1 has other weights: export the figure again with `nbbnn figure 3 --scale smoke"},
		{"cards/m32-seed1.json", `{`, `[`, "the card of M32 seed 1 is missing, damaged or of a half-done training"},
		{"figure-03.json", `{`, `[`, "figure-03.json is damaged"},
	} {
		path := filepath.Join(exported, test.file)
		before := readFile(t, path)
		replaceInFile(t, path, test.old, test.new)
		_, err := Gallery(folder)
		testkit.Error(t, t.Name(), err, test.want)
		testkit.NoError(t, os.WriteFile(path, before, 0o644))
	}
	_, err := Gallery(t.TempDir())
	testkit.Error(t, t.Name(), err, "holds no results: `nbbnn figure 3 --scale quick --cards --out")
}

// earlierFolder holds the results of settings without a gap.
var earlierFolder = filepath.Join(resultsFolder, "earlier")

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
func runsOfCells(t *testing.T, folder, method, column string) (runs [][6]float64) {
	t.Helper()
	base := filepath.Join(folder, cardsFolder, report.FileName(method))
	paths := testkit.Must(filepath.Glob(base + "-seed[0-9].cells.csv"))(t)
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
	file := testkit.Must(os.Open(path))(t)
	defer file.Close()
	rows := testkit.Must(csv.NewReader(file).ReadAll())(t)
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

// The sentences of the page of earlier results are what the committed cells say.
func TestEarlierPage(t *testing.T) {
	page := strings.Join(strings.Fields(string(readFile(t, filepath.Join(earlierFolder, "README.md")))), " ")
	folder := filepath.Join(earlierFolder, "figure-03-desk")
	for column, sentence := range map[string]string{"nll": "means of three seeds:%s nats.", "nll_t": "the same differences are%s."} {
		fixed, m16 := meanOfCells(t, folder, "M32 fixed σ", column), meanOfCells(t, folder, "M16", column)
		numbers := ""
		for level := range fixed {
			numbers += fmt.Sprintf(" %+.2f", fixed[level]-m16[level])
		}
		if want := fmt.Sprintf(sentence, numbers); !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// README.md repeats the numbers of the committed demo, and the primary one of Figure 6.
func TestReadmeRepeatsTheDemo(t *testing.T) {
	readme := strings.Join(strings.Fields(string(readFile(t, filepath.Join("..", "README.md")))), " ")
	demo := committedResult(t, "demo/demo.json")
	for _, claim := range []int{0, 1} {
		if found := demo.Verdicts[claim].Found(); !strings.Contains(readme, " by "+found) {
			t.Errorf("README.md lacks %q", found)
		}
	}
	desk := committedResult(t, "figure-06-desk/figure-06.json")
	primary, _ := desk.Verdicts.primary()
	if !strings.Contains(readme, primary.Found()) {
		t.Errorf("README.md lacks %q", primary.Found())
	}
	scaled := desk.Verdict("γ chosen on validation images lowers the scaled NLL under severe corruption")
	if most := primary.Effects[0].Mean / 2; scaled.Effects[0].Mean < most {
		t.Errorf("README.md says that a temperature corrects most of %g: it leaves %g", 2*most, scaled.Effects[0].Mean)
	}
	if got := demo.Verdict("more entropy lowers the NLL under corruption").Outcome; got != Undecided {
		t.Errorf("README.md says that the demo doesn't decide what more entropy does: %s", got)
	}
	if got := demo.Verdict("more entropy lowers the error under corruption").Outcome; got != Undecided {
		t.Errorf("README.md says that the demo doesn't decide what more entropy does to the error: %s", got)
	}
	benchmark := committedResult(t, "figure-10-desk/figure-10.json")
	lowest := benchmark.Verdict("CIFAR-10: " + lowestOfAll)
	if dropout := lowest.Against("MC dropout"); !strings.Contains(readme, dropout) {
		t.Errorf("README.md lacks %q", dropout)
	}
	var equal []string
	for _, effect := range lowest.Shown() {
		equal = append(equal, effect.Name)
	}
	want := []string{"node-BNN - MC dropout", "node-BNN - cSG-HMC"}
	if !slices.EqualFunc(equal, want, strings.HasPrefix) {
		t.Errorf("node-BNN can't be told from those of %q, README.md and the results say %q", equal, want)
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

// corruptedMean is a metric of a method in a committed report, the mean of levels 1 to 5.
func corruptedMean(t *testing.T, name, method, metric string) float64 {
	t.Helper()
	means, _ := meansAndStds(summarise(committedLine(t, name, metric, method).Values))
	return score.Summarise(means[1:]).Mean
}

// The first sentence of the page of results: errors fall at the desk, and one temperature leaves
// nothing decided of what entropy adds.
func TestAnswerFollowsFromResults(t *testing.T) {
	for folder, claim := range map[string]string{
		"figure-10-desk/figure-10":  "CIFAR-10: node-BNN has a lower error than MAP under corruption",
		"figure-10-quick/figure-10": "CIFAR-10: node-BNN has a lower NLL than MAP under corruption",
		"figure-06-desk/figure-06":  "γ chosen on validation images lowers the NLL under severe corruption",
	} {
		if got := committedResult(t, folder+".json").Verdict(claim).Outcome; got != Holds {
			t.Errorf("%s: %s: %s", folder, claim, got)
		}
	}
	for _, scale := range []string{"quick", "desk"} {
		result := committedResult(t, "figure-06-"+scale+"/figure-06.json")
		if got := result.Verdict("γ chosen on validation images lowers the scaled NLL under severe corruption").Outcome; got != Undecided {
			t.Errorf("%s: more entropy adds more than doubt: %s", scale, got)
		}
	}
	for _, wrong := range []string{"20%", "40%", "80%"} {
		l := committedLine(t, "figure-09-quick/figure-09.json", wrong+" wrong, test", "K = 4")
		for i, nll := range l.Values {
			if l.At[0] != "0" || nll[0] < math.Log(10) {
				t.Errorf("the page says that without entropy networks of wrong labels are worse than guessing: %s of seed %d: %v", wrong, l.Seeds[i], nll)
			}
		}
	}
}

// README gives the time of Figure 6 at quick as its page measured it.
func TestTimesOfREADME(t *testing.T) {
	readme := strings.Join(strings.Fields(string(readFile(t, filepath.Join("..", "README.md")))), " ")
	page := string(readFile(t, filepath.Join(resultsFolder, "figure-06-quick", "README.md")))
	cost := regexp.MustCompile(`(\d+) min of training and (\d+) min of testing`).FindStringSubmatch(page)
	if cost == nil {
		t.Fatal("the page of Figure 6 at quick has no times in minutes")
	}
	training, testing := testkit.Must(strconv.Atoi(cost[1]))(t), testkit.Must(strconv.Atoi(cost[2]))(t)
	if want := fmt.Sprintf("figure 6 --scale quick --parallel 2 # up to %d min", training+testing); !strings.Contains(readme, want) {
		t.Errorf("README.md lacks %q", want)
	}
}
