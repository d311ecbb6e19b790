package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// tested is a run or an ensemble of runs.
type tested interface {
	Directory() string // of the cells
	Cells(evaluation nbbnn.Evaluation) (score.Cells, error)
	Evaluated(evaluation nbbnn.Evaluation) bool
	HeldOut(evaluation nbbnn.Evaluation, count int) (nbbnn.Part, int, error)
	EvaluateWith(ctx context.Context, evaluation nbbnn.Evaluation, options nbbnn.EvaluateOptions) (
		score.Cells, error)
	EvaluateOutside(ctx context.Context, data string, evaluation nbbnn.Evaluation,
		progress nbbnn.Progress) (nbbnn.Outside, error)
}

// subject is a run or an ensemble to be tested, with its runs. After the test it has its cells, or
// its test of images from outside.
type subject struct {
	tested
	runs    []*nbbnn.Run
	missing int // cells to be computed; a test of images from outside counts as one
	cells   score.Cells
	outside nbbnn.Outside
}

// subjects are tested one after the other.
type subjects []subject

// openSubjects opens the runs that arguments name, or their ensemble. Of several runs, it notes and
// leaves out the ones that can't be tested as asked.
func openSubjects(a *app, arguments []string, ensemble bool,
	evaluation nbbnn.Evaluation) (all subjects, err error) {
	if ensemble {
		runs, err := findRuns(a, arguments)
		if err == nil {
			err = checkEvaluation(evaluation, runs...)
		}
		if err != nil {
			return nil, err
		}
		averaged, err := nbbnn.OpenEnsemble(a.runs, runs...)
		return subjects{{tested: averaged, runs: runs}}, commandline.Usage(err)
	}
	runs, err := trainedRuns(a, "evaluate", arguments)
	if err != nil {
		return nil, err
	}
	none := fmt.Errorf("%w; --suite, --samples and --images choose another evaluation",
		errNoneLeft("evaluate"))
	runs, err = usable(a, runs, none, func(run *nbbnn.Run) error {
		return checkEvaluation(evaluation, run)
	})
	for _, run := range runs {
		all = append(all, subject{tested: run, runs: []*nbbnn.Run{run}})
	}
	return all, err
}

// runs returns all subjects' runs.
func (s subjects) runs() (all []*nbbnn.Run) {
	for _, subject := range s {
		all = append(all, subject.runs...)
	}
	return all
}

// announce prints the engine, how many cells or tests are missing, and about how long they take.
func (s subjects) announce(a *app, order evaluateOrder) error {
	if _, err := announceEngine(a); err != nil {
		return err
	}
	unit, sets := "cell", 1 // of images
	if order.outside != "" {
		unit, sets = "test", 2
	}
	var duration time.Duration
	missing, total := 0, 0
	for i := range s {
		subject, of := &s[i], 0
		subject.missing, of = subject.lacks(order)
		missing, total = missing+subject.missing, total+of
		for _, run := range subject.runs {
			// others compute nothing
			if subject.missing > 0 && !run.Recorded() && run.Config().Network.Undefined() == nil {
				duration += estimate.TestDuration(run, run.FillEvaluation(order.evaluation),
					sets*subject.missing)
			}
		}
	}
	line := "plan     "
	if len(s) > 1 {
		line += fmt.Sprintf("%d runs, ", len(s))
	}
	line += order.text(s.runs()) + ": " + quantity.Count(total, unit)
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
	switch {
	case duration.Seconds() < longSeconds:
	case order.outside != "":
		a.note("fewer --images or --samples make it shorter; control-C " +
			"stops, and a test that isn't complete starts again")
	default:
		a.note("control-C stops and saves; fewer --images or --samples, or a smaller --suite, " +
			"make it shorter")
	}
	return nil
}

// evaluateAll completes each subject's test, and prints the tables of one or a line for each of
// several. A run of several that can't be tested doesn't stop the others.
func evaluateAll(ctx context.Context, a *app, all subjects, order evaluateOrder) error {
	if err := all.announce(a, order); err != nil {
		return err
	}
	done, err := all.test(ctx, a, order)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		err = printResults(a, done, order)
	case len(done) == 0:
	case order.outside != "":
		err = printOutside(a, done)
	default:
		err = printEvaluated(a, done, order)
	}
	if err != nil {
		return err
	}
	if failed := len(all) - len(done); failed > 0 {
		return fmt.Errorf("nbbnn evaluate: %d of %d runs aren't tested: the notes above say why",
			failed, len(all))
	}
	return nil
}

// test completes each subject's test. An error ends the test of a single subject, and a stop the
// test of several; other failures are notes.
func (s subjects) test(ctx context.Context, a *app, order evaluateOrder) (done subjects,
	err error) {
	var told []string // notes on the images, which several runs share
	for i, subject := range s {
		label := ""
		if len(subject.runs) > 1 && order.outside == "" {
			label = fmt.Sprintf("%s of each of %d runs", order.text(subject.runs),
				len(subject.runs))
		}
		name, line := titleOf(subject), newProgress(a.streams, label)
		report := line.report(name)
		if len(s) > 1 {
			report = report.Of(name, i+1, len(s))
		}
		order.options.Note = func(text string) {
			if !slices.Contains(told, text) {
				a.note("%s", text)
				told = append(told, text)
			}
		}
		own := order
		own.options.Save = order.saveOf(subject)
		err := subject.evaluate(ctx, own, report)
		line.finish()
		if err != nil && (len(s) == 1 || errors.Is(err, nbbnn.ErrStopped)) {
			return nil, err
		}
		if err != nil {
			a.note("%s isn't tested: %s", name, reason(err))
			continue
		}
		done = append(done, subject)
	}
	return done, nil
}

// evaluate completes the test.
func (s *subject) evaluate(ctx context.Context, order evaluateOrder,
	report progress.Func) (err error) {
	if order.outside != "" {
		s.outside, err = s.EvaluateOutside(ctx, order.outside, order.evaluation, report)
		return err
	}
	order.options.Progress = report
	s.cells, err = s.EvaluateWith(ctx, order.evaluation, order.options)
	return err
}

// label describes what happened to the results file.
func (s subject) label() string {
	if s.missing == 0 {
		return "read"
	}
	return "wrote"
}

// lacks returns the number of an evaluation's missing cells, and of all.
func (s subject) lacks(order evaluateOrder) (missing, total int) {
	total = 1
	if order.outside != "" {
		return total, total
	}
	if order.evaluation.Part == nbbnn.TestPart {
		total = len(score.Conditions(order.suite))
	}
	_, err := s.Cells(order.evaluation)
	if err == nil {
		return 0, total
	}
	if lacking, is := errors.AsType[*nbbnn.UnevaluatedError](err); is && len(s.runs) == 1 {
		return lacking.Missing, total
	}
	return total, total // for example a record without this evaluation
}

// checkEvaluation refuses an evaluation that one of the runs can't have, before anything is
// computed.
func checkEvaluation(evaluation nbbnn.Evaluation, runs ...*nbbnn.Run) error {
	for _, run := range runs {
		card, err := run.Card()
		if err != nil {
			return err
		}
		if err := run.CheckEvaluation(evaluation); err != nil {
			return commandline.Usage(err)
		}
		if evaluation.Epoch != 0 && !run.Evaluated(evaluation) {
			kept, err := run.KeptEpochs()
			if err == nil && !slices.Contains(kept, evaluation.Epoch) {
				_, err = run.WeightsSHA256(evaluation.Epoch) // of the last epoch, or none
				err = commandline.Usage(err)
			}
			if err != nil {
				return err
			}
		}
		isTest := evaluation.Part == nbbnn.TestPart || evaluation.Part == nbbnn.CleanPart
		switch {
		case evaluation.Test != "":
		case isTest && evaluation.First+max(evaluation.Images, 1) > card.Data.Test:
			return commandline.Usagef("nbbnn: run %s has %d test images, too few for those asked "+
				"for from place %d on: lower --images or --first", card.Run, card.Data.Test,
				evaluation.First)
		}
	}
	return nil
}

// outsideHelp is the help of evaluate --outside.
const outsideHelp = "data set whose test images none of the run's classes fits, for example " +
	"cifar100 for cifar10: how well uncertainty separates them from the run's"

// printOutside prints a table of each subject that was tested.
func printOutside(a *app, done subjects) error {
	for _, subject := range done {
		test, table := subject.outside,
			viz.Table{Header: []string{"uncertainty", "AUROC", "FPR95 %"}, Labels: 1}
		for _, d := range test.Detections {
			table.Rows = append(table.Rows, []string{d.Uncertainty, fmt.Sprintf("%.3f", d.AUROC),
				fmt.Sprintf("%.1f", 100*d.FPR95)})
		}
		fmt.Fprintln(a.out)
		if err := a.printTable(table); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "tested   %s, %d clean test %s against %d of %s, %s; AUROC 0.5 is "+
			"chance, 1 perfect\n", titleOf(subject), test.Inside,
			quantity.Noun(test.Inside, "image"), test.Images, test.Data,
			quantity.Count(test.Samples, "sample"))
	}
	return nil
}
