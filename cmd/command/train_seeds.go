package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// seedFlags are the flags of a training with several seeds.
type seedFlags struct {
	seeds    valueList
	parallel int
}

// add defines the flags.
func (s *seedFlags) add(f *pflag.FlagSet) {
	s.seeds.kind = "uint64"
	f.Var(&s.seeds, "seeds", "train a run for each of these seeds, such as 1..5 or 1,2,7, each in a process of its own")
	f.IntVar(&s.parallel, "parallel", 1, "with --seeds, "+parallelHelp)
}

// several reports whether a run is asked for each of several seeds. An error names flags that don't
// go together.
func (s *seedFlags) several(given *pflag.FlagSet) (bool, error) {
	return given.Changed("seeds"), cmp.Or(
		checkParallel("train", s.parallel), goesWith(given, "train", "seeds", "parallel"), exclusive(given, "train", "seeds", "seed", "name"),
	)
}

// configs returns the configuration of each seed.
func (s *seedFlags) configs(config nbbnn.Config) (configs []nbbnn.Config, err error) {
	for _, text := range s.seeds.texts {
		if config.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, fmt.Errorf("nbbnn train: --seeds has %q: give whole numbers, as in 1..5 or 1,2,7", text)
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// trainSeeds trains a run for each seed, some at a time, and prints their cards. flags are those of
// the command line, without the seeds.
func trainSeeds(ctx context.Context, a *app, order trainOrder, seeds seedFlags, flags []string) error {
	configs, err := seeds.configs(order.config)
	if err != nil {
		return commandline.Usage(err)
	}
	if err := a.checkLabel("", "", order.tags); err != nil {
		return err
	}
	runs, missing, err := openSeeds(a, order, configs)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		first := max(0, slices.IndexFunc(missing, func(run *nbbnn.Run) bool { return !isBegun(run) })) // what is wrong with one is wrong with all
		count := seedCount{len(missing), min(seeds.parallel, len(missing))}
		if err := announceTraining(ctx, a, missing[first], count, order.named); err != nil {
			return err
		}
	}
	all := processes{parallel: seeds.parallel, done: len(runs) - len(missing)}
	for _, run := range missing {
		seed := strconv.FormatUint(run.Config().Seed, 10)
		all.add("seed "+seed, filepath.Base(run.Directory()), append([]string{"train", "--seed", seed}, flags...)...)
	}
	if err := all.toEnd(ctx, a, "train", "run"); err != nil {
		return err
	}
	return reportCards(a, runs)
}

// openSeeds opens the run of each configuration, and returns those in which something is missing
// too. The others get the tags.
func openSeeds(a *app, order trainOrder, configs []nbbnn.Config) (runs, missing []*nbbnn.Run, err error) {
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
		if err := a.label(run.Directory(), "", order.tags); err != nil {
			return nil, nil, err
		}
	}
	return runs, missing, nil
}

// isTested reports whether a run has the test that follows a training.
func isTested(run *nbbnn.Run) bool {
	_, found, err := run.CleanTest()
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
		fmt.Fprintf(a.out, "run      seed %d   %s\n", run.Config().Seed, run.Directory())
		if err := reportCard(a, run, "card"); err != nil {
			return err
		}
	}
	return nil
}

// ofOneSeed reports whether the training of one of several seeds has a flag.
func ofOneSeed(flag string) bool {
	return !slices.Contains([]string{"seeds", "parallel", "json", stopFlag}, flag)
}

// repeated returns those flags that were given, as arguments of another command line.
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
