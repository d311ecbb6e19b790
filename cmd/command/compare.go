package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/nbbnn/sweep"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

// compareOrder holds the settings of a call of `nbbnn compare`.
type compareOrder struct {
	evaluation nbbnn.Evaluation
	as         string // suite
	out        string // directory of pictures and tables; "" for none
	formats    []string
	labels     []string        // RUN=TEXT
	colours    []string        // RUN=#rrggbb
	cards      bool            // what the runs recorded is copied next to the tables
	keepOrder  bool            // methods stay in the order of the runs
	baseline   string          // method from which a picture shows the differences; "" for none
	given      []givenEnsemble // that are compared, too
	metrics    []string        // to be shown; none means the usual ones
	each       bool            // every evaluation that the runs have is shown
	tidy       bool            // all results are written as one table instead
	where      []string        // conditions on the runs
	manifest   string          // of a sweep whose points are compared; "" for none
	outside    string          // data set whose images are told from the runs' own; "" compares cells
}

func compareCommand(a *app) *cobra.Command {
	var order compareOrder
	command := &cobra.Command{
		Use:   "compare [RUN...]",
		Short: "Compare evaluated runs: mean and standard deviation over the seeds of each method, or every number",
		Long: "Compare evaluated runs, those of each data set by themselves; nothing is computed. RUN may be an ensemble of runs that are\n" +
			"compared, too, as in runs/*; without names all of --runs are compared. Runs that differ in their seed alone are one method,\n" +
			"and the methods are in the order of what differs. Without --suite the evaluation is the one that leaves out the fewest runs.\n" +
			"--out writes pictures and tables, --cards what the runs recorded, so that the folder can be kept as evidence. docs/using.md\n" +
			"has the rules.",
		Example: "  nbbnn compare\n  nbbnn compare 9f3c 41ab 77d0\n  nbbnn compare runs/* --suite all19 --samples 32 --as main15 --out out --format png,pdf\n" +
			"  nbbnn compare 9f3c 41ab --label 9f3c=\"ours\" --label 41ab=MAP --colour 9f3c=#7b3fa0 --out out\n" +
			"  nbbnn compare runs/* --metrics AUGRC,SmoothECE,Coverage,SetSize\n" +
			"  nbbnn compare runs/* --outside cifar100\n" +
			"  nbbnn compare runs/* docs/results/demo/cards/*.json\n" +
			"  nbbnn compare --tidy --where 'gamma>0' --metrics nll,error --out cells.csv",
		RunE: func(c *cobra.Command, args []string) (err error) {
			if order.manifest != "" {
				if args, err = order.points(a, args); err != nil {
					return err
				}
			}
			if order.tidy {
				return compareTidy(a, c.Flags(), args, order)
			}
			return order.compare(a, c.Flags(), args)
		},
	}
	addCompareFlags(command.Flags(), &order)
	return command
}

// compare compares the runs that arguments name, those of each data set by themselves.
func (o compareOrder) compare(a *app, given *pflag.FlagSet, arguments []string) error {
	if err := o.check(given); err != nil {
		return commandline.Usage(err)
	}
	if o.out != "" {
		if err := checkOut("compare", o.out); err != nil {
			return err
		}
	}
	if rest, given := ensemblesAmong(arguments); len(rest) > 0 { // alone, an ensemble is refused as a run
		arguments, o.given = rest, given
	} else if len(arguments) == 0 {
		_, o.given = ensemblesAmong(ensemblesIn(a.runs))
	}
	runs, err := o.runs(a, arguments)
	if err != nil {
		return err
	}
	noteRunGuesses(a, runs...)
	all, compared := []any{}, false
	sets := dataSetsOf(runs)
	for _, set := range sets {
		if len(sets) > 1 && !a.json {
			fmt.Fprintf(a.out, "data     %s\n\n", set.name)
		}
		methods, setError := o.of(set, runs, len(sets) > 1).compareSet(a, set.runs)
		if setError != nil && (len(sets) == 1 || commandline.IsUsage(setError) || haveTests(set.runs)) {
			return setError
		}
		if setError != nil {
			leaveOut(a, set.name+": "+describe(setError))
			err = setError
			continue
		}
		all, compared = append(all, methods...), true
	}
	if !compared {
		return err
	}
	if a.json {
		return a.printJSON(all)
	}
	return nil
}

// points returns the directories of the points of the manifest, in place of no arguments. Points that
// aren't begun are left out with a note.
func (o compareOrder) points(a *app, arguments []string) (directories []string, err error) {
	if len(arguments) > 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn compare: run %s and --manifest exclude each other: leave one of the two out", arguments[0]))
	}
	manifest, err := sweep.Read(o.manifest)
	if err != nil {
		return nil, err
	}
	for i := range manifest.Points {
		if directory := filepath.Join(a.runs, manifest.RunName(i)); holdsRun(directory) {
			directories = append(directories, directory)
		}
	}
	if left := len(manifest.Points) - len(directories); left > 0 {
		leaveOut(a, fmt.Sprintf("%d of %s, not begun", left, quantity.Count(len(manifest.Points), "point")))
	}
	if len(directories) == 0 {
		return nil, errNoneLeft("compare")
	}
	return directories, nil
}

// haveTests reports whether every run has an evaluation on its card.
func haveTests(runs []*nbbnn.Run) bool {
	return !slices.ContainsFunc(runs, func(run *nbbnn.Run) bool {
		card, err := run.Card()
		return err == nil && len(card.Evaluations()) == 0
	})
}

// dataRuns are the runs on one data set.
type dataRuns struct {
	name string
	runs []*nbbnn.Run
}

// has reports whether a run is among them, by its name or the beginning of that of its directory.
func (d dataRuns) has(name string) bool {
	return slices.ContainsFunc(d.runs, func(run *nbbnn.Run) bool { return isCalled(run.Directory(), name) })
}

// dataSetsOf groups runs by their data sets, in the order of the first runs.
func dataSetsOf(runs []*nbbnn.Run) (sets []dataRuns) {
	for _, run := range runs {
		name := run.Config().Data.Name
		at := slices.IndexFunc(sets, func(d dataRuns) bool { return d.name == name })
		if at < 0 {
			at, sets = len(sets), append(sets, dataRuns{name: name})
		}
		sets[at].runs = append(sets[at].runs, run)
	}
	return sets
}

// of returns the order for the runs of one data set among all: without the labels, colours and
// ensembles of the others and, if there are several sets, with a folder for each.
func (o compareOrder) of(set dataRuns, runs []*nbbnn.Run, several bool) compareOrder {
	all := dataRuns{runs: runs}
	isOther := func(name string) bool { return all.has(name) && !set.has(name) }
	ofOther := func(value string) bool {
		run, _, _ := strings.Cut(value, "=")
		return isOther(filepath.Base(run))
	}
	o.labels = slices.DeleteFunc(slices.Clone(o.labels), ofOther)
	o.colours = slices.DeleteFunc(slices.Clone(o.colours), ofOther)
	o.given = slices.DeleteFunc(slices.Clone(o.given), func(g givenEnsemble) bool { return slices.ContainsFunc(g.members, isOther) })
	if several && o.out != "" {
		o.out = filepath.Join(o.out, set.name)
	}
	return o
}

// compareSet prints a comparison of the runs of one data set, or returns its methods for JSON.
func (o compareOrder) compareSet(a *app, runs []*nbbnn.Run) ([]any, error) {
	switch {
	case o.outside != "":
		return compareOutside(a, runs, o)
	case o.each:
		return o.compareEach(a, runs)
	}
	suite := o.evaluation.Suite
	chosen := o.evaluation == nbbnn.Evaluation{Suite: suite}
	if chosen {
		usual, err := nbbnn.UsualEvaluation(runs, suite)
		if err != nil && suite == "" {
			return nil, err
		} else if err == nil {
			o.evaluation = usual
		}
	}
	runs, err := evaluatedRuns(a, runs, o.evaluation)
	if err != nil {
		return nil, err
	}
	evaluations, _, err := nbbnn.EvaluationsOf(runs)
	evaluations = slices.DeleteFunc(evaluations, func(e nbbnn.Evaluation) bool { return suite != "" && e.Suite != suite })
	if chosen && err == nil && len(evaluations) > 1 {
		fmt.Fprintf(a.err, "note     the latest evaluation of the most runs is shown, of %d: --evaluations shows all, --suite, --samples and --images choose\n", len(evaluations))
	}
	return o.compareRuns(a, runs)
}

// check refuses formats and metrics that are unknown, and flags that don't go together.
func (o compareOrder) check(given *pflag.FlagSet) error {
	err := cmp.Or(
		viz.CheckFormats(o.formats...), checkMetrics(o.metrics),
		exclusive(given, "compare", "outside", "suite", "corruptions", "as", "metrics", "cards", "format", "colour", "baseline", "evaluations"),
		exclusive(given, "compare", "evaluations", "suite", "corruptions", "samples", "images", "evaluation-seed", "out"),
		goesWith(given, "compare", "out", "format", "cards", "colour"),
	)
	if err == nil && o.evaluation.Suite != "" {
		err = o.evaluation.WithDefaults().Validate(1)
	} else if err == nil && o.outside == "" {
		err = goesWith(given, "compare", "suite", "samples", "images", "evaluation-seed")
	}
	return err
}

func addCompareFlags(f *pflag.FlagSet, order *compareOrder) {
	evaluation := &order.evaluation
	addSuiteFlags(f, &evaluation.Suite, "", `suite that the runs were evaluated on; "" means the evaluation that leaves out the fewest runs`)
	f.IntVar(&evaluation.Samples, "samples", 0, "with --suite, samples of the evaluation; without these three flags it's the one on the suite that leaves out the fewest runs")
	f.IntVar(&evaluation.Images, "images", 0, "with --suite, test images of the evaluation; 0 means all")
	f.Uint64Var(&evaluation.Seed, "evaluation-seed", 0, "with --suite, seed of the evaluation")
	f.StringVar(&order.as, "as", "", "smaller suite to compare on, such as main15; \"\" means the one that the runs were evaluated on")
	f.BoolVar(&order.each, "evaluations", false, "show every evaluation that the runs have, side by side")
	f.StringVar(&order.out, "out", "", `directory for pictures of the comparison and its tables, or with --tidy the file of the table; "" means none, or standard output`)
	f.BoolVar(&order.tidy, "tidy", false, "write all results of the runs as one CSV for pandas or R with a value a row")
	f.StringArrayVar(&order.where, "where", nil, "compare only runs with a value, as in \"nbbnn runs\", such as 'gamma>0'; repeat it for more conditions")
	f.StringVar(&order.manifest, "manifest", "", "compare the points of this manifest, as \"nbbnn sweep plan\" writes it, and no other runs of --runs")
	f.BoolVar(&order.cards, "cards", false, "copy the card, the epochs, the cells and their bins of every run into --out, too")
	f.StringSliceVar(&order.formats, "format", []string{"png"}, "formats of the pictures: png, pdf, svg")
	f.StringArrayVar(&order.labels, "label", nil, "RUN=TEXT names the method of a run in tables and pictures; repeat it for others")
	f.StringArrayVar(&order.colours, "colour", nil, "RUN=#rrggbb colours the method of a run in the pictures of --out; repeat it for others")
	f.StringVar(&order.baseline, "baseline", "", "method, as the tables name it, from which the differences of all are shown within seeds, with a further picture in --out")
	f.BoolVar(&order.keepOrder, "keep-order", false, "leave the methods in the order of the runs")
	f.StringSliceVar(&order.metrics, "metrics", nil, "metrics to show, separated by commas, such as AUGRC,Coverage (docs/using.md); none shows NLL, error and ECE, which the tables of --out have, too, and with --tidy all")
	f.StringVar(&order.outside, "outside", "", `data set of "nbbnn evaluate --outside": compares how well its images are told from the runs' own, with tables in --out; --samples and --images choose the test`)
}

// compareRuns takes the runs of each method together, writes pictures and tables if there is a
// directory for them, and prints them.
func (o compareOrder) compareRuns(a *app, runs []*nbbnn.Run) ([]any, error) {
	places := placesOf(runs)
	compared, err := o.methods(a, runs, places)
	if err != nil {
		return nil, err
	}
	if len(o.metrics) == 0 || slices.Contains(o.metrics, "ScaledNLL") {
		noteTemperatures(a, compared, runs, o.evaluation)
	}
	tables, err := compared.Tables()
	if err != nil {
		return nil, err
	}
	files, err := o.save(a, compared, runs, places)
	if err != nil {
		return nil, err
	}
	if a.json {
		return comparedMethods(compared, tables, o.metrics)
	}
	metrics := o.metrics
	if len(metrics) == 0 {
		metrics = report.Metrics(compared)
	}
	return nil, printComparison(a, compared, tables, metrics, files)
}

// compareEach prints every evaluation that runs have, each run once in those that are one for it, or
// returns the methods for JSON.
func (o compareOrder) compareEach(a *app, runs []*nbbnn.Run) (all []any, err error) {
	evaluations, of, err := nbbnn.EvaluationsOf(runs)
	if err == nil && len(evaluations) == 0 {
		err = errNoneLeft("compare")
	}
	if err != nil {
		return nil, err
	}
	var parts []score.Comparison
	var flags [][]string
	for _, evaluation := range evaluations {
		o.evaluation = evaluation
		part := o.of(dataRuns{runs: of[evaluation]}, runs, false)
		compared, err := part.methods(a, of[evaluation], placesOf(of[evaluation]))
		if err != nil {
			return nil, err
		}
		parts, flags = append(parts, compared), append(flags, evaluationFlags(evaluation))
	}
	for i, compared := range parts {
		for k := range compared.Methods {
			compared.Methods[k].Name += ", " + strings.Join(onlyIn(i, flags), " ")
		}
		tables, err := compared.Tables()
		if err != nil {
			return nil, err
		}
		methods, err := comparedMethods(compared, tables, o.metrics)
		if err != nil {
			return nil, err
		}
		all = append(all, methods...)
	}
	if a.json {
		return all, nil
	}
	return nil, printEvaluations(a, parts, o.metrics)
}

// onlyIn returns the words of a list that aren't in all lists; without any, those of the list.
func onlyIn(i int, lists [][]string) (words []string) {
	for _, word := range lists[i] {
		if slices.ContainsFunc(lists, func(other []string) bool { return !slices.Contains(other, word) }) {
			words = append(words, word)
		}
	}
	if words == nil {
		return lists[i]
	}
	return words
}

// methods returns the methods of runs in the order and with the names and colours that are asked
// for. It adds the directories of the ensembles among them to places.
func (o compareOrder) methods(a *app, runs []*nbbnn.Run, places comparedPlaces) (score.Comparison, error) {
	compared, err := nbbnn.Compare(runs, o.evaluation, o.as)
	if err != nil {
		return compared, err
	}
	if !o.keepOrder {
		compared = compared.Ordered()
	}
	if err := nameMethods(compared, places, o); err != nil {
		return compared, commandline.Usage(err)
	}
	if err := colourMethods(compared, places, o.colours); err != nil {
		return compared, commandline.Usage(err)
	}
	if len(o.given) > 0 {
		compared, err = o.withEnsembles(a, compared, runs, places)
	}
	noteWithoutBins(a, compared)
	if compared.Baseline = o.baseline; err == nil && o.baseline != "" {
		if _, err := compared.Method(o.baseline); err != nil {
			return compared, commandline.Usage(fmt.Errorf("nbbnn compare: --baseline: %w", err))
		}
	}
	return compared, err
}

// save writes pictures, tables and cards if there is a directory for them, and returns their paths.
func (o compareOrder) save(a *app, compared score.Comparison, runs []*nbbnn.Run, places comparedPlaces) (files []string, err error) {
	if o.out == "" {
		return nil, nil
	}
	if o.cards { // first, because they may be refused
		folder := filepath.Join(o.out, "cards")
		if err := report.SaveRecords(compared, func(name string) string { return places[name] }, folder); err != nil {
			return nil, err
		}
		files = append(files, folder)
	}
	drawn, err := report.Save(compared, o.out, o.metrics, o.formats...)
	if err != nil {
		return nil, err
	}
	tidy := filepath.Join(o.out, "tidy.csv")
	if _, err := saveTidy(a, tidy, readList(a, directoriesOf(runs)), nil); err != nil {
		return nil, err
	}
	return append(append(drawn, tidy), files...), nil
}
