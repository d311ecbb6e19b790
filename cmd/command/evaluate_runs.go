package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/progress"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// tested is a run or an ensemble of runs.
type tested interface {
	Directory() string // of the cells
	Cells(evaluation nbbnn.Evaluation) (score.Cells, error)
	EvaluateWith(ctx context.Context, evaluation nbbnn.Evaluation, options nbbnn.EvaluateOptions) (score.Cells, error)
	EvaluateOutside(ctx context.Context, data string, evaluation nbbnn.Evaluation, progress nbbnn.Progress) (score.Outside, error)
	EvaluatedOutside(data string, evaluation nbbnn.Evaluation) bool
}

// subject is what is tested with its runs: one, or the members of an ensemble.
type subject struct {
	tested
	runs []*nbbnn.Run
}

// subjects are what a command tests, one after the other.
type subjects []subject

// openSubjects opens the runs that arguments name, or their ensemble. Of several runs, it leaves out
// those that can't be tested as asked, with a note.
func openSubjects(a *app, arguments []string, ensemble bool, evaluation nbbnn.Evaluation) (all subjects, err error) {
	if !ensemble {
		runs, err := testableRuns(a, arguments, evaluation)
		for _, run := range runs {
			all = append(all, subject{run, []*nbbnn.Run{run}})
		}
		return all, err
	}
	runs, err := findRuns(a, arguments)
	if err == nil {
		err = checkEvaluation(runs, evaluation)
	}
	if err != nil {
		return nil, err
	}
	averaged, err := nbbnn.OpenEnsemble(a.runs, runs...)
	return subjects{{averaged, runs}}, commandline.Usage(err)
}

// runs are those of all subjects.
func (s subjects) runs() (all []*nbbnn.Run) {
	for _, subject := range s {
		all = append(all, subject.runs...)
	}
	return all
}

// progress returns the line of progress of the subject at a place, and what reports to it.
func (s subjects) progress(a *app, place int, label string) (*progressLine, progress.Func) {
	name := runTitle(s[place].Directory())
	line := newProgress(a.streams, label)
	report := line.report(name)
	if len(s) > 1 {
		report = report.Of(name, place+1, len(s))
	}
	return line, report
}

// announceTests says which engine computes, how many of all parts of a test are missing, and about how
// long they take, which it returns. count says of a subject how many it lacks, and how many there are;
// text describes the test of all.
func announceTests(
	a *app, all subjects, evaluation nbbnn.Evaluation, cells int, count func(subject) (missing, total int), text func(total int) string,
) (duration time.Duration, err error) {
	if _, err := announceEngine(a); err != nil {
		return 0, err
	}
	missing, total := 0, 0
	for _, subject := range all {
		some, of := count(subject)
		missing, total = missing+some, total+of
		for _, run := range subject.runs {
			if some > 0 && !run.Recorded() && run.Config().Network.Undefined() == nil { // others compute nothing
				duration += paper.TestDuration(run, run.FillEvaluation(evaluation), cells*some)
			}
		}
	}
	line := "plan     " + text(total)
	switch {
	case missing == 0:
		line += ", all there"
	case missing < total:
		line += fmt.Sprintf(", %d missing", missing)
	}
	if missing > 0 && duration >= time.Second {
		line += " · about " + quantity.Span(duration)
	}
	fmt.Fprintln(a.err, line)
	return duration, nil
}

// evaluateAll computes the missing cells of each subject, and prints the tables of one or a line for
// each of several. A run of several that can't be tested doesn't stop the others.
func evaluateAll(ctx context.Context, a *app, all subjects, order evaluateOrder) error {
	if err := announceEvaluation(a, all, order); err != nil {
		return err
	}
	done, err := all.test(ctx, a, order)
	if err != nil {
		return err
	}
	if len(all) == 1 {
		return printEvaluated(a, done[0].subject, order, done[0].cells)
	}
	if err := printEach(a, done, order); err != nil {
		return err
	}
	if failed := len(all) - len(done); failed > 0 {
		return fmt.Errorf("nbbnn evaluate: %d of %d runs aren't tested: the notes above say why", failed, len(all))
	}
	return nil
}

// testableRuns opens the trained runs that arguments name. Of several, it leaves out those that
// can't be tested as asked, with a note.
func testableRuns(a *app, arguments []string, evaluation nbbnn.Evaluation) ([]*nbbnn.Run, error) {
	runs, err := trainedRuns(a, "evaluate", arguments)
	if err != nil {
		return nil, err
	}
	none := fmt.Errorf("%w; --suite, --samples and --images choose another evaluation", errNoneLeft("evaluate"))
	return usable(a, runs, none, func(run *nbbnn.Run) error {
		err := checkEvaluation([]*nbbnn.Run{run}, evaluation)
		if err != nil && len(runs) > 1 {
			err = errors.New(runTitle(run.Directory()) + ": " + strings.TrimPrefix(err.Error(), "nbbnn: "))
		}
		return err
	})
}

// evaluatedSubject is a subject with its cells.
type evaluatedSubject struct {
	subject
	cells score.Cells
}

// test computes the missing cells of each subject. An error ends the test of one alone, and a stop
// that of several; any other failure is a note.
func (s subjects) test(ctx context.Context, a *app, order evaluateOrder) (done []evaluatedSubject, err error) {
	for i, subject := range s {
		label := ""
		if len(subject.runs) > 1 {
			label = fmt.Sprintf("%s of each of %d runs", order.text(subject.runs), len(subject.runs))
		}
		line, report := s.progress(a, i, label)
		cells, err := subject.evaluate(ctx, a, order, report)
		line.finish()
		if err != nil && (len(s) == 1 || errors.Is(err, nbbnn.ErrStopped)) {
			return nil, err
		}
		if err != nil {
			fmt.Fprintf(a.err, "note     %s isn't tested: %s\n", runTitle(subject.Directory()), strings.TrimPrefix(describe(err), "nbbnn: "))
			continue
		}
		done = append(done, evaluatedSubject{subject, cells})
	}
	return done, nil
}

// evaluate computes the missing cells.
func (s subject) evaluate(ctx context.Context, a *app, order evaluateOrder, report progress.Func) (score.Cells, error) {
	options := order.options
	options.Progress = report
	return s.EvaluateWith(ctx, order.evaluation, options)
}

// missing returns how many cells of an evaluation are to be computed, and how many it has.
func (s subject) missing(order evaluateOrder) (missing, total int) {
	total = 1
	if order.evaluation.Part == nbbnn.TestPart {
		total = len(score.Conditions(order.suite))
	}
	_, err := s.Cells(order.evaluation)
	var unevaluated *nbbnn.UnevaluatedError
	switch {
	case err == nil:
		return 0, total
	case len(s.runs) == 1 && errors.As(err, &unevaluated):
		return unevaluated.Missing, total
	}
	return total, total // such as a record without this evaluation
}

// announceEvaluation says how much is to be computed and about how long it takes.
func announceEvaluation(a *app, all subjects, order evaluateOrder) error {
	count := func(s subject) (missing, total int) { return s.missing(order) }
	duration, err := announceTests(a, all, order.evaluation, 1, count, func(total int) string {
		text := order.text(all.runs()) + ": " + quantity.Count(total, "cell")
		if len(all) > 1 {
			text = fmt.Sprintf("%d runs, %s", len(all), text)
		}
		return text
	})
	if err == nil && duration.Seconds() >= longSeconds {
		announceStop(a, duration, "fewer --images or --samples, or a smaller --suite")
	}
	return err
}

// checkEvaluation refuses an evaluation that one of the runs can't have, before anything is
// computed.
func checkEvaluation(runs []*nbbnn.Run, evaluation nbbnn.Evaluation) error {
	for _, run := range runs {
		card, err := run.Card()
		if err != nil {
			return err
		}
		if err := evaluation.WithDefaults().Validate(run.Config().Posterior.Components); err != nil {
			return commandline.Usage(err)
		}
		isTest := evaluation.Part == nbbnn.TestPart || evaluation.Part == nbbnn.CleanPart
		if isTest && evaluation.Images > card.Data.Test {
			return commandline.Usage(fmt.Errorf("nbbnn: %d test images are asked for, run %s has %d: lower --images", evaluation.Images, card.Run, card.Data.Test))
		}
	}
	return nil
}

// outsideHelp says what the flag --outside of evaluate takes.
const outsideHelp = "data set whose test images none of the run's classes fits, such as cifar100 for cifar10: how well uncertainty tells them from its own"

// evaluatedOutside is the JSON output of `nbbnn evaluate --outside`.
type evaluatedOutside struct {
	member
	Members []member `json:"members,omitempty"` // of an ensemble
	score.Outside
}

// evaluateOutside tests subjects one after the other on the images of another data set.
func evaluateOutside(ctx context.Context, a *app, all subjects, data string, evaluation nbbnn.Evaluation) error {
	if err := announceOutside(a, all, data, evaluation); err != nil {
		return err
	}
	var results []evaluatedOutside
	for i, subject := range all {
		line, report := all.progress(a, i, "")
		test, err := subject.EvaluateOutside(ctx, data, evaluation, report)
		line.finish()
		if err != nil {
			return err
		}
		own, members, err := subject.identity(evaluation.Epoch)
		if err != nil {
			return err
		}
		if results = append(results, evaluatedOutside{own, members, test}); a.json {
			continue
		}
		if err := printOutside(a, subject.Directory(), test); err != nil {
			return err
		}
	}
	switch {
	case !a.json:
		return nil
	case len(results) == 1:
		return a.printJSON(results[0])
	}
	return a.printJSON(results)
}

// announceOutside is announceEvaluation for tests of clean images of two data sets.
func announceOutside(a *app, all subjects, data string, evaluation nbbnn.Evaluation) error {
	count := func(s subject) (missing, total int) {
		if s.EvaluatedOutside(data, evaluation) {
			return 0, 1
		}
		return 1, 1
	}
	duration, err := announceTests(a, all, evaluation, 2, count, func(total int) string {
		return fmt.Sprintf("%s of both sets, against %s, %s: %s",
			quantity.CountOrAll(evaluation.Images, "image"), data, samplesText(all.runs(), evaluation), quantity.Count(total, "test"))
	})
	if err == nil && duration.Seconds() >= longSeconds {
		fmt.Fprintln(a.err, "note     fewer --images or --samples make it shorter; control-C stops, and a test that isn't complete starts again")
	}
	return err
}

func printOutside(a *app, directory string, test score.Outside) error {
	table := viz.Table{Header: []string{"uncertainty", "AUROC", "FPR95 %"}, Labels: 1}
	for _, d := range test.Detections {
		table.Rows = append(table.Rows, []string{d.Uncertainty, fmt.Sprintf("%.3f", d.AUROC), fmt.Sprintf("%.1f", 100*d.FPR95)})
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(table); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "tested   %d clean test %s against %d of %s, %s; AUROC 0.5 is chance, 1 perfect\nwrote    %s\n",
		test.Inside, quantity.Noun(test.Inside, "image"), test.Images, test.Data, quantity.Count(test.Samples, "sample"), filepath.Join(directory, "outside.csv"))
	return nil
}
