package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
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

// outsideSubject is a run or an ensemble of runs.
type outsideSubject interface {
	Directory() string
	EvaluateOutside(ctx context.Context, data string, evaluation nbbnn.Evaluation) (score.Outside, error)
}

// evaluateOutside tests runs one after the other, or the average of several, on the images of
// another data set.
func evaluateOutside(ctx context.Context, a *app, arguments []string, ensemble bool, data string, evaluation nbbnn.Evaluation) error {
	runs, err := findRuns(a, arguments)
	if err != nil {
		return err
	}
	if err := checkEvaluation(runs, evaluation); err != nil {
		return err
	}
	type subject struct {
		outsideSubject
		runs []*nbbnn.Run
	}
	var subjects []subject
	for _, run := range runs {
		subjects = append(subjects, subject{run, []*nbbnn.Run{run}})
	}
	noteUnsealed(a, runs, "card.json", "outside.csv")
	if ensemble {
		averaged, err := nbbnn.OpenEnsemble(a.runs, runs...)
		if err != nil {
			return commandline.Usage(err)
		}
		noteUnsealedEnsembles(a, []string{averaged.Directory()}, "outside.csv")
		subjects = []subject{{averaged, runs}}
	}
	if _, err := announceEngine(a); err != nil {
		return err
	}
	var all []evaluatedOutside
	for _, subject := range subjects {
		test, err := subject.EvaluateOutside(ctx, data, evaluation)
		if err != nil {
			return err
		}
		members, err := membersOf(subject.runs, evaluation.Epoch)
		if err != nil {
			return err
		}
		result := evaluatedOutside{member: members[0], Outside: test}
		if ensemble {
			result = evaluatedOutside{member{Run: filepath.Base(subject.Directory())}, members, test}
		}
		if all = append(all, result); a.json {
			continue
		}
		if err := printOutside(a, subject.Directory(), test); err != nil {
			return err
		}
	}
	if !a.json {
		return nil
	}
	if len(all) == 1 {
		return a.printJSON(all[0])
	}
	return a.printJSON(all)
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
	fmt.Fprintf(a.out, "\n%s\ntested   %d clean test images against %d of %s, %d samples; AUROC 0.5 is chance, 1 perfect\nwrote    %s\n",
		text, test.Inside, test.Images, test.Data, test.Samples, filepath.Join(directory, "outside.csv"))
	return nil
}

// comparedOutside is a method as `nbbnn compare --outside --json` prints it.
type comparedOutside struct {
	Name       string                   `json:"name"`
	Config     any                      `json:"config"` // filled, with seed 0
	Seeds      []uint64                 `json:"seeds"`
	Runs       []string                 `json:"runs"`
	Detections []score.DetectionSummary `json:"detections"`
}

// checkCompareOutside refuses flags that go with the cells of a suite.
func checkCompareOutside(given *pflag.FlagSet) error {
	for _, name := range []string{"suite", "as", "out", "pictures", "metrics", "ensembles", "label", "colour"} {
		if given.Changed(name) {
			return commandline.Usage(fmt.Errorf("nbbnn compare: --outside compares tests of clean images, so it excludes --%s: leave one of the two out", name))
		}
	}
	return nil
}

// compareOutside prints how well the runs of each method detect images of another data set. Of
// several runs, those without such a test are left out.
func compareOutside(a *app, runs []*nbbnn.Run, data string, evaluation nbbnn.Evaluation) error {
	var tested []*nbbnn.Run
	for _, run := range runs {
		if _, err := nbbnn.CompareOutside([]*nbbnn.Run{run}, data, evaluation); err != nil {
			if len(runs) == 1 {
				return err
			}
			leaveOut(a, describe(err))
			continue
		}
		tested = append(tested, run)
	}
	if len(tested) == 0 {
		return errors.New("nbbnn compare: no run is left to compare: the notes above say which test each lacks")
	}
	methods, err := nbbnn.CompareOutside(tested, data, evaluation)
	if err != nil {
		return err
	}
	noteUnsealed(a, tested, "card.json", "outside.csv")
	if a.json {
		var all []comparedOutside
		for _, m := range methods {
			all = append(all, comparedOutside{m.Name, m.Settings, m.Seeds, m.Runs, m.Detections})
		}
		return a.printJSON(all)
	}
	return printComparedOutside(a, methods, data)
}

func printComparedOutside(a *app, methods []score.OutsideMethod, data string) error {
	table := viz.Table{Header: []string{"", "uncertainty", "AUROC", "FPR95 %"}, Labels: 2}
	for _, m := range methods {
		for _, d := range m.Detections {
			table.Rows = append(table.Rows, []string{
				m.Name, d.Uncertainty,
				viz.MeanStd(d.AUROC.Mean, d.AUROC.Std, d.AUROC.N, 3), viz.MeanStd(100*d.FPR95.Mean, 100*d.FPR95.Std, d.FPR95.N, 1),
			})
		}
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\ntested   clean test images against those of %s\n", text, data)
	for _, m := range methods {
		fmt.Fprintf(a.out, "runs     %d of %s: %s, seeds %s\n", len(m.Runs), m.Name, strings.Join(m.Runs, " "), strings.Trim(fmt.Sprint(m.Seeds), "[]"))
	}
	return nil
}
