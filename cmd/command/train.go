package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
)

type trainFlags struct {
	start    startingPoint
	order    trainOrder
	seeds    valueList
	parallel int
	plan     bool
}

func trainCommand(a *app) *cobra.Command {
	var flags trainFlags
	command := &cobra.Command{
		Use:   "train",
		Short: "Train one network, or continue its training, and print its card",
		Long: `Train one network, test it on clean images and print its card. The run's directory is
named by the hash of its configuration, so the same flags find the same run: a trained run isn't
trained again, and a stopped run continues. An estimate of the time comes first; a training of
over an hour starts only if --network, --config or a --preset of the paper names it. --seeds trains
several runs, each in a separate process, one a core at a time; an interrupt saves all of them.`,
		Example: `  nbbnn train --preset allcnnc-shapes10 --seed 1
  nbbnn train --preset resnet18-cifar100 --gamma 80 --seed 3
  nbbnn train --preset resnet18-cifar100 --method map --seed 3
  nbbnn train --preset allcnnc-shapes10 --seeds 1..4
  nbbnn train --preset resnet18-cifar100 --plan
  nbbnn train --config runs/9f3c2a1b44d0/config.json --seed 2 --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.train(c.Context(), a, c.Flags())
		},
	}
	flags.add(command.Flags())
	return command
}

// add defines the flags.
func (t *trainFlags) add(f *pflag.FlagSet) {
	addStartFlags(f, &t.start)
	addConfigFlags(f, new(nbbnn.Config))
	t.seeds.of = f.Lookup("seed").Value
	f.Var(&t.seeds, "seeds", "train a run for each of these seeds (1..5 or 1,2,7), each in a "+
		"process of its own")
	f.IntVar(&t.parallel, "parallel", 0, "with --seeds, "+parallelHelp)
	addTrainOrderFlags(f, &t.order)
	f.Lookup("name").Usage += "; with --seeds, noisy names noisy-1, noisy-2, ..., one method in " +
		"\"nbbnn compare\""
	f.BoolVar(&t.plan, "plan", false, planHelp)
	f.IntVar(&t.order.options.KeepEvery, "keep-every", 0, "epochs from one checkpoint to the "+
		"next that stays; 0 means that none stays but the latest")
	setGroup(f, "Run", "plan", "seeds", "parallel", "keep-every")
}

// train trains a run, or one for each seed, or prints how long that takes.
func (t *trainFlags) train(ctx context.Context, a *app, given *pflag.FlagSet) error {
	config, err := readConfig(t.start, given)
	if err == nil {
		err = config.WithDefaults().Data.Images().Check()
	}
	var configs []nbbnn.Config
	if err == nil {
		configs, err = t.configs(config, given)
	}
	if err != nil {
		return commandline.Usage(err)
	}
	parallel := atOnce(t.parallel, len(configs), memoryOf(config))
	for _, config := range configs {
		name := t.order.name
		if given.Changed("seeds") {
			name = t.order.seedName(config)
		}
		if err := a.checkName(config.WithDefaults().RunName(), name); err != nil {
			return err
		}
	}
	if t.plan {
		return printEstimate(ctx, a, config, seedCount{len(configs), parallel})
	}
	t.order.config, t.order.named = config, slices.Contains(presets[1:], t.start.preset) ||
		given.Changed("config") || given.Changed("network")
	if given.Changed("seeds") {
		flags := repeated(given, func(flag string) bool {
			return !slices.Contains([]string{"seeds", "name", "parallel", "json", stopFlag}, flag)
		})
		return trainSeeds(ctx, a, t.order, configs, parallel, flags)
	}
	return trainRun(ctx, a, t.order)
}

const planHelp = "estimate the time and the memory of the training on this machine, as busy as " +
	"it is, from a few steps, and train nothing"

// addTrainOrderFlags adds the flags that every training has.
func addTrainOrderFlags(f *pflag.FlagSet, order *trainOrder) {
	f.BoolVar(&order.noTest, "no-test", false, "leave out the test on clean images after the "+
		"training, which takes seconds")
	addNameFlag(f, order)
	setGroup(f, "Run", "no-test", "name")
}

// addNameFlag adds the flag that every command has that makes a run.
func addNameFlag(f *pflag.FlagSet, order *trainOrder) {
	f.StringVar(&order.name, "name", "", "name by which every command finds the run")
}

// trainOrder holds the settings of a call of `nbbnn train`.
type trainOrder struct {
	config  nbbnn.Config
	options nbbnn.TrainOptions
	named   bool // the flags name what to train
	noTest  bool
	name    string // of the run; "" keeps the current one
}

// trainRun trains a run to its end, tests it on clean images and prints its card.
func trainRun(ctx context.Context, a *app, order trainOrder) error {
	if err := a.checkName(order.config.WithDefaults().RunName(), order.name); err != nil {
		return err
	}
	run, err := nbbnn.Open(a.runs, order.config)
	if err != nil {
		return err
	}
	if err := announceTraining(ctx, a, run, oneSeed, order.named); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "run      "+run.Directory())
	named := run.Recorded() // which can't be named
	name := func() (err error) {
		// a refused training leaves nothing, and the name of one that goes on elsewhere
		if !named && isThere(filepath.Join(run.Directory(), "config.json")) {
			err = a.label(run.Directory(), order.name)
			named = err == nil
		}
		return err
	}
	if !files.Held(lockOf(run.Directory())) {
		if err := name(); err != nil {
			return err
		}
	}
	label := "wrote"
	if run.Complete() {
		label = "card" // as it was
	}
	progress := newProgress(a.streams, "")
	report := progress.report(cmp.Or(order.name, titleOf(run)))
	order.options.Progress = func(u nbbnn.Update) {
		_ = name() // it's tried again at the end, where its error counts
		report(u)
	}
	err = run.TrainWith(ctx, order.options)
	progress.finish()
	if err == nil {
		err = name()
	}
	if err != nil {
		return err
	}
	noteUnsound(a, run)
	if !order.noTest {
		if err := testCleanly(ctx, a, run); err != nil {
			return err
		}
	}
	return reportCard(a, run, label)
}

// announceTraining prints what is used and, before a training begins, its duration for all seeds.
// It creates nothing, so nothing has to be removed if the data set is missing or the user quits.
func announceTraining(ctx context.Context, a *app, run *nbbnn.Run, seeds seedCount,
	named bool) error {
	config, begun := run.Config(), isBegun(run)
	if !begun {
		if err := checkData(ctx, config); err != nil {
			return err
		}
	}
	plan := "plan     " + subjectOf(config) + " · " + quantity.Count(config.Training.Epochs,
		"epoch") + seeds.text()
	// this process would keep memory of a GPU that another trains on
	if seeds.parallel > 0 && len(engine.GPUs()) > 0 {
		fmt.Fprintln(a.err, plan)
		return nil
	}
	opened, err := announceEngine(a)
	if err != nil || begun || config.Posthoc.FixedNoise {
		return err
	}
	if opened.IsDevice() { // there compiling the trial steps takes longer than they are worth
		fmt.Fprintln(a.err, plan)
		return nil
	}
	return announceEstimate(ctx, a, config, seeds, named)
}

// isBegun reports whether the training of a run has recorded something, or can't continue from its
// files.
func isBegun(run *nbbnn.Run) bool {
	state, err := run.State()
	return err != nil || state.Begun
}

// checkData refuses to begin on a data set that isn't there, before trial steps are taken. Nothing
// is read of one that is. The error wraps a *fs.PathError if the directory of data sets can't be
// read.
func checkData(ctx context.Context, config nbbnn.Config) error {
	name := config.WithDefaults().Data.Name
	if dataIsHere(name) {
		return nil
	}
	directory, err := sources.Directory("")
	if err != nil {
		return err
	}
	if _, err := os.Stat(directory); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nbbnn: the directory of data sets can't be read: %w", err)
	}
	// knows all versions of it, and how to get one
	_, err = dataset.Open(ctx, dataset.Config{Name: name})
	return err
}

// configs returns a configuration for each of --seeds, or without it the given one.
func (t *trainFlags) configs(config nbbnn.Config, given *pflag.FlagSet) (configs []nbbnn.Config,
	err error) {
	err = cmp.Or(
		goesWith(given, "train", "seeds", "parallel"),
		exclusive(given, "train", "seeds", "seed"),
	)
	if err != nil || !given.Changed("seeds") {
		return []nbbnn.Config{config}, err
	}
	for _, text := range t.seeds.texts {
		if config.Seed, err = strconv.ParseUint(text, 0, 64); err != nil {
			return nil, err
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// trainSeeds trains a run of each configuration, some at a time, and prints their cards. flags are
// the command line's, without the seeds.
func trainSeeds(ctx context.Context, a *app, order trainOrder, configs []nbbnn.Config, parallel int,
	flags []string) error {
	runs, missing, err := openSeeds(a, order, configs)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		// what is wrong with one is wrong with all
		first := max(0, slices.IndexFunc(missing, func(run *nbbnn.Run) bool {
			return !isBegun(run)
		}))
		count := seedCount{len(missing), min(parallel, len(missing))}
		if err := announceTraining(ctx, a, missing[first], count, order.named); err != nil {
			return err
		}
	}
	all := processes{parallel: parallel, done: len(runs) - len(missing)}
	for _, run := range missing {
		seed := strconv.FormatUint(run.Config().Seed, 10)
		arguments := []string{"train", "--seed", seed}
		if name := order.seedName(run.Config()); name != "" {
			arguments = append(arguments, "--name", name)
		}
		all.add("seed "+seed, nameOf(run), append(arguments, flags...)...)
	}
	if err = all.toEnd(ctx, a, "train", "run"); err == nil {
		err = reportCards(a, runs)
	}
	noteUnsound(a, runs...)
	return err
}

// seedName names the run of one of several seeds; "" if no name was given.
func (o trainOrder) seedName(config nbbnn.Config) string {
	if o.name == "" {
		return ""
	}
	return seedName(o.name, config.Seed)
}

// openSeeds opens the run of each configuration, and also returns the incomplete ones. The others
// get the name.
func openSeeds(a *app, order trainOrder, configs []nbbnn.Config) (runs, missing []*nbbnn.Run,
	err error) {
	for _, config := range configs {
		run, err := nbbnn.Open(a.runs, config)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, run)
		if !run.Complete() || !order.noTest && !isTested(run) {
			missing = append(missing, run)
			continue
		}
		if err := a.label(run.Directory(), order.seedName(config)); err != nil {
			return nil, nil, err
		}
	}
	return runs, missing, nil
}

// isTested reports whether a run has the test that follows a training.
func isTested(run *nbbnn.Run) bool {
	_, found, err := run.CleanTest(0)
	return err == nil && found
}

// reportCards prints the cards of several runs: as one JSON array, or one after the other.
func reportCards(a *app, runs []*nbbnn.Run) (err error) {
	if a.json {
		cards := make([]testedCard, len(runs))
		for i, run := range runs {
			if cards[i], err = testedCardOf(run); err != nil {
				return err
			}
		}
		return a.printJSON(cards)
	}
	for _, run := range runs {
		fmt.Fprintf(a.out, "run      %s   seed %d\n", titleOf(run), run.Config().Seed)
		if err := reportCard(a, run, "card"); err != nil {
			return err
		}
	}
	return nil
}

// repeated returns the given flags as arguments of another command line.
func repeated(given *pflag.FlagSet, wanted func(flag string) bool) (arguments []string) {
	given.Visit(func(f *pflag.Flag) {
		if !wanted(f.Name) {
			return
		}
		text := f.Value.String()
		if list, is := f.Value.(pflag.SliceValue); is {
			text = strings.Join(list.GetSlice(), ",")
		}
		arguments = append(arguments, "--"+f.Name+"="+text)
	})
	return arguments
}
