package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// outsideHelp says what the flag --outside of evaluate takes.
const outsideHelp = "data set whose test images none of the run's classes fits, such as cifar100 for cifar10: how well uncertainty tells them from its own"

// checkOutsideFlags refuses flags that a test of images from outside doesn't have.
func checkOutsideFlags(given *pflag.FlagSet) error {
	for _, name := range []string{"suite", "corruptions", "corrupted", "textures", "clean", "part", "save", "save-samples"} {
		if given.Changed(name) {
			return commandline.Usage(fmt.Errorf("nbbnn evaluate: --outside tests clean test images, so it excludes --%s: leave one of the two out", name))
		}
	}
	return nil
}

// evaluatedOutside is the JSON output of `nbbnn evaluate --outside`.
type evaluatedOutside struct {
	member
	Members []member `json:"members,omitempty"` // of an ensemble
	score.Outside
}

// testedOutside is a run or an ensemble of runs.
type testedOutside interface {
	Directory() string
	EvaluateOutside(ctx context.Context, data string, evaluation nbbnn.Evaluation, progress nbbnn.Progress) (score.Outside, error)
	EvaluatedOutside(data string, evaluation nbbnn.Evaluation) bool
}

// outsideSubject is the subject of a test with its runs: one, or the members of an ensemble.
type outsideSubject struct {
	testedOutside
	runs []*nbbnn.Run
}

// evaluateOutside tests runs one after the other, or the average of several, on the images of
// another data set.
func evaluateOutside(ctx context.Context, a *app, arguments []string, ensemble bool, data string, evaluation nbbnn.Evaluation) error {
	subjects, err := outsideSubjects(a, arguments, ensemble, evaluation)
	if err != nil {
		return err
	}
	if err := announceOutside(a, subjects, data, evaluation); err != nil {
		return err
	}
	var all []evaluatedOutside
	for i, subject := range subjects {
		result, err := subject.test(ctx, a, i+1, len(subjects), data, evaluation)
		if err != nil {
			return err
		}
		if all = append(all, result); a.json {
			continue
		}
		if err := printOutside(a, subject.Directory(), result.Outside); err != nil {
			return err
		}
	}
	switch {
	case !a.json:
		return nil
	case len(all) == 1:
		return a.printJSON(all[0])
	}
	return a.printJSON(all)
}

// test tests one of several subjects, with progress on standard error.
func (s outsideSubject) test(ctx context.Context, a *app, place, count int, data string, evaluation nbbnn.Evaluation) (result evaluatedOutside, err error) {
	name := filepath.Base(s.Directory())
	line := newProgress(a.streams, "")
	report := line.report(name)
	if count > 1 {
		report = report.Of(name, place, count)
	}
	result.Outside, err = s.EvaluateOutside(ctx, data, evaluation, report)
	line.finish()
	if err != nil {
		return result, err
	}
	members, err := membersOf(s.runs, evaluation.Epoch)
	if err != nil {
		return result, err
	}
	if result.member = members[0]; len(members) > 1 {
		result.member, result.Members = member{Run: name}, members
	}
	return result, nil
}

// outsideEnsemble opens the ensemble of the runs that arguments name.
func outsideEnsemble(a *app, arguments []string, evaluation nbbnn.Evaluation) ([]outsideSubject, error) {
	runs, err := findRuns(a, arguments)
	if err != nil {
		return nil, err
	}
	if err := checkEvaluation(runs, evaluation); err != nil {
		return nil, err
	}
	averaged, err := nbbnn.OpenEnsemble(a.runs, runs...)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	noteUnsealed(a, runs, "card.json", "outside.csv")
	noteUnsealedEnsembles(a, []string{averaged.Directory()}, "outside.csv")
	return []outsideSubject{{averaged, runs}}, nil
}

// outsideSubjects opens the runs that arguments name, or their ensemble.
func outsideSubjects(a *app, arguments []string, ensemble bool, evaluation nbbnn.Evaluation) (subjects []outsideSubject, err error) {
	if ensemble {
		return outsideEnsemble(a, arguments, evaluation)
	}
	runs, err := testableRuns(a, arguments, evaluation)
	if err != nil {
		return nil, err
	}
	noteUnsealed(a, runs, "card.json", "outside.csv")
	for _, run := range runs {
		subjects = append(subjects, outsideSubject{run, []*nbbnn.Run{run}})
	}
	return subjects, nil
}

// announceOutside says which engine computes, how much it computes and about how long that takes.
func announceOutside(a *app, subjects []outsideSubject, data string, evaluation nbbnn.Evaluation) error {
	if _, err := announceEngine(a); err != nil {
		return err
	}
	missing := 0
	var duration time.Duration
	var runs []*nbbnn.Run
	for _, subject := range subjects {
		isMissing := !subject.EvaluatedOutside(data, evaluation)
		if isMissing {
			missing++
		}
		runs = append(runs, subject.runs...)
		for _, run := range subject.runs {
			if isMissing {
				duration += paper.TestDuration(run, run.FillEvaluation(evaluation), 2) // clean images of two data sets
			}
		}
	}
	text := fmt.Sprintf("plan     %s of both sets, against %s, %s: %s", quantity.CountOrAll(evaluation.Images, "image"), data, samplesText(runs, evaluation), quantity.Count(len(subjects), "test"))
	switch {
	case missing == 0:
		text += ", all there"
	case missing < len(subjects):
		text += fmt.Sprintf(", %d missing", missing)
	}
	if duration >= time.Second {
		text += " · about " + quantity.Span(duration)
	}
	fmt.Fprintln(a.err, text)
	if duration.Seconds() >= longSeconds {
		fmt.Fprintln(a.err, "note     fewer --images or --samples make it shorter; control-C stops, and a test that isn't complete starts again")
	}
	return nil
}

func printOutside(a *app, directory string, test score.Outside) error {
	table := viz.Table{Header: []string{"uncertainty", "AUROC", "FPR95 %"}, Labels: 1}
	for _, d := range test.Detections {
		table.Rows = append(table.Rows, []string{d.Uncertainty, fmt.Sprintf("%.3f", d.AUROC), fmt.Sprintf("%.1f", 100*d.FPR95)})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s\ntested   %d clean test %s against %d of %s, %s; AUROC 0.5 is chance, 1 perfect\nwrote    %s\n",
		text, test.Inside, quantity.Noun(test.Inside, "image"), test.Images, test.Data, quantity.Count(test.Samples, "sample"), filepath.Join(directory, "outside.csv"))
	return nil
}
