package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func reportCommand(a *app) *cobra.Command {
	var out string
	var formats []string
	command := &cobra.Command{
		Use:   "report RUN",
		Short: "Draw a run's training, and write its terms as a table and its card",
		Long: `Draw a run's entropy, its divergence from the prior and its training loss against the
epoch, and write every term of the objective at every epoch as CSV, and the run's card. A run that
isn't trained to the end is reported as far as it is, without a card. Nothing is computed.`,
		Example: "  nbbnn report 9f3c\n  nbbnn report 9f3c --out results/resnet18 --format pdf",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := check.Formats(formats...); err != nil {
				return commandline.Usage(err)
			}
			run, err := findRun(a, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", titleOf(run))
			}
			if err := checkOut("report", "out", out, "card.json", "training.*"); err != nil {
				return err
			}
			files, err := report.SaveTraining(run, out, formats...)
			if err != nil {
				return err
			}
			if err := announceUnfinished(a, run); err != nil {
				return err
			}
			noteUnsound(a, run)
			return a.printPaths("wrote", files...)
		},
	}
	command.Flags().StringVar(&out, "out", "",
		`directory of the files; "" means out/ and the run's name`)
	command.Flags().StringSliceVar(&formats, "format", []string{"png"},
		"formats of the picture: png, pdf, svg")
	return command
}

// announceUnfinished prints the progress of an unfinished run.
func announceUnfinished(a *app, run *nbbnn.Run) error {
	state, err := run.State()
	if err != nil || state.Card != nil {
		return err
	}
	further := "`" + trainCommandLine(run.Directory()) + "` continues it"
	if state.Holder != "" {
		further = "report it again later"
	}
	a.note("%s: there is no card before the end; %s", state, further)
	return nil
}

// testCleanly makes the test that follows a training, unless the run has it. The weights are saved
// by then, so only an interrupt is an error; for any other failure, for example a removed data set,
// a note names what is missing.
func testCleanly(ctx context.Context, a *app, run *nbbnn.Run) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	progress := newProgress(a.streams, "")
	_, err = run.Evaluate(ctx, card.QuickTest(), progress.report(titleOf(run)))
	progress.finish()
	if err != nil && !errors.Is(err, nbbnn.ErrStopped) {
		a.note("not tested: %s", reason(err))
		return nil
	}
	return err
}

// testedCard is a card as JSON, with the test on clean images.
type testedCard struct {
	nbbnn.Card
	CleanTest *score.Cell `json:"clean_test,omitempty"` // nil before one
}

// testedCardOf reads the card of a run and its test on clean images.
func testedCardOf(run *nbbnn.Run) (testedCard, error) {
	card, err := run.Card()
	if err != nil {
		return testedCard{}, err
	}
	tested := testedCard{Card: card}
	test, found, err := run.CleanTest(0)
	if found {
		tested.CleanTest = &test
	}
	return tested, err
}

// reportCard prints a run's card: as JSON, or its main lines. label describes what happened to the
// file.
func reportCard(a *app, run *nbbnn.Run, label string) error {
	card, err := testedCardOf(run)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(card)
	}
	if last := card.Training; last != nil && last.Epoch > 0 {
		fmt.Fprintf(a.out, "trained  %s in %s   NLL %.3f   error %.1f%%   entropy %.1f nats   "+
			"(on the training set)\n",
			quantity.Count(last.Epoch, "epoch"),
			quantity.Span(quantity.Duration(card.WallSeconds)), last.NLL,
			100*last.Error, last.Entropy)
	}
	if test := card.CleanTest; test != nil {
		fmt.Fprintf(a.out, "tested   NLL %.3f   error %.1f%%   ECE %.3f   (on %s, %s)\n",
			test.NLL, 100*test.Error, test.ECE, cleanImages(test.Images, card.Data.Test),
			quantity.Count(test.Samples, "sample"))
	}
	if parent := card.Parent; parent != nil {
		fmt.Fprintf(a.out, "parent   run %s, %s, weights sha256 %s\n", parent.Run,
			cmp.Or(parent.Source, "method "+parent.Method), cmp.Or(parent.WeightsSHA256, "unknown"))
	}
	for _, note := range card.Notes {
		if !strings.HasPrefix(note, "narrow form") { // as of every small network; the card has it
			fmt.Fprintln(a.out, "note     "+quantity.Printable(note))
		}
	}
	fmt.Fprintf(a.out, "%-8s %s\n", label, records.Path(run.Directory(), "card.json"))
	return nil
}

// cleanImages names the images of a test, "the first 1,000 of 10,000 clean test images".
func cleanImages(count, all int) string {
	if count == all {
		return "all " + quantity.Thousands(float64(all)) + " clean test images"
	}
	return "the first " + quantity.Thousands(float64(count)) + " of " +
		quantity.Thousands(float64(all)) + " clean test images"
}

// mostNamed is the most runs, of perhaps thousands, that a sentence names.
const mostNamed = 5

// guesses reports whether a run hardly learnt: its training NLL is about as large as a
// guesser's, log of the number of classes. It returns both. Noise may do that to a network that has
// learnt, for example a posthoc run's parent.
func guesses(c nbbnn.Card) (nll, guessing float64, is bool) {
	const share = 0.95 // of the NLL of guessing
	if c.Training == nil || c.Data.Classes == 0 || c.Parent != nil {
		return 0, 0, false
	}
	nll, guessing = c.Training.NLL, math.Log(float64(c.Data.Classes))
	return nll, guessing, !(nll < share*guessing)
}

// noteUnsound names the runs that hardly learnt, with their seeds, and the ones whose chains
// don't mix.
func noteUnsound(a *app, runs ...*nbbnn.Run) {
	var names, unmixed []string
	lower := "--learning-rate"
	for _, run := range runs {
		card, err := run.Card()
		if err != nil {
			continue
		}
		if card.Sampling != nil && !card.Sampling.Mixes {
			unmixed = append(unmixed, titleOf(run))
		}
		if nll, guessing, is := guesses(card); is {
			names = append(names, fmt.Sprintf("%s (seed %d, training NLL %.2f, guessing %.2f)",
				titleOf(run), card.Seed, nll, guessing))
			if card.Config.Objective.Gamma > 0 {
				lower = "--learning-rate or --gamma"
			}
		}
	}
	if len(names) > 0 {
		a.note("%s hardly learnt: %s; train longer, or with a lower %s",
			quantity.Count(len(names), "run"), quantity.List(names, mostNamed), lower)
	}
	if len(unmixed) > 0 {
		a.note("%s without draws from the posterior, as the chains don't mix: %s; no claim may "+
			"rest on them: sample with more --epochs", quantity.Count(len(unmixed), "run"),
			quantity.List(unmixed, mostNamed))
	}
}

// markGuesses adds to compared methods the seeds whose runs hardly learnt.
func markGuesses(compared score.Comparison, runs []*nbbnn.Run) {
	guess := map[string]bool{} // by the names of their directories
	for _, run := range runs {
		if card, err := run.Card(); err == nil {
			_, _, guess[nameOf(run)] = guesses(card)
		}
	}
	for i, method := range compared.Methods {
		for k, run := range method.Runs {
			if guess[run] {
				of := &compared.Methods[i]
				of.Unlearnt = append(of.Unlearnt, method.Seeds[k])
			}
		}
	}
}
