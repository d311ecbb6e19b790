package command

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

var (
	pairs    testkit.Folders
	pairRuns []string // the names of both
)

// trainedTwice puts two seeds of one method, trained and evaluated, into runs, and returns their
// names.
func trainedTwice(t *testing.T, runs string) (names []string) {
	t.Helper()
	pairs.Copy(t, "pair", runs, func() { pairRuns = trainPair(t, runs) })
	return slices.Clone(pairRuns)
}

func trainPair(t *testing.T, runs string) (names []string) {
	t.Helper()
	for _, seed := range []string{"1", "2"} {
		card := cardOf(t, append(tinyRun(runs), "--seed", seed, "--epochs", "1")...)
		wantStatus(t, exitDone, "", "evaluate", card.Run, "--samples", "2", "--images", "4",
			"--runs", runs)
		names = append(names, card.Run)
	}
	return names
}

func TestCompareExportImport(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	for _, flag := range []string{"--samples", "--images", "--evaluation-seed"} {
		wantStatus(t, exitUsage, flag+" needs --suite", "compare", names[0], flag, "2",
			"--runs", runs)
	}
	pair := []string{"compare", names[0], names[1], "--runs", runs}
	texts := []string{"NLL", "ScaledNLL", "Error %", "ECE", "±",
		"first8, 8 corruptions, 2 samples, 4 images", "2 of node-BNN: " + names[0] + " " +
			names[1] + ", seeds 1 2"}
	wantTexts(t, exitDone, texts, pair...)
	if methods := printed[[]comparedMethod](t, exitDone, pair...); len(methods) != 1 ||
		methods[0].Levels.NLL[0].Std == 0 {
		t.Errorf("the comparison as JSON is %+v, want one method with a standard deviation",
			methods)
	}
	wantTexts(t, exitDone, []string{"AUGRC", "SetSize", "!NLL  "},
		append(pair, "--metrics", "AUGRC,SetSize")...)
	if named := printed[[]comparedMethod](t, exitDone,
		append(pair, "--metrics", "augrc")...); named[0].Metrics["AUGRC"][5].N != 2 {
		t.Errorf("a metric as JSON is %+v, want six levels of two seeds", named[0].Metrics)
	}
	asked := filepath.Join(t.TempDir(), "asked")
	wantStatus(t, exitDone, filepath.Join(asked, "metrics.png"),
		append(pair, "--metrics", "augrc,Coverage", "--out", asked)...)
	for _, name := range []string{"summary.csv", "summary.tex", "levels.csv", "levels.tex",
		"tables.md", "tables.html"} {
		table := textOf(t, filepath.Join(asked, name))
		for _, want := range []string{"AUGRC", "overage", "NLL"} {
			if !strings.Contains(table, want) {
				t.Errorf("%s lacks %s:\n%s", name, want, table)
			}
		}
	}
	pictures := filepath.Join(t.TempDir(), "pictures")
	learnt := "note     2 runs hardly learnt: " + names[0] + " (seed 1, training NLL 2.3"
	wantTexts(t, exitDone, []string{"wrote    " + filepath.Join(pictures, "levels.pdf") +
		" .svg .csv .tex\n", learnt}, append(pair,
		"--out", pictures, "--format", "pdf,svg", "--label", names[1][:6]+"=ours & theirs",
		"--colour", names[1][:6]+"=#ffff00")...)
	if levels := textOf(t, filepath.Join(pictures, "levels.svg")); !strings.Contains(
		strings.ToLower(levels), "#ffff00") {
		t.Error("the picture lacks the colour")
	}
	wantStatus(t, exitDone, "note     1 run hardly learnt: "+names[0], "train", "--config",
		filepath.Join(runs, names[0]), "--runs", runs)
	if table := textOf(t, filepath.Join(pictures, "levels.tex")); !strings.Contains(table,
		`ours \& theirs`) {
		t.Errorf("the table lacks the label:\n%s", table)
	}
	wantKept(t, pictures, writer{args: pair, replaces: true})
	for _, wrong := range [][]string{{"--label", "zzzz=ours"}, {"--label", names[0]},
		{"--colour", names[0] + "=red", "--out", pictures}, {"--colour", names[0] + "=#12345",
			"--out", pictures}, {"--format", "gif", "--out", pictures}, {"--format", "pdf"}, {
			"--cards"}} {
		if _, stderr, status := execute(t, append(pair, wrong...)...); status != exitUsage ||
			!strings.Contains(stderr, wrong[0]) && !strings.Contains(stderr, "gif") {
			t.Errorf("%v: status %d, %q, want a usage error", wrong, status, stderr)
		}
	}
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	for _, flags := range [][]string{{"--layout", "reference"}, {"--latents", "mean"}, {}} {
		wantStatus(t, exitDone, "", append([]string{"weights", "export", names[0], "--out", path,
			"--runs", runs}, flags...)...)
	}
	wantStatus(t, exitUsage, path+" exists and isn't an export of run "+names[1], "weights",
		"export", names[1], path, "--runs", runs)
	other := t.TempDir()
	wantStatus(t, exitDone, "", "weights", "import", path, "--runs", other)
	wantStatus(t, exitDone, names[0][:8], "predict", names[0], filepath.Join("..", "..", "docs",
		"images", "answers.png"), "--out", t.TempDir(), "--runs", other)
	if got := onlyRun(t, other); got != names[0] {
		t.Errorf("the imported run is %s, want %s", got, names[0])
	}
	testkit.NoError(t, os.WriteFile(path, []byte("somebody's"), 0o644))
	wantLine(t, exitUsage, path+" exists and isn't an export of run "+names[0]+": give another "+
		"name", "weights", "export", names[0], path, "--runs", runs)
}

// checkComparedEnsemble compares two runs with their ensemble, which costs what both do.
func checkComparedEnsemble(t *testing.T, runs string, names []string, ensemble string) {
	t.Helper()
	methods := printed[[]comparedMethod](t, exitDone, "compare", names[0], names[1], ensemble,
		"--runs", runs)
	if len(methods) != 2 {
		t.Fatalf("%+v, want a method and its ensemble", methods)
	}
	run, averaged := methods[0], methods[1]
	if fmt.Sprint(run.Members, averaged.Members) != "[] [1 2]" {
		t.Errorf("the members are %v and %v, want those of the ensemble, seeds 1 and 2",
			run.Members, averaged.Members)
	}
	if averaged.Name != "ens "+run.Name || run.Cost.PredictionPasses != 2 ||
		averaged.Cost.PredictionPasses != 4 || averaged.Cost.Parameters != 2*run.Cost.Parameters {
		t.Errorf("the run costs %+v and the ensemble %+v, want twice as much", run, averaged)
	}
}

// What `runs/*` brings along that can't be compared is left out with a note, unless nothing is
// left.
func TestCompareLeavesOut(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	wantStatus(t, exitDone, "", "evaluate", "--ensemble", names[0], names[1], "--samples", "2",
		"--images", "4", "--runs", runs)
	card := cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1")...)
	ensemble := onlyMatch(t, filepath.Join(runs, "ensemble-*"))
	checkComparedEnsemble(t, runs, names, ensemble)
	testkit.NoError(t, os.MkdirAll(filepath.Join(runs, "empty"), 0o755))
	stoppedRun(t, runs, 7)
	damaged := filepath.Join(runs, "damaged")
	testkit.NoError(t, errors.Join(os.Mkdir(damaged, 0o755),
		os.WriteFile(filepath.Join(damaged, "config.json"), []byte("{"), 0o644)))
	all, err := filepath.Glob(filepath.Join(runs, "*"))
	if err != nil || len(all) != 7 {
		t.Fatalf("%v (%v), want two evaluated runs, one that isn't, one that isn't trained, a "+
			"damaged one, an ensemble and a folder", all, err)
	}
	_, stderr, _ := execute(t, append([]string{"compare", "--runs", runs}, all...)...)
	if strings.Count(stderr, "note     left out: ") != 4 {
		t.Errorf("want four notes, got\n%s", stderr)
	}
	wantTexts(t, exitDone, []string{
		"runs     2 of node-BNN: " + names[0] + " " + names[1], "1 of ens node-BNN: ensemble-",
		"`nbbnn evaluate " + filepath.Join(runs, card.Run) +
			" --suite first8 --samples 2 --images 4`",
		"holds no run", "nbbnn train --config " + runs, "config.json is no configuration",
	}, append([]string{"compare", "--runs", runs}, all...)...)
	wantTexts(t, exitDone, []string{"an ensemble of " + names[0] + ", " +
		names[1] + ": compare these runs, too"},
		"compare", filepath.Base(ensemble)[:12], names[0], "--runs", runs)
	again := []string{"note     left out: " + names[0] + " is run " + names[0] + " again"}
	wantTexts(t, exitDone, again, "compare", "--runs", runs, names[0], names[0], names[1])
	cure := []string{
		"is an ensemble of the runs " + names[0] + " and " + names[1],
		"what it scored is shown by `nbbnn evaluate --ensemble " + filepath.Join(runs, names[0]) +
			" " + filepath.Join(runs, names[1]) + " --runs " + runs + "`",
	}
	for _, args := range [][]string{{"report", ensemble}, {"compare", ensemble},
		{"weights", "export", filepath.Base(ensemble), "w.safetensors"}} {
		wantTexts(t, exitUsage, cure, append(args, "--runs", runs)...)
	}
	const there = "; existing evaluations: --suite first8 --samples 2 --images 4\n"
	for _, c := range []struct {
		runs   []string
		suite  string
		status int
		want   []string
	}{
		{names, "all19", exitFailed, []string{"nbbnn compare: no run is left",
			"note     left out: 2 runs without --suite all19 --samples 32: `nbbnn evaluate " +
				filepath.Join(runs, names[0]) + " ", there}},
		{names[:1], "all19", exitFailed, []string{"misses 96 of 96 cells of all19", there}},
		{names, "al19", exitUsage, []string{`did you mean "all19"`}},
		{names, "first8", exitFailed, []string{"; what cards have of it is of another Version of " +
			"a corruption, without a metric that is registered now, or its cells were removed\n"}},
	} {
		if c.suite == "first8" { // as after a change of a corruption
			for _, name := range names {
				testkit.NoError(t, os.Remove(filepath.Join(runs, name, "cells.csv")))
			}
		}
		_, stderr, status := execute(t, append([]string{"compare", "--suite", c.suite, "--runs",
			runs}, c.runs...)...)
		for _, want := range c.want {
			if status != c.status || strings.Count(stderr, want) != 1 {
				t.Errorf("%s of %v: status %d, want %d and %q once in\n%s", c.suite, c.runs, status,
					c.status, want, stderr)
			}
		}
	}
}

// Without --suite the evaluation is the one that leaves out the fewest runs, then the largest,
// though a smaller one is later, in whichever order the runs are given. An ordinary network takes
// one sample whatever is asked.
func TestCompareChoosesAnEvaluation(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	third := cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1", "--no-test")...).Run
	wantStatus(t, exitDone, "tested", append(tinyOrdinaryRun(runs), "--epochs", "1", "--name",
		"map")...)
	wantStatus(t, exitDone, "wrote", "evaluate", "map", "--samples", "2", "--images", "4", "--runs",
		runs)
	for _, c := range [][2]string{{names[1], "8"}, {names[1], "4"}, {third, "4"}} {
		wantStatus(t, exitDone, "wrote", "evaluate", c[0], "--samples", c[1], "--images", "4",
			"--runs", runs)
	}
	for _, c := range []struct {
		runs []string
		want string
		left string // run that is left out
	}{
		{[]string{"map", names[1]}, "1 to 8 samples", ""},
		{[]string{"map", names[0], names[1]}, "1 to 2 samples", ""},
		{[]string{names[0], names[1]}, "2 samples", ""},
		{[]string{names[0], third}, "4 samples", names[0]},
		{[]string{names[1], third}, "4 samples", ""},
	} {
		for _, suite := range [][]string{{}, {"--suite", "first8"}} { // in both orders
			slices.Reverse(c.runs)
			stdout, stderr, status := execute(t,
				append(append([]string{"compare", "--runs", runs}, suite...), c.runs...)...)
			if want := "first8, 8 corruptions, " + c.want + ", 4 images"; status != exitDone ||
				!strings.Contains(stdout, want) {
				t.Errorf("%v: status %d, %s, want %q in\n%s", c.runs, status, stderr, want, stdout)
			}
			if left := strings.Contains(stderr, "left out"); left != (c.left != "") ||
				!strings.Contains(stderr, c.left) {
				t.Errorf("%v: want %q left out and no other run, got %s", c.runs, c.left, stderr)
			}
		}
	}
}

// A baseline is a method of the comparison, from which the others differ within the seeds that they
// share.
func TestCompareWithABaseline(t *testing.T) {
	runs, out := t.TempDir(), t.TempDir()
	names := trainedTwice(t, runs)
	wantStatus(t, exitDone, "", append(tinyOrdinaryRun(runs), "--no-test", "--name", "plain")...)
	wantStatus(t, exitDone, "", "evaluate", "plain", "--samples", "2", "--images", "4", "--runs",
		runs)
	compare := []string{"compare", names[0], names[1], "plain", "--label", names[0] + "=ours",
		"--runs", runs, "--suite", "first8", "--samples", "2", "--images", "4", "--baseline"}
	wantTexts(t, exitDone, []string{"minus plain", "ours", "corrupted"},
		append(compare, "Plain", "--label", "map=plain")...)
	clean := func(run string) float64 { return evaluateJSON(t, run, "--runs", runs).Levels.NLL[0] }
	want := clean(names[0]) - clean("plain") // both of seed 1
	for _, m := range printed[[]comparedMethod](t, exitDone, append(compare, "plain")...) {
		d, found := m.FromBaseline["NLL"]
		if found != (m.Name == "ours") || found && (!slices.Equal(d.Seeds, []uint64{1}) ||
			d.Levels[0].Mean != want) {
			t.Errorf("%s differs from plain by %+v, want %v on clean images, of seed 1", m.Name, d,
				want)
		}
	}
	wantStatus(t, exitUsage, `no method "MAP"`, append(compare, "MAP", "--out", out)...)
	changeEngine(t, filepath.Join(runs, names[0]))
	wantTexts(t, exitDone, []string{filepath.Join(out, "baseline.png"), "pair two engines",
		"by xla:cuda"}, append(compare, "plain", "--out", out)...)
}

// changeEngine lets a run's card say that a GPU trained it.
func changeEngine(t *testing.T, directory string) {
	t.Helper()
	card := testkit.Must(testkit.Must(nbbnn.OpenDirectory(directory))(t).Card())(t)
	card.Engine, card.Checksum = "xla:cuda", ""
	card.Checksum = fmt.Sprintf("%x", sha256.Sum256(testkit.Must(json.Marshal(card))(t)))
	testkit.NoError(t, os.WriteFile(filepath.Join(directory, "card.json"),
		testkit.Must(json.Marshal(card))(t), 0o644))
}

// Below a mean over three seeds is half of its interval: 4.303 standard deviations by the root of
// three, in the metric's unit.
func TestIntervalOfSeeds(t *testing.T) {
	method := score.Method{Name: "M16", Runs: []string{"a", "b", "c"}}
	for _, wrong := range []float64{0.48, 0.5, 0.52} {
		cells := score.Cells{{Corruption: score.Clean, Images: 10, Error: wrong}}
		for severity := 1; severity < score.LevelCount; severity++ {
			cells = append(cells, score.Cell{Corruption: "fog", Severity: severity, Images: 10,
				Error: wrong})
		}
		method.Cells = append(method.Cells, cells)
		table := testkit.Must(levelTable(score.Comparison{Suite: "fog", Methods: []score.Method{
			method}}, "Error"))(t)
		last := table.Rows[len(table.Rows)-1]
		if want := []string{"Error %", "", "95 %", "± 5.0"}; len(method.Cells) == 3 &&
			!slices.Equal(last[:4], want) || len(table.Rows) != 1+len(method.Cells)/3 {
			t.Errorf("%d seeds: the last of %d rows is %q, want %q of three", len(method.Cells),
				len(table.Rows), last, want)
		}
	}
}

// Runs that were tested on clean images alone are compared there: as a table, for programs and in
// files. The values are the means of those on the cards.
func TestCompareCleanTests(t *testing.T) {
	runs, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	want := map[string]float64{}
	for _, gamma := range []string{"0", "4"} {
		for _, seed := range []string{"1", "2"} {
			args := append(tinyRun(runs), "--seed", seed, "--gamma", gamma, "--epochs", "1",
				"--name", "g"+gamma+"-"+seed)
			want["g"+gamma] += printed[testedCard](t, exitDone, args...).CleanTest.NLL / 2
		}
	}
	methods := printed[[]comparedMethod](t, exitDone, "compare", "--runs", runs)
	if len(methods) != 2 {
		t.Fatalf("%+v, want two methods", methods)
	}
	for _, m := range methods {
		testkit.Near(t, "clean NLL of "+m.Name, m.Clean["NLL"].Mean, want[m.Name], 1e-12)
	}
	texts := []string{"level  n                   0  minus g0", "16 clean test images, 8 samples",
		"evaluate " + runs, "tests corrupted ones, too", filepath.Join(out, "clean.csv") +
			" .tex .md .html"}
	wantTexts(t, exitDone, texts, "compare", "--runs", runs, "--baseline", "g0", "--out", out)
	wantKept(t, out, writer{args: []string{"compare", "--runs", runs, "--baseline", "g0"},
		replaces: true})
	if lines := strings.Split(textOf(t, filepath.Join(out, "clean.csv")),
		"\n"); lines[0] != "method,metric,level,mean,sd,n,low,high" || !strings.HasPrefix(
		lines[1], "g0,NLL,0,") || !strings.HasSuffix(lines[1], ",2,,") {
		t.Errorf("clean.csv begins with %q", lines[:2])
	}
	differences := strings.Split(textOf(t, filepath.Join(out, "differences.csv")), "\n")
	if fields := strings.Split(differences[1], ","); differences[0] != "method,minus,metric,"+
		"level,mean,sd,n,low,high" || fields[0] != "g4" || fields[1] != "g0" || fields[6] != "2" {
		t.Errorf("differences.csv begins with %q", differences[:2])
	} else {
		testkit.Near(t, "the clean difference", testkit.Must(strconv.ParseFloat(fields[4], 64))(t),
			want["g4"]-want["g0"], 1e-12)
	}
	wantStatus(t, exitDone, "", "evaluate", "g4-1", "--samples", "2", "--images", "4", "--runs",
		runs)
	wantTexts(t, exitDone, []string{"!level 1", "2 of g4: "}, "compare", "--suite", "clean",
		"--runs", runs)
	testkit.NoError(t,
		os.Remove(filepath.Join(runs, printed[[]listed](t, exitDone, "runs", "--where", "name=g0-1",
			"--runs", runs)[0].Run, "cells.csv")))
	wantStatus(t, exitDone, "left out: g0-1", "compare", "--suite", "clean", "--runs", runs)
	record := filepath.Join(out, "cards", "g4-2-seed2.*.record")
	for _, suite := range [][]string{{"--suite", "clean"}, {}} {
		wantStatus(t, exitDone, filepath.Join(out, "cards"), append([]string{"compare", "g4-2",
			"--cards", "--out", out, "--runs", runs}, suite...)...)
		testkit.NoError(t, os.Remove(onlyMatch(t, record)))
	}
}

// The number of clean images is the one that most runs were tested on, or what --images says.
func TestCompareChoosesACleanTest(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	names = append(names, cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1",
		"--no-test")...).Run)
	untested := cardOf(t, append(tinyRun(runs), "--seed", "4", "--epochs", "1",
		"--no-test")...).Run
	evaluateJSON(t, names[2], "--clean", "--images", "8", "--runs", runs)
	wantTexts(t, exitDone, []string{"left out: " + names[2] + ": it has no test on 16 clean images",
		"left out: " + untested}, "compare", "--suite", "clean", "--runs", runs)
	few := 0.0
	for _, name := range names {
		few += evaluateJSON(t, name, "--clean", "--images", "8", "--runs", runs).Cells[0].NLL / 3
	}
	most := 0.0
	for _, name := range names[:2] {
		most += evaluateJSON(t, name, "--clean", "--samples", "8", "--images", "16", "--runs",
			runs).Cells[0].NLL / 2
	}
	clean := []string{"compare", "--suite", "clean", "--runs", runs}
	of := func(args ...string) float64 {
		methods := printed[[]comparedMethod](t, exitDone, append(clean, args...)...)
		return methods[0].Clean["NLL"].Mean
	}
	wantStatus(t, exitUsage, "--suite clean takes no --samples", append(clean, "--samples", "8")...)
	wantStatus(t, exitUsage, `did you mean "shapes10-bright"`, "compare", "--test",
		"shapes10-brigt", "--runs", runs)
	testkit.Near(t, "the number that all have", of(), few, 1e-12)
	testkit.Near(t, "the number given", of("--images", "16"), most, 1e-12)
	wantStatus(t, exitDone, "left out: "+names[2]+": it has no test on 16 clean images",
		append(clean, "--images", "16")...)
	wantStatus(t, exitDone, "", append(tinyOrdinaryRun(runs), "--name", "other", "--seed", "9")...)
	wantStatus(t, exitDone, "no seed is in common", append(clean, "--baseline", "other", "--images",
		"16")...)
}

// The seeds of a method may have training images of their own: a note says which.
func TestCompareSaysWhichImagesSeedsHave(t *testing.T) {
	runs := t.TempDir()
	train := func(seed, place string) string {
		run := cardOf(t, append(tinyRun(runs), "--seed", seed, "--train-first", place)...).Run
		wantStatus(t, exitDone, "", "evaluate", run, "--samples", "2", "--images", "4", "--clean",
			"--runs", runs)
		return run
	}
	first, second, third := train("1", "0"), train("2", "100"), train("3", "130")
	const own = "the seeds have different training images, from place "
	wantTexts(t, exitDone, []string{own + "0, 100 on, none twice"}, "compare", first, second,
		"--runs", runs)
	wantTexts(t, exitDone, []string{own + "0, 100, 130 on, some in several parts"}, "compare",
		first, second, third, "--runs", runs)
	wantTexts(t, exitDone, []string{"!" + own}, "compare", first, "--runs", runs)
}
