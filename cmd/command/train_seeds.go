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

	"github.com/nbbnn/workbench/nbbnn"
)

// configs returns the configuration of each of --seeds, or without it the one that is given.
func (t *trainFlags) configs(config nbbnn.Config, given *pflag.FlagSet) (configs []nbbnn.Config, err error) {
	err = cmp.Or(
		checkParallel("train", t.parallel), goesWith(given, "train", "seeds", "parallel"), exclusive(given, "train", "seeds", "seed", "name"),
	)
	if err != nil || !given.Changed("seeds") {
		return []nbbnn.Config{config}, err
	}
	for _, text := range t.seeds.texts {
		if config.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, fmt.Errorf("nbbnn train: --seeds has %q: give whole numbers, as in 1..5 or 1,2,7", text)
		}
		if slices.Contains(configs, config) {
			return nil, fmt.Errorf("nbbnn train: --seeds has %s twice: leave one of them out", text)
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// trainSeeds trains a run of each configuration, some at a time, and prints their cards. flags are those
// of the command line, without the seeds.
func trainSeeds(ctx context.Context, a *app, order trainOrder, configs []nbbnn.Config, parallel int, flags []string) error {
	if err := a.checkLabel("", "", order.tags); err != nil {
		return err
	}
	runs, missing, err := openSeeds(a, order, configs)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		first := max(0, slices.IndexFunc(missing, func(run *nbbnn.Run) bool { return !isBegun(run) })) // what is wrong with one is wrong with all
		count := seedCount{len(missing), min(parallel, len(missing))}
		if err := announceTraining(ctx, a, missing[first], count, order.named); err != nil {
			return err
		}
	}
	all := processes{parallel: parallel, done: len(runs) - len(missing)}
	for _, run := range missing {
		seed := strconv.FormatUint(run.Config().Seed, 10)
		all.add("seed "+seed, filepath.Base(run.Directory()), append([]string{"train", "--seed", seed}, flags...)...)
	}
	if err = all.toEnd(ctx, a, "train", "run"); err == nil {
		err = reportCards(a, runs)
	}
	noteRunGuesses(a, runs...)
	return err
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
		if _, err := a.label(run.Directory(), "", order.tags, nil); err != nil {
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
