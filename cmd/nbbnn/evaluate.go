package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
)

// texturesHelp says what the flag --textures takes, of every command that has it.
const texturesHelp = `textures of frost: "frost" for those that "nbbnn data get frost" brings, or their folder; none takes textures of our own`

func evaluateCommand(a *app) *cobra.Command {
	var evaluation nbbnn.Evaluation
	var options nbbnn.EvaluateOptions
	var corruptions []string
	var ensemble bool
	command := &cobra.Command{
		Use:   "evaluate RUN...",
		Short: "Evaluate a trained run, or the average of several, on clean and on corrupted test images",
		Long: "Evaluate a trained run on clean and on corrupted test images, at all five severities. RUN is a run's directory or the\n" +
			"beginning of its name. Cells that are in the run's cells.csv already aren't computed again, unless an earlier version made\n" +
			"them without a temperature-scaled NLL. That has one temperature, fitted to held-out clean images: the run's validation\n" +
			"images, or the test images that follow those that are tested. With --ensemble the predicted probabilities of several runs\n" +
			"are averaged, each with --samples samples; the ensemble's cells have a directory of their own.",
		Example: "  nbbnn evaluate runs/9f3c2a1b44d0\n  nbbnn evaluate 9f3c --suite first8 --samples 16 --images 500 --json\n" +
			"  nbbnn evaluate --ensemble 9f3c 41ab 77d0\n  nbbnn evaluate 9f3c --epoch 30\n" +
			"  nbbnn evaluate 9f3c --corruptions fog,snow --save predictions",
		Args: func(_ *cobra.Command, args []string) error { return countRuns(len(args), ensemble) },
		RunE: func(c *cobra.Command, args []string) error {
			if len(corruptions) > 0 {
				if c.Flags().Changed("suite") {
					return commandline.Usage(errors.New("nbbnn evaluate: --suite and --corruptions exclude each other: leave one of the two out"))
				}
				for i, name := range corruptions {
					corruptions[i] = strings.TrimSpace(name)
				}
				evaluation.Suite = strings.Join(corruptions, ",")
			}
			suite, err := corrupt.SuiteByName(evaluation.Suite)
			if err != nil {
				return commandline.Usage(err)
			}
			runs, err := findRuns(a, args)
			if err != nil {
				return err
			}
			return evaluateRuns(c.Context(), a, runs, suite, evaluation, options)
		},
	}
	f := command.Flags()
	f.StringVar(&evaluation.Suite, "suite", "first8", suiteHelp)
	f.StringSliceVar(&corruptions, "corruptions", nil, "corruptions in place of a suite, separated by commas, such as fog,snow")
	f.IntVar(&evaluation.Samples, "samples", 32, "Monte-Carlo samples for each image, a multiple of the posterior's components")
	f.IntVar(&evaluation.Images, "images", 0, "number of test images, from the first; 0 means all")
	f.IntVar(&evaluation.Epoch, "epoch", 0, `epoch whose checkpoint "nbbnn train --keep-every" kept; 0 means the end of the training`)
	f.BoolVar(&ensemble, "ensemble", false, "average the predicted probabilities of all runs that are given")
	f.StringVar(&evaluation.Corrupted, "corrupted", "", `ready-made corrupted images: a name of "nbbnn data list" such as cifar10-c, or a folder; none generates them`)
	f.StringVar(&evaluation.Textures, "textures", "", texturesHelp)
	f.Uint64Var(&evaluation.Seed, "evaluation-seed", 0, "seed of the corruptions and of the samples")
	f.StringVar((*string)(&evaluation.Part), "part", "", `images: "" for the test images with their corruptions, or validation, clean_labels or noisy_labels, as they are`)
	f.StringVar((*string)(&evaluation.Latents), "latents", "", `fix the latents at ones or at their mean; "" draws them`)
	f.StringVar(&options.Save, "save", "", "folder for the predicted probabilities of each image, one .npz file for each cell; none saves none")
	f.BoolVar(&options.SaveSamples, "save-samples", false, "with --save, save each Monte-Carlo sample too")
	return command
}

// countRuns refuses several runs that aren't an ensemble, and an ensemble of fewer than two.
func countRuns(count int, ensemble bool) error {
	switch {
	case count == 0:
		return commandline.Usage(errors.New("nbbnn evaluate: no run is given: name one as in `nbbnn evaluate 9f3c`"))
	case ensemble && count == 1:
		return commandline.Usage(errors.New("nbbnn evaluate: one run makes no ensemble: give two or more, or leave --ensemble out"))
	case !ensemble && count > 1:
		return commandline.Usage(fmt.Errorf("nbbnn evaluate: %d runs are given: add --ensemble to average them, or give one", count))
	}
	return nil
}

// tested is a run or an ensemble of runs.
type tested interface {
	Directory() string // of the cells
	EvaluateWith(ctx context.Context, evaluation nbbnn.Evaluation, options nbbnn.EvaluateOptions) (score.Cells, error)
}

// evaluateRuns computes the missing cells of a run, or of the average of several, and prints the
// tables.
func evaluateRuns(ctx context.Context, a *app, runs []*nbbnn.Run, suite corrupt.Suite, evaluation nbbnn.Evaluation, options nbbnn.EvaluateOptions) error {
	if options.SaveSamples && options.Save == "" {
		return commandline.Usage(errors.New("nbbnn evaluate: --save-samples goes with --save: name the folder of the predictions, too"))
	}
	if err := checkEvaluation(runs, evaluation); err != nil {
		return err
	}
	var subject tested = runs[0]
	text := paper.TestText(suite, evaluation.WithDefaults())
	if len(runs) > 1 {
		ensemble, err := nbbnn.OpenEnsemble(a.runs, runs...)
		if err != nil {
			return commandline.Usage(err)
		}
		subject, text = ensemble, fmt.Sprintf("%s of each of %d runs", text, len(runs))
	}
	if _, err := announceEngine(a); err != nil {
		return err
	}
	progress := newProgress(a.streams, text)
	again := 0
	report := progress.report(filepath.Base(subject.Directory()))
	options.FillTemperature = true
	options.Progress = func(u nbbnn.Update) {
		again = u.Again
		report(u)
	}
	cells, err := subject.EvaluateWith(ctx, evaluation, options)
	progress.finish()
	if again > 0 {
		fmt.Fprintf(a.err, "again    %s of an earlier version had no temperature-scaled NLL and got it; NLL and error are as they were\n", quantity.Count(again, "cell"))
	}
	if err != nil {
		return err
	}
	if evaluation.Part != nbbnn.TestPart {
		err = printPart(a, subject, evaluation.Part, cells[0])
	} else {
		err = printLevels(a, subject, runs, suite, evaluation, cells)
	}
	if err == nil && options.Save != "" && !a.json {
		fmt.Fprintf(a.out, "wrote    %s   %s\n", filepath.Join(options.Save, "*.npz"), quantity.Count(len(cells), "file"))
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
		if evaluation.Part == nbbnn.TestPart && evaluation.Images > card.Data.Test {
			return commandline.Usage(fmt.Errorf("nbbnn: %d test images are asked for, run %s has %d: lower --images", evaluation.Images, card.Run, card.Data.Test))
		}
	}
	return nil
}
