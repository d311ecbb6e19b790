package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// trainedRuns opens the runs that arguments (runs/*) mean. Of several, it leaves out the files and
// folders that hold no trained run, and runs that are given again, for example by their record,
// with a note.
func trainedRuns(a *app, command string, arguments []string) (runs []*nbbnn.Run, err error) {
	if len(arguments) == 1 {
		return findRuns(a, arguments)
	}
	var untrained []trained
	seen := map[string]bool{} // hashes
	err = parallel.InOrder(len(arguments), func(i int) (t trained) {
		if t.run, t.err = findRun(a, arguments[i]); t.err == nil {
			_, t.err = t.run.Card() // if it is trained to the end
			t.hash = t.run.Config().Hash()
		}
		return t
	}, func(i int, t trained) error {
		_, isUntrained := errors.AsType[*nbbnn.UntrainedError](t.err)
		switch {
		case isUntrained && t.run != nil:
			untrained = append(untrained, t)
		case commandline.IsUsage(t.err) && !isThere(arguments[i]): // no damaged one
			return t.err
		case t.err != nil:
			leaveOut(a, describe(t.err))
		case seen[t.hash]:
			leaveOut(a, fmt.Sprintf("%s is run %s again", arguments[i], t.run.Config().RunName()))
		default:
			seen[t.hash] = true
			runs = append(runs, t.run)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	noteUntrained(a, untrained)
	if len(runs) == 0 {
		return nil, errNoneLeft(command)
	}
	return runs, nil
}

// trained is a run that an argument names, with its hash, or why it can't be used.
type trained struct {
	run  *nbbnn.Run
	hash string
	err  error
}

// noteUntrained names the unfinished runs that are left out, with their seeds and states, and what
// to do for the first.
func noteUntrained(a *app, untrained []trained) {
	if len(untrained) == 0 {
		return
	}
	names := quantity.Texts(untrained, func(t trained) string {
		state, _ := t.run.State() // damage has another error
		return fmt.Sprintf("%s (seed %d, %v)", titleOf(t.run), t.run.Config().Seed, state)
	})
	first := "the first of them: "
	if len(names) == 1 {
		first = ""
	}
	leaveOut(a, fmt.Sprintf("%s not trained to the end: %s; %s%s",
		quantity.Count(len(names), "run"), quantity.List(names, mostNamed), first,
		reason(untrained[0].err)))
}

// errNone means that no usable run is left.
var errNone = errors.New("no run is left")

// errNoneLeft is errNone after notes gave each run's reason.
func errNoneLeft(command string) error {
	return fmt.Errorf("nbbnn %s: %w: the notes above say what each lacks", command, errNone)
}

// onlyRunLacks returns errNone with the reason why the only run can't be compared.
func onlyRunLacks(err error) error {
	if errors.Is(err, errNone) {
		return err
	}
	return fmt.Errorf("nbbnn compare: %w: %s", errNone, reason(err))
}

// isUntested reports whether an error means that runs have no test to compare.
func isUntested(err error) bool {
	_, isUnevaluated := errors.AsType[*nbbnn.UnevaluatedError](err)
	return isUnevaluated || errors.Is(err, errNone)
}

// usable returns the runs in which check finds no fault. Of several, it leaves out faulty ones with
// a note; if none is left, the error is none.
func usable(a *app, runs []*nbbnn.Run, none error,
	check func(*nbbnn.Run) error) (sound []*nbbnn.Run, err error) {
	lacking := map[string][]*nbbnn.Run{} // by the flags of a test that they can have
	for _, run := range runs {
		err := check(run)
		unevaluated, is := errors.AsType[*nbbnn.UnevaluatedError](err)
		switch {
		case err == nil:
			sound = append(sound, run)
		case len(runs) == 1:
			return nil, err
		case is && cannotTest(run, unevaluated.Evaluation) == nil:
			flags := strings.Join(evaluationFlags(unevaluated.Evaluation), " ")
			lacking[flags] = append(lacking[flags], run)
		default:
			leaveOutRun(a, run, err)
		}
	}
	for _, flags := range slices.Sorted(maps.Keys(lacking)) {
		runs := lacking[flags]
		names := quantity.Texts(runs, func(run *nbbnn.Run) string { return titleOf(run) })
		leaveOut(a, fmt.Sprintf("%s: without %s, which `nbbnn evaluate %s %[2]s` computes",
			quantity.List(names, mostNamed), flags, runArguments(runs)))
	}
	if len(sound) == 0 {
		return nil, none
	}
	return sound, nil
}

// evaluatedRuns leaves out, of several runs, the ones that lack cells of the evaluation, and notes
// how to compute them: once for all runs without any.
func evaluatedRuns(a *app, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) (sound []*nbbnn.Run,
	err error) {
	filled := evaluation.WithDefaults()
	if _, err := corrupt.SuiteByName(filled.Suite); err != nil {
		return nil, fmt.Errorf("nbbnn compare: %w: this program doesn't register all corruptions "+
			"of %s, on which the runs were tested: compare them with the program that does",
			errNone, filled.Suite)
	}
	var untested, records []*nbbnn.Run
	for _, run := range runs {
		_, err := nbbnn.Compare([]*nbbnn.Run{run}, evaluation, "")
		unevaluated, isUnevaluated := errors.AsType[*nbbnn.UnevaluatedError](err)
		untrained, isUntrained := errors.AsType[*nbbnn.UntrainedError](err)
		switch {
		case err == nil:
			sound = append(sound, run)
		case len(runs) == 1 && !isUnevaluated:
			return nil, onlyRunLacks(err)
		case len(runs) == 1:
			return nil, fmt.Errorf("%w%s", onlyRunLacks(err), evaluationsText(runs, evaluation))
		case isUnevaluated && unevaluated.Missing == unevaluated.Total:
			untested = append(untested, run)
		case isUntrained && untrained.Recorded:
			records = append(records, run)
		default:
			leaveOutRun(a, run, err)
		}
	}
	flags := strings.Join(evaluationFlags(filled), " ")
	able, unable := testable(untested, filled)
	other := "tested on other images"
	if !isHere(filled.Corrupted) {
		able, unable, other = nil, untested, "the ready-made images aren't in this folder"
	}
	if len(able) > 0 {
		leaveOut(a, fmt.Sprintf("%s without %s: `nbbnn evaluate %s %[2]s` tests them so%[4]s",
			quantity.Count(len(able), "run"), flags, runArguments(able),
			evaluationsText(able, evaluation)))
	}
	for i, runs := range [][]*nbbnn.Run{records, unable} {
		if len(runs) > 0 {
			names := quantity.Texts(runs, func(run *nbbnn.Run) string {
				return titleOf(run)
			})
			leaveOut(a, fmt.Sprintf("%s without %s: %s (%s)%s", quantity.Count(len(runs), "run"),
				flags,
				[]string{"records have no weights to test", other}[i],
				quantity.List(names, mostNamed), evaluationsText(runs, evaluation)))
		}
	}
	if len(sound) == 0 {
		return nil, errNoneLeft("compare")
	}
	return sound, nil
}

// testable returns the runs that the command evaluate can test, and the others.
func testable(runs []*nbbnn.Run, evaluation nbbnn.Evaluation) (able, unable []*nbbnn.Run) {
	for _, run := range runs {
		if cannotTest(run, evaluation) != nil {
			unable = append(unable, run)
		} else {
			able = append(able, run)
		}
	}
	return able, unable
}

// cannotTest says why a run can't be tested here; nil if it can.
func cannotTest(run *nbbnn.Run, evaluation nbbnn.Evaluation) error {
	if run.Recorded() {
		return errors.New("a record has no weights")
	}
	if err := run.Config().Network.Undefined(); err != nil {
		return err
	}
	return checkEvaluation(evaluation, run)
}

// runArguments names runs for a command that leaves others out: more than a few by their folder.
func runArguments(runs []*nbbnn.Run) string {
	folder := filepath.Dir(runs[0].Directory())
	isElsewhere := func(run *nbbnn.Run) bool { return filepath.Dir(run.Directory()) != folder }
	if len(runs) <= mostNamed || slices.ContainsFunc(runs, isElsewhere) {
		return quoteRuns(runs)
	}
	return quote(folder) + "/*"
}

// cleanRuns leaves out, of several runs, the ones without a test on clean images.
func cleanRuns(a *app, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) ([]*nbbnn.Run, error) {
	return usable(a, runs, errNoneLeft("compare"), func(run *nbbnn.Run) error {
		_, err := nbbnn.Compare([]*nbbnn.Run{run}, evaluation, score.Clean)
		if err == nil {
			return nil
		}
		if _, found, _ := run.CleanTest(0); found {
			return fmt.Errorf("it has no test on %s: `nbbnn evaluate %s --clean --images %d` "+
				"makes it", quantity.Count(evaluation.Images, "clean image"), titleOf(run),
				evaluation.Images)
		}
		return err
	})
}

// usualCleanImages returns the number of clean images that most runs were tested on, of several the
// largest.
func usualCleanImages(runs []*nbbnn.Run) (images int) {
	largest, counts := map[*nbbnn.Run]int{}, map[int]int{} // of runs, by numbers of images
	for _, run := range runs {
		if cell, found, _ := run.CleanTest(0); found { // leaving out damage tells its reason
			largest[run] = cell.Images
			counts[cell.Images]++
		}
	}
	for n := range counts {
		for run, most := range largest {
			if most <= n {
				continue // it's counted, or has no such test
			}
			if _, found, _ := run.CleanTest(n); found {
				counts[n]++
			}
		}
		if cmp.Or(counts[n]-counts[images], n-images) > 0 {
			images = n
		}
	}
	return images
}

// evaluationsText describes the evaluations that runs have instead of the one they lack: their
// flags, and whether cards have it, as after a change of a registered corruption's Version.
func evaluationsText(runs []*nbbnn.Run, lacking nbbnn.Evaluation) (text string) {
	evaluations, of, err := evaluationsWithRuns(runs)
	if err != nil {
		return ""
	}
	var others []string
	for _, evaluation := range evaluations {
		if run := of[evaluation][0]; run.FillEvaluation(evaluation) == run.FillEvaluation(lacking) {
			text = "; what cards have of it is of another Version of a corruption, without a " +
				"metric that is registered now, or its cells were removed"
			continue
		}
		others = append(others, strings.Join(evaluationFlags(evaluation), " "))
	}
	if len(others) > 0 {
		text += "; existing evaluations: " + strings.Join(quantity.First(others, 3), ", or ")
	}
	return text
}

// leaveOutRun notes why a run isn't used, under the name that a person gave it.
func leaveOutRun(a *app, run *nbbnn.Run, err error) {
	leaveOut(a, titleOf(run)+": "+reason(err))
}

// leaveOut notes why a run isn't compared.
func leaveOut(a *app, reason string) {
	a.note("left out: %s", quantity.Printable(strings.TrimPrefix(reason, "nbbnn: ")))
}

// givenName returns the name that a person gave the run in a directory; "" without one.
func givenName(directory string) string {
	label, _ := readLabel(directory) // of a damaged one, listing the runs tells
	return label.Name
}

// runTitle returns the name that a person gave the run in a directory, or else the directory's.
func runTitle(directory string) string {
	return cmp.Or(givenName(directory), filepath.Base(directory))
}

// placed is a run or an ensemble.
type placed interface{ Directory() string }

// titleOf is runTitle of what has a directory.
func titleOf(p placed) string { return runTitle(p.Directory()) }

// nameOf returns the name of the directory.
func nameOf(p placed) string { return filepath.Base(p.Directory()) }

// isCalled reports whether the run in a directory has a given name, which may be a pattern or that
// of several seeds, or a directory that begins with it.
func isCalled(directory, name string) bool {
	given := givenName(directory)
	isGiven, _ := path.Match(name, given) // no name matches a bad pattern
	return isGiven || isNumbered(directory, name) ||
		strings.HasPrefix(filepath.Base(directory), name)
}
