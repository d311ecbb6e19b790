package main

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
)

// tested is a run or an ensemble of runs.
type tested interface {
	Directory() string // of the cells
	EvaluateWith(ctx context.Context, evaluation nbbnn.Evaluation, options nbbnn.EvaluateOptions) (score.Cells, error)
}

// testedRuns is the subject of a test with its runs: one, or the members of an ensemble.
type testedRuns struct {
	tested
	runs []*nbbnn.Run
}

// evaluateEnsemble computes the missing cells of the average of several runs and prints its tables.
func evaluateEnsemble(ctx context.Context, a *app, arguments []string, order evaluateOrder) error {
	runs, err := findRuns(a, arguments)
	if err != nil {
		return err
	}
	if err := checkEvaluation(runs, order.evaluation); err != nil {
		return err
	}
	ensemble, err := nbbnn.OpenEnsemble(a.runs, runs...)
	if err != nil {
		return commandline.Usage(err)
	}
	subject := testedRuns{ensemble, runs}
	if err := announceEvaluation(a, []testedRuns{subject}, order); err != nil {
		return err
	}
	line := newProgress(a.streams, fmt.Sprintf("%s of each of %d runs", order.text(runs), len(runs)))
	cells, err := subject.evaluate(ctx, a, order, line.report(filepath.Base(ensemble.Directory())))
	line.finish()
	if err != nil {
		return err
	}
	return printEvaluated(a, subject, order, cells)
}

// evaluateEach computes the missing cells of runs one after the other, and prints the tables of one
// or a line for each of several. A run of several that can't be tested doesn't stop the others.
func evaluateEach(ctx context.Context, a *app, arguments []string, order evaluateOrder) error {
	runs, err := testableRuns(a, arguments, order.evaluation)
	if err != nil {
		return err
	}
	subjects := make([]testedRuns, len(runs))
	for i, run := range runs {
		subjects[i] = testedRuns{run, []*nbbnn.Run{run}}
	}
	if err := announceEvaluation(a, subjects, order); err != nil {
		return err
	}
	done, err := testEach(ctx, a, subjects, order)
	if err != nil {
		return err
	}
	if len(subjects) == 1 {
		return printEvaluated(a, done[0].testedRuns, order, done[0].cells)
	}
	if err := printEach(a, done, order); err != nil {
		return err
	}
	if failed := len(subjects) - len(done); failed > 0 {
		return fmt.Errorf("nbbnn evaluate: %d of %d runs aren't tested: the notes above say why", failed, len(subjects))
	}
	return nil
}

// testableRuns opens the trained runs that arguments name. Of several, it leaves out those that
// can't be tested as asked, with a note.
func testableRuns(a *app, arguments []string, evaluation nbbnn.Evaluation) (testable []*nbbnn.Run, err error) {
	runs, err := trainedRuns(a, "evaluate", arguments)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		err := checkEvaluation([]*nbbnn.Run{run}, evaluation)
		if err != nil && len(runs) == 1 {
			return nil, err
		}
		if err != nil {
			leaveOut(a, filepath.Base(run.Directory())+": "+strings.TrimPrefix(err.Error(), "nbbnn: "))
			continue
		}
		testable = append(testable, run)
	}
	if len(testable) == 0 {
		return nil, errNotEvaluated("evaluate")
	}
	return testable, nil
}

// testEach computes the missing cells of each run. An error ends the test of one run alone, and a
// stop that of several; any other failure is a note.
func testEach(ctx context.Context, a *app, subjects []testedRuns, order evaluateOrder) (done []evaluatedRun, err error) {
	for i, subject := range subjects {
		name := filepath.Base(subject.Directory())
		line := newProgress(a.streams, "")
		report := line.report(name)
		if len(subjects) > 1 {
			report = report.Of(name, i+1, len(subjects))
		}
		cells, err := subject.evaluate(ctx, a, order, report)
		line.finish()
		if err != nil && (len(subjects) == 1 || errors.Is(err, nbbnn.ErrStopped)) {
			return nil, err
		}
		if err != nil {
			fmt.Fprintf(a.err, "note     %s isn't tested: %s\n", name, strings.TrimPrefix(describe(err), "nbbnn: "))
			continue
		}
		done = append(done, evaluatedRun{subject, cells})
	}
	return done, nil
}

// evaluatedRun is a run with its cells.
type evaluatedRun struct {
	testedRuns
	cells score.Cells
}

// evaluate computes the missing cells.
func (t testedRuns) evaluate(ctx context.Context, a *app, order evaluateOrder, report progress.Func) (score.Cells, error) {
	again, options := 0, order.options
	options.FillMetrics = true
	options.Progress = func(u nbbnn.Update) {
		again = u.Again
		report.Report(u)
	}
	cells, err := t.EvaluateWith(ctx, order.evaluation, options)
	if again > 0 {
		fmt.Fprintf(a.err, "again    %s of an earlier version lacked metrics and got them; NLL and error are as they were\n", quantity.Count(again, "cell"))
	}
	return cells, err
}

// missing returns how many cells of an evaluation are to be computed, and how many it has.
func (t testedRuns) missing(order evaluateOrder) (missing, total int) {
	total = 1
	if order.evaluation.Part == nbbnn.TestPart {
		total = len(score.Conditions(order.suite))
	}
	if ensemble, ok := t.tested.(*nbbnn.Ensemble); ok {
		if _, err := ensemble.Cells(order.evaluation); err == nil {
			return 0, total
		}
		return total, total
	}
	var unevaluated *nbbnn.UnevaluatedError
	_, err := t.runs[0].Cells(order.evaluation)
	switch {
	case errors.As(err, &unevaluated):
		return unevaluated.Missing, total
	case err != nil: // such as a restored run without this evaluation
		return total, total
	}
	return 0, total
}

// announceEvaluation says which engine computes, how much is to be computed and about how long it
// takes.
func announceEvaluation(a *app, subjects []testedRuns, order evaluateOrder) error {
	if _, err := announceEngine(a); err != nil {
		return err
	}
	missing, total := 0, 0
	var duration time.Duration
	var runs []*nbbnn.Run
	var ensembles []string
	for _, subject := range subjects {
		runs = append(runs, subject.runs...)
		if ensemble, is := subject.tested.(*nbbnn.Ensemble); is {
			ensembles = append(ensembles, ensemble.Directory())
		}
		some, all := subject.missing(order)
		missing, total = missing+some, total+all
		for _, run := range subject.runs {
			if !run.Recorded() { // one without weights computes nothing
				duration += paper.TestDuration(run, run.FillEvaluation(order.evaluation), some)
			}
		}
	}
	text := fmt.Sprintf("plan     %s: %s", order.text(runs), quantity.Count(total, "cell"))
	if len(subjects) > 1 {
		text = fmt.Sprintf("plan     %d runs, %s: %s", len(subjects), order.text(runs), quantity.Count(total, "cell"))
	}
	switch {
	case missing == 0:
		text += ", all there"
	case missing < total:
		text += fmt.Sprintf(", %d missing", missing)
	}
	if missing > 0 && duration >= time.Second {
		text += " · about " + quantity.Span(duration)
	}
	fmt.Fprintln(a.err, text)
	noteUnsealed(a, runs)
	noteUnsealedEnsembles(a, ensembles)
	if duration.Seconds() >= longSeconds {
		announceStop(a, duration, "fewer --images or --samples, or a smaller --suite")
	}
	return nil
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
