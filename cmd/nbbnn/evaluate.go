package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// texturesHelp says what the flag --textures takes, of every command that has it.
const texturesHelp = `textures of frost: "frost" for those that "nbbnn data get frost" brings, or their folder; none takes textures of our own`

func (a *app) evaluateCommand() *cobra.Command {
	var evaluation nbbnn.Evaluation
	command := &cobra.Command{
		Use:   "evaluate RUN",
		Short: "Evaluate a trained run on clean and on corrupted test images",
		Long: "Evaluate a trained run on clean and on corrupted test images, at all five severities. RUN is a run's directory or the\n" +
			"beginning of its name. Cells that are in the run's cells.csv already aren't computed again.",
		Example: "  nbbnn evaluate runs/9f3c2a1b44d0\n  nbbnn evaluate 9f3c --suite first8 --samples 16 --images 500 --json",
		Args:    exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			suite, err := corrupt.SuiteByName(evaluation.Suite)
			if err != nil {
				return asUsage(err)
			}
			run, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			return a.evaluate(c.Context(), run, suite, evaluation)
		},
	}
	f := command.Flags()
	f.StringVar(&evaluation.Suite, "suite", "first8", `suite of corruptions, see "nbbnn corrupt suites"`)
	f.IntVar(&evaluation.Samples, "samples", 32, "Monte-Carlo samples for each image, a multiple of the posterior's components")
	f.IntVar(&evaluation.Images, "images", 0, "test images, the first so many; 0 means all")
	f.StringVar(&evaluation.Corrupted, "corrupted", "", `ready-made corrupted images: a name of "nbbnn data list" such as cifar10-c, or a folder; none generates them`)
	f.StringVar(&evaluation.Textures, "textures", "", texturesHelp)
	f.Uint64Var(&evaluation.Seed, "evaluation-seed", 0, "seed of the corruptions and of the samples")
	f.StringVar((*string)(&evaluation.Part), "part", "", `images: "" for the test images with their corruptions, or validation, clean_labels or noisy_labels, as they are`)
	f.StringVar((*string)(&evaluation.Latents), "latents", "", `fix the latents at ones or at their mean; "" draws them`)
	return command
}

// evaluated is what the command prints as JSON.
type evaluated struct {
	Run        string           `json:"run"`
	ConfigHash string           `json:"config_hash"`
	Weights    string           `json:"weights_sha256"`
	Evaluation nbbnn.Evaluation `json:"evaluation"`
	Levels     nbbnn.Levels     `json:"levels"`
	Cells      nbbnn.Cells      `json:"cells"`
}

// evaluate computes the missing cells of a run and prints the tables.
func (a *app) evaluate(ctx context.Context, run *nbbnn.Run, suite corrupt.Suite, evaluation nbbnn.Evaluation) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	if err := evaluation.WithDefaults().Validate(run.Config().Posterior.Components); err != nil {
		return asUsage(err)
	}
	if evaluation.Part == nbbnn.TestPart && evaluation.Images > card.Data.Test {
		return asUsage(fmt.Errorf("nbbnn: %d test images are asked for, the run has %d: lower --images", evaluation.Images, card.Data.Test))
	}
	if _, err := a.announceEngine(); err != nil {
		return err
	}
	progress := newProgress(a.streams, paper.TestText(suite, evaluation))
	cells, err := run.Evaluate(ctx, evaluation, paper.Single(card.Run, progress.update))
	progress.finish()
	if err != nil {
		return err
	}
	if evaluation.Part != nbbnn.TestPart {
		return a.printPart(run, evaluation.Part, cells[0])
	}
	levels, err := cells.Levels()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(evaluated{card.Run, card.ConfigHash, card.WeightsSHA256, evaluation, levels, cells})
	}
	return a.printEvaluation(run, suite, cells, levels)
}

// printPart prints what a run scored on other images than the test set.
func (a *app) printPart(run *nbbnn.Run, part nbbnn.Part, cell nbbnn.Cell) error {
	if a.json {
		return a.printJSON(cell)
	}
	fmt.Fprintf(a.out, "\n%s   %d images   NLL %.3f   error %.1f%%   ECE %.3f\nwrote    %s\n", part, cell.Images, cell.NLL, 100*cell.Error, cell.ECE,
		filepath.Join(run.Directory(), "cells.csv"))
	return nil
}

// printEvaluation prints the levels, and the negative log-likelihood of each corruption.
func (a *app) printEvaluation(run *nbbnn.Run, suite corrupt.Suite, cells nbbnn.Cells, levels nbbnn.Levels) error {
	table := viz.Table{Header: []string{"", "level", "0", "1", "2", "3", "4", "5"}, Labels: 2}
	table.Rows = append(table.Rows,
		levelRow("all", "NLL", levels.NLL[:], 1, 3),
		levelRow("all", "Error %", levels.Error[:], 100, 1),
		levelRow("all", "ECE", levels.ECE[:], 1, 3),
	)
	for _, corruption := range suite.Corruptions {
		table.Rows = append(table.Rows, levelRow(corruption, "NLL", likelihoods(cells, corruption), 1, 3))
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s\nwrote    %s\n", text, filepath.Join(run.Directory(), "cells.csv"))
	return nil
}

// levelRow is a row of the table, the values times scale with so many decimals.
func levelRow(label, metric string, values []float64, scale float64, decimals int) []string {
	row := []string{label, metric}
	for _, value := range values {
		row = append(row, fmt.Sprintf("%.*f", decimals, scale*value))
	}
	return row
}

// likelihoods returns the negative log-likelihood of the clean images and of one corruption's severities.
func likelihoods(cells nbbnn.Cells, corruption string) []float64 {
	values := make([]float64, nbbnn.LevelCount)
	for _, cell := range cells {
		if cell.Corruption == corruption || cell.Corruption == nbbnn.Clean {
			values[cell.Severity] = cell.NLL
		}
	}
	return values
}
