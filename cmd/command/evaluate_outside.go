package command

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// outsideHelp says what the flag --outside of evaluate takes.
const outsideHelp = "data set whose test images none of the run's classes fits, such as cifar100 for cifar10: how well uncertainty tells them from its own"

// checkOutsideFlags refuses flags that a test of images from outside, if one is asked for, doesn't
// have.
func checkOutsideFlags(given *pflag.FlagSet, outside string) error {
	for _, name := range []string{"suite", "corruptions", "corrupted", "textures", "clean", "part", "save", "save-samples"} {
		if outside != "" && given.Changed(name) {
			return fmt.Errorf("nbbnn evaluate: --outside tests clean test images, so it excludes --%s: leave one of the two out", name)
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

// announceOutside says which engine computes, how much it computes and about how long that takes.
func announceOutside(a *app, all subjects, data string, evaluation nbbnn.Evaluation) error {
	if _, err := announceEngine(a); err != nil {
		return err
	}
	missing := 0
	var duration time.Duration
	for _, subject := range all {
		if subject.EvaluatedOutside(data, evaluation) {
			continue
		}
		missing++
		for _, run := range subject.runs {
			if run.Config().Network.Undefined() != nil { // which computes nothing
				continue
			}
			duration += paper.TestDuration(run, run.FillEvaluation(evaluation), 2) // clean images of two data sets
		}
	}
	text := fmt.Sprintf("%s of both sets, against %s, %s: %s",
		quantity.CountOrAll(evaluation.Images, "image"), data, samplesText(all.runs(), evaluation), quantity.Count(len(all), "test"))
	announceTests(a, text, missing, len(all), duration)
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
