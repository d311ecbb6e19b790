package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func evaluateCommand(a *app) *cobra.Command {
	order := evaluateOrder{evaluation: nbbnn.Evaluation{}.WithDefaults()}
	command := &cobra.Command{
		Use: "evaluate RUN...",
		Short: "Evaluate trained runs, or the average of several, on clean and on corrupted test " +
			"images",
		Long: `Evaluate trained runs on clean and on corrupted test images, at all five severities.
RUN is a run's directory or the beginning of its name, or noisy for noisy-1, noisy-2, ...; of
several (runs/*), untrained ones are left out. Cells that are in a run's cells.csv already aren't
computed again. The temperature of the scaled NLL and the thresholds of prediction sets are fitted
to held-out clean images: the run's validation images, or the test images that follow those that
are tested. If there are none, two temperatures are fitted, each to half of the clean test images
and used on the other half, and prediction sets aren't measured. With --ensemble the predicted
probabilities of several runs are averaged, each with --samples samples; the ensemble's cells have
a directory of their own. With --json, one run or ensemble is an object, and several runs are a
list of such.`,
		Example: `  nbbnn evaluate 9f3c --clean
  nbbnn evaluate runs/* --suite first8 --samples 16 --images 500
  nbbnn evaluate --ensemble 9f3c 41ab 77d0
  nbbnn evaluate 9f3c --epoch 30
  nbbnn evaluate 9f3c --corruptions fog,snow --save predictions
  nbbnn evaluate 9f3c --outside cifar100
  nbbnn evaluate 9f3c --test cifar10.1`,
		RunE: func(c *cobra.Command, args []string) error {
			return order.evaluate(c.Context(), a, c.Flags(), withSeeds(a, args))
		},
	}
	order.add(command.Flags())
	return command
}

// add defines the flags.
func (o *evaluateOrder) add(f *pflag.FlagSet) {
	evaluation, options := &o.evaluation, &o.options
	addSuiteFlags(f, &evaluation.Suite, "first8", suiteHelp)
	f.BoolVar(&o.clean, "clean", false, "test the clean images only")
	addEvaluationFlags(f, evaluation)
	f.BoolVar(&o.ensemble, "ensemble", false, "average the predicted probabilities of all runs")
	f.StringVar(&o.outside, "outside", "", outsideHelp)
	f.StringVar(&options.Save, "save", "", "folder for the predicted probabilities of each "+
		"image, one .npz file for each cell, in a folder for each of several runs, and the cells "+
		"of a run whose own folder can't be written; none saves none")
	f.BoolVar(&options.SaveSamples, "save-samples", false, "with --save, save each sample, too")
}

// evaluate tests the runs that arguments name as the flags order.
func (o evaluateOrder) evaluate(ctx context.Context, a *app, given *pflag.FlagSet,
	arguments []string) error {
	if o.evaluation.Suite == score.Clean { // as compare calls it
		o.clean, o.evaluation.Suite = true, nbbnn.Evaluation{}.WithDefaults().Suite
	}
	if o.clean {
		o.evaluation.Part = nbbnn.CleanPart
	}
	err := cmp.Or(
		exclusive(given, "evaluate", "outside",
			"test suite corruptions corrupted textures clean part save save-samples"),
		exclusive(given, "evaluate", "clean", "suite corruptions part corrupted textures"),
		exclusive(given, "evaluate", "part", "suite corruptions corrupted textures"),
		exclusive(given, "evaluate", "corrupted", "textures"),
		goesWith(given, "evaluate", "save", "save-samples"),
		o.evaluation.WithDefaults().Validate(1), // once, not for each run
	)
	if err == nil {
		o.suite, err = corrupt.SuiteByName(o.evaluation.Suite)
	}
	if err = cmp.Or(err, o.checkUsed(given)); err != nil {
		return commandline.Usage(err)
	}
	if o.options.Save != "" {
		if err := checkOut("evaluate", "save", o.options.Save); err != nil {
			return err
		}
	}
	all, err := openSubjects(a, arguments, o.ensemble, o.evaluation)
	for _, run := range all.runs() {
		if run.Config().Data.Name == o.outside {
			err = cmp.Or(err, commandline.Usagef("nbbnn evaluate: run %s was trained on %s, which "+
				"isn't outside: name another data set with --outside", titleOf(run), o.outside))
		}
	}
	isLacking := func(s subject) bool {
		missing, _ := s.lacks(o)
		return missing > 0
	}
	if err == nil && slices.ContainsFunc(all, isLacking) {
		err = o.checkImages(ctx)
	}
	if err != nil {
		return err
	}
	o.several = len(arguments) > 1 && !o.ensemble
	return evaluateAll(ctx, a, all, o)
}

// checkUsed refuses flags that would be ignored.
func (o evaluateOrder) checkUsed(given *pflag.FlagSet) error {
	e := o.evaluation
	switch {
	case e.Latents != "" && given.Changed("samples") && e.Samples != 1:
		return fmt.Errorf("nbbnn evaluate: latents fixed at %q have one sample, not %d: leave "+
			"--samples or --latents out", e.Latents, e.Samples)
	case e.Textures != "" && !slices.Contains(o.suite.Corruptions, "frost"):
		return fmt.Errorf("nbbnn evaluate: --textures are frost's, which isn't in %s: leave the "+
			"flag out, or choose --suite all19 or --corruptions frost", e.Suite)
	}
	return nil
}

// checkImages refuses unknown names of images, and images that aren't installed.
func (o evaluateOrder) checkImages(ctx context.Context) error {
	_, textures := sources.Textures(o.evaluation.Textures)
	var corrupted error
	if name := o.evaluation.Corrupted; name != "" && !slices.Contains(sources.Names(), name) {
		_, corrupted = dataset.OpenCorrupted(name, "", nil)
	}
	sets := []string{sources.SetOf(o.evaluation.Test), o.outside}
	for _, name := range sets {
		textures = cmp.Or(textures, dataset.Config{Name: name}.Check())
	}
	if err := cmp.Or(textures, corrupted); err != nil {
		return commandline.Usage(err)
	}
	for _, name := range sets {
		if err := checkData(ctx, nbbnn.Config{Data: nbbnn.Data{Name: name}}); err != nil {
			return err
		}
	}
	return nil
}

// evaluateOrder holds the settings of a call of `nbbnn evaluate`, for each run.
type evaluateOrder struct {
	evaluation nbbnn.Evaluation
	options    nbbnn.EvaluateOptions
	suite      corrupt.Suite // of the evaluation
	ensemble   bool          // of all runs is tested
	clean      bool          // the part has the clean images
	// runs are asked for, so JSON is a list even if all but one are left out
	several bool
	// data set whose images are told from the runs' own; "" computes cells
	outside string
}

// saveOf returns the folder for the predictions of a subject, which is its own of several; "" saves
// none.
func (o evaluateOrder) saveOf(subject placed) string {
	if o.options.Save == "" || !o.several {
		return o.options.Save
	}
	return filepath.Join(o.options.Save, titleOf(subject))
}

// text describes the evaluation of runs: "8 corruptions x 5 levels + clean, 500 images, 16
// samples".
func (o *evaluateOrder) text(runs []*nbbnn.Run) string {
	filled, counts := o.evaluation.WithDefaults(), make([]int, len(runs))
	for i, run := range runs {
		counts[i] = run.FillEvaluation(o.evaluation).Samples
	}
	samples := quantity.Range(counts, "sample") // 1 for a network without latents
	switch {
	case o.outside != "":
		return fmt.Sprintf("%s of both sets, against %s, %s", quantity.CountOrAll(filled.Images,
			"image"), o.outside, samples)
	case filled.Part == nbbnn.TestPart:
		text := report.Test(o.suite, filled.Images, samples)
		if filled.Test != "" {
			text += ", of " + filled.Test
		}
		return text
	}
	images := quantity.CountOrAll(filled.Images, "image")
	if filled.Test != "" {
		images += " of " + filled.Test
	}
	return fmt.Sprintf("part %s, %s, %s", filled.Part, images, samples)
}
