package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareOrder holds the settings of a call of `nbbnn compare`.
type compareOrder struct {
	evaluation nbbnn.Evaluation
	as         string // suite
	data       string // data set that is compared, if there are several
	out        string // directory of pictures and tables, or file of a tidy table; "" for none
	formats    []string
	labels     []string        // RUN=TEXT
	colours    []string        // RUN=#rrggbb
	cards      bool            // copies the runs' records next to the tables
	baseline   string          // method from which a picture shows the differences; "" for none
	given      []givenEnsemble // that are compared, too
	metrics    []string        // to be shown; none means the usual ones
	each       bool            // every evaluation that the runs have is shown
	tidy       bool            // all results are written as one table instead
	where      []string        // conditions on the runs
	manifests  []string        // of sweeps whose points are compared
	// further data sets of the same classes, whose test images are compared with the runs' own
	tests []string
	clean bool // only tests on clean images are compared
}

func compareCommand(a *app) *cobra.Command {
	var order compareOrder
	command := &cobra.Command{
		Use: "compare [RUN...]",
		Short: "Compare evaluated runs: mean and standard deviation over the seeds of each " +
			"method, or every number",
		Long: `Compare evaluated runs, each data set by itself; nothing is computed. RUN may be an
ensemble of runs that are compared, too, as in runs/*; without names all of --runs are compared.
Runs that differ in their seed alone are one method, and the methods are in the order of what
differs. Without --suite the evaluation is the one that leaves out the fewest runs. --out writes
pictures and tables, --cards what the runs recorded, so that the folder can be kept as evidence.
docs/using.md has the rules.`,
		Example: `  nbbnn compare
  nbbnn compare 9f3c 41ab 77d0
  nbbnn compare runs/* --suite all19 --samples 32 --as main15 --out out --format png,pdf
  nbbnn compare 9f3c 41ab --label 9f3c="ours" --label 41ab=MAP --colour 9f3c=#7b3fa0 --out out
  nbbnn compare runs/* --metrics AUGRC,SmoothECE,Coverage,SetSize
  nbbnn compare runs/* --test cifar10.1 --baseline MAP
  nbbnn compare runs/* docs/results/demo/cards/*
  nbbnn compare --tidy --where 'gamma>0' --metrics nll,error --out cells.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			return order.compare(a, c.Flags(), withSeeds(a, args))
		},
	}
	addCompareFlags(command.Flags(), &order)
	setGroup(command.Flags(), "More", "as")
	return command
}

// compare compares the runs that arguments name, each data set by itself.
func (o compareOrder) compare(a *app, given *pflag.FlagSet, arguments []string) (err error) {
	if err := o.check(given, arguments); err != nil {
		return commandline.Usage(err)
	}
	if o.out != "" && o.tidy {
		err = checkOutFile(ours, "compare", o.out, ".csv")
	} else if o.out != "" {
		err = checkOut("compare", "out", o.out)
	}
	if err != nil {
		return err
	}
	if len(o.manifests) > 0 {
		if arguments, err = o.points(a); err != nil {
			return err
		}
	}
	// alone, an ensemble is refused as a run
	if rest, given := ensemblesAmong(a, arguments); len(rest) > 0 {
		arguments, o.given = rest, given
	} else if len(arguments) == 0 {
		_, o.given = ensemblesAmong(a, ensemblesIn(a.runs))
	}
	runs, err := o.runs(a, arguments)
	o.join(runs)
	if len(o.where) > 0 { // an ensemble of other runs isn't missed
		places := placesOf(runs)
		o.given = slices.DeleteFunc(o.given, func(g givenEnsemble) bool {
			return places[g.members[0]] == ""
		})
	}
	switch {
	case err != nil:
		return err
	case o.tidy:
		return compareTidy(a, runs, o.out, o.metrics)
	}
	return o.compareSets(a, runs)
}

// resultFiles match the files of a comparison in its folder.
var resultFiles = strings.Fields("baseline.* cells-*.* clean.* difference.* differences.* " +
	"dots.* levels.* metrics.* passes.* reliability.* risk-coverage.* summary.* tables.* tests.* " +
	"tidy.csv versus.*")

// check refuses formats and metrics that are unknown, and what doesn't go together.
func (o compareOrder) check(given *pflag.FlagSet, arguments []string) error {
	err := cmp.Or(
		exclusive(given, "compare", "tidy", "suite corruptions samples images "+
			"evaluation-seed as evaluations cards format label colour baseline test json"),
		exclusive(given, "compare", "test", "evaluations as cards format colour"),
		check.Formats(o.formats...),
		exclusive(given, "compare", "evaluations",
			"suite corruptions samples images evaluation-seed out"),
		goesWith(given, "compare", "out", "format cards colour"),
	)
	switch {
	case err != nil:
		return err
	case len(o.manifests) > 0 && len(arguments) > 0:
		return fmt.Errorf("nbbnn compare: run %s and --manifest exclude each other: leave one out",
			arguments[0])
	case o.tidy:
		return nil
	}
	for _, name := range o.tests {
		if err := (dataset.Config{Name: sources.SetOf(name)}).Check(); err != nil {
			return err
		}
	}
	for _, name := range o.metrics {
		if _, err := score.MetricByName(name); err != nil {
			return err
		}
	}
	if o.as != "" {
		if _, err := corrupt.SuiteByName(o.as); err != nil {
			return err
		}
	}
	if o.evaluation.Suite == score.Clean {
		for _, name := range strings.Fields("test samples evaluation-seed as evaluations format " +
			"colour") {
			if given.Changed(name) {
				return fmt.Errorf("nbbnn compare: --suite clean takes no --%s: leave it out", name)
			}
		}
		return nil
	} else if o.evaluation.Suite != "" {
		return o.evaluation.WithDefaults().Validate(1)
	} else if o.tests == nil {
		return goesWith(given, "compare", "suite", "samples images evaluation-seed")
	}
	return nil
}

func addCompareFlags(f *pflag.FlagSet, order *compareOrder) {
	evaluation := &order.evaluation
	addSuiteFlags(f, &evaluation.Suite, "",
		`suite that the runs were evaluated on, or clean for the tests on clean images; "" means the evaluation that leaves out the fewest runs`)
	f.IntVar(&evaluation.Samples, "samples", 0, "with --suite or --test, samples of the "+
		"evaluation; without these three flags it's the one on the suite that leaves out "+
		"the fewest runs")
	f.IntVar(&evaluation.Images, "images", 0, "with --suite or --test, its test images; if "+
		"left out, all, or for clean or --test the number that most runs were tested on")
	f.Uint64Var(&evaluation.Seed, "evaluation-seed", 0, "with --suite, seed of the evaluation")
	f.StringVar(&order.as, "as", "", "smaller suite to compare on, for example main15; \"\" "+
		"means the one that the runs were evaluated on")
	f.BoolVar(&order.each, "evaluations", false, "show a table of every evaluation of the runs")
	f.StringVar(&order.out, "out", "",
		`directory for pictures of the comparison and its tables, or with --tidy the file of the table; "" means none, or standard output`)
	f.BoolVar(&order.tidy, "tidy", false, "write all results of the runs as one CSV for pandas "+
		"or R with a value a row")
	f.StringArrayVar(&order.where, "where", nil, "compare only runs with a value, as in \"nbbnn "+
		"runs\", for example 'gamma>0'; repeat it for more conditions")
	f.StringArrayVar(&order.manifests, "manifest", nil, "compare the points of this manifest, as "+
		"\"nbbnn sweep plan\" writes it, and no other runs of --runs; several add up")
	f.BoolVar(&order.cards, "cards", false, "keep the record of every run in --out, too: its "+
		"card, epochs, cells and their bins")
	f.StringSliceVar(&order.formats, "format", []string{"png"},
		"formats of the pictures: png, pdf, svg")
	f.StringArrayVar(&order.labels, "label", nil, "RUN=TEXT names the method of a run in tables "+
		"and pictures, 'sgd*=TEXT' the methods of all runs with such names; repeat it for others")
	f.StringArrayVar(&order.colours, "colour", nil, "RUN=#rrggbb colours the method of a run, as "+
		"--label names it, in the pictures of --out; repeat it for others")
	f.StringVar(&order.baseline, "baseline", "", "method, as the tables name it, from which the "+
		"differences of all are shown within seeds, with a further picture in --out")
	f.StringSliceVar(&order.metrics, "metrics", nil, "metrics to show, separated by commas, for "+
		"example AUGRC,Coverage (docs/using.md); none shows NLL, error and ECE, which the tables "+
		"of --out have, too, and with --tidy all")
	f.StringSliceVar(&order.tests, "test", nil,
		`data sets of "nbbnn evaluate --test", separated by commas: compares what the runs score on their test images and on the runs' own, within seeds`)
}

// compareRuns takes the runs of each method together, writes pictures and tables if there is a
// directory for them, and prints them, or returns the methods for JSON.
func (o compareOrder) compareRuns(a *app, runs []*nbbnn.Run) ([]comparedMethod, error) {
	compared, runs, err := o.compared(a, runs)
	if err != nil {
		return nil, err
	}
	places := placesOf(runs)
	if compared, err = o.methods(a, compared, runs, places); err != nil {
		return nil, err
	}
	noteEngines(a, runs)
	noteImages(a, runs)
	markGuesses(compared, runs)
	methods, err := o.results(compared)
	if err != nil {
		return nil, err
	}
	files, err := o.save(a, compared, runs, places)
	if err != nil || a.json {
		return methods, err
	}
	return nil, o.print(a, compared, methods, files)
}

// placesOf returns the directories of runs by name; callers add ensembles.
func placesOf(runs []*nbbnn.Run) map[string]string {
	places := map[string]string{}
	for _, run := range runs {
		places[nameOf(run)] = run.Directory()
	}
	return places
}

// compared compares runs. After an error it leaves out the runs that lack the test.
func (o compareOrder) compared(a *app, runs []*nbbnn.Run) (compared score.Comparison,
	tested []*nbbnn.Run, err error) {
	compare := func(runs []*nbbnn.Run) (score.Comparison, error) {
		suite := o.as
		if o.clean {
			suite = score.Clean
		}
		return nbbnn.Compare(runs, o.evaluation, suite)
	}
	if compared, err = compare(runs); err == nil {
		return compared, runs, nil
	}
	if o.clean {
		tested, err = cleanRuns(a, runs, o.evaluation)
	} else {
		tested, err = evaluatedRuns(a, runs, o.evaluation)
	}
	if err == nil {
		compared, err = compare(tested)
	}
	return compared, tested, err
}

// methods gives the methods of a comparison the order, the names and the colours that are asked
// for, and adds the ensembles among them, whose directories it adds to places.
func (o compareOrder) methods(
	a *app, compared score.Comparison, runs []*nbbnn.Run, places map[string]string,
) (_ score.Comparison, err error) {
	if compared, err = o.nameMethods(report.Ordered(compared), places); err != nil {
		return compared, commandline.Usage(err)
	}
	noteFiles(a, compared.Methods, places)
	if o.clean {
		for _, given := range o.given {
			leaveOut(a, given.directory+", an ensemble: ensembles are compared on corrupted images")
		}
	} else {
		noteTemperatures(a, compared, runs, o)
		if compared, err = o.withEnsembles(a, compared, runs, places); err != nil {
			return compared, err
		}
	}
	noteWithoutBins(a, compared)
	return o.withBaseline(compared)
}

// errNoBaseline means that the baseline isn't compared.
var errNoBaseline = errors.New("--baseline")

// withBaseline adds the baseline that is asked for.
func (o compareOrder) withBaseline(c score.Comparison) (score.Comparison, error) {
	if o.baseline == "" {
		return c, nil
	}
	baseline, err := c.Method(o.baseline)
	if err != nil {
		err = commandline.Usagef("nbbnn compare: %w: %s", errNoBaseline,
			strings.TrimPrefix(err.Error(), "score: "))
	}
	c.Baseline = baseline.Name
	return c, err
}

// save writes pictures, tables and cards if there is a directory for them, and returns their paths.
func (o compareOrder) save(a *app, compared score.Comparison, runs []*nbbnn.Run,
	places map[string]string) (files []string, err error) {
	if o.out == "" {
		return nil, nil
	}
	if o.cards { // first, because they may be refused
		for _, run := range runs { // a record of damaged epochs would be no evidence
			if _, err := run.History(); err != nil && hasFile(run.Directory(), "train.jsonl") {
				return nil, err
			}
		}
		folder := filepath.Join(o.out, "cards")
		if err := report.SaveRecords(compared, func(name string) string {
			return places[name]
		}, folder); err != nil {
			return nil, err
		}
		files = append(files, folder)
	}
	if o.clean {
		tables, err := report.SaveClean(compared, o.out, o.metrics...)
		return append(tables, files...), err
	}
	drawn, err := report.Save(compared, o.out, o.metrics, o.formats...)
	if err != nil {
		return nil, err
	}
	tidy := filepath.Join(o.out, "tidy.csv")
	named := map[string]string{}
	for _, method := range compared.Methods {
		for _, run := range method.Runs {
			named[run] = method.Name
		}
	}
	_, _, err = saveTidy(a, tidy, runs, named, nil)
	files = append(append(drawn, tidy), files...)
	noteOthers(a, o.out, files)
	return files, err
}

// noteOthers names a folder's other files, not just written, for example an earlier call's results
// with other methods.
func noteOthers(a *app, folder string, written []string) {
	var others []string
	entries, _ := os.ReadDir(folder) // it was just written
	for _, entry := range entries {
		if !slices.Contains(written, filepath.Join(folder, entry.Name())) {
			others = append(others, entry.Name())
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(a.err, "note     %s has more, not written now: %s\n", folder,
			quantity.Printable(quantity.List(others, mostNamed)))
	}
}
