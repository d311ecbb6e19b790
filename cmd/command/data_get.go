package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/cmd/fetch"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
)

func dataGetCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "get NAME...",
		Short: "Download data sets, check and unpack them",
		Long: "Download data sets from where their authors publish them, compare them with the " +
			"published checksums and unpack them. An\n" +
			"interrupted download continues where it stopped. Without a network, the error says " +
			"what to download elsewhere and where to put\n" +
			"it; the same command then checks and unpacks that. `nbbnn data list` shows the names.",
		Example: `  nbbnn data get cifar10
  nbbnn data get tinyimagenet-c tinyimagenet-c-extra`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return commandline.Usagef("nbbnn data get: no data set is named: choose %s",
				strings.Join(sources.Names(), ", "))
		},
		RunE: func(c *cobra.Command, args []string) error {
			wanted := make([]sources.Source, len(args))
			for i, name := range args {
				var err error
				if wanted[i], err = sources.ByName(name); err != nil {
					return commandline.Usage(err)
				}
			}
			return dataGet(c.Context(), a, wanted)
		},
	}
}

func dataGet(ctx context.Context, a *app, wanted []sources.Source) error {
	directory, err := sources.Directory("")
	if err != nil {
		return err
	}
	var entries []dataEntry
	for _, source := range wanted {
		if err := getSource(ctx, a, source, directory); err != nil {
			return err
		}
		entries = append(entries, newDataEntry(source, directory))
	}
	return a.print(entries, "")
}

// getSource downloads one data set and prints its place.
func getSource(ctx context.Context, a *app, source sources.Source, directory string) error {
	meter := newProgress(a.streams, "")
	err := fetch.Get(ctx, source, directory, meter.files)
	meter.finish()
	if err != nil {
		return withCure(err)
	}
	if folder, _ := source.Find(directory); !a.json {
		fmt.Fprintf(a.out, "%-21s %s  %s\n", source.Name, a.paintOut(green, "ready"), folder)
	}
	if source.Note != "" {
		a.note("%s", source.Note)
	}
	return nil
}

// withCure puts the cure of a failed download on separate lines below the cause.
func withCure(err error) error {
	var failed *fetch.ByHandError
	if !errors.As(err, &failed) {
		return err
	}
	text := "\ncure     download manually into " + failed.Place + " and call again:"
	for _, file := range failed.Wanted {
		text += "\n         " + file.String()
	}
	return fmt.Errorf("fetch: %s can't be fetched: %w%s", failed.Name, failed.Cause, text)
}

// files shows the steps of work on the files of a data set.
func (p *progressLine) files(step, file string, done, total int64) {
	u := progress.Update{Phase: fmt.Sprintf("%-8s %s", step, file), Done: int(done),
		Total: int(total)}
	switch {
	case step == dataset.Verifying: // which is reported once
		u.Done, u.Total = 1, 1
	case step == dataset.Reading:
		u.Amount = fmt.Sprintf("%d of %s", done, quantity.Count(u.Total, "picture"))
	case total > 0:
		u.Amount = megabytes(done) + " of " + megabytes(total)
	default:
		u.Amount = megabytes(done)
	}
	p.update(u)
}
