package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
)

func dataAddCommand(a *app) *cobra.Command {
	var options folder.Options
	var test string
	command := &cobra.Command{
		Use:   "add NAME FOLDER",
		Short: "Add a data set of your own images",
		Long: "Add a folder of pictures as a data set: FOLDER/CLASS/*.png, .jpg or .webp, of which a share of each class becomes the\n" +
			"test set, or FOLDER/train/CLASS/* and FOLDER/test/CLASS/* (or val, if there's no test). Arrays work, too: images.npy [count, height, width, 3] of bytes\n" +
			"or floats and labels.npy [count] in FOLDER or in a .npz file, with the names of the classes in classes.txt. The pictures are packed\n" +
			"once into the directory of data sets; from then on `--data NAME` takes them everywhere. 2 to 256 classes, 8 to 512 pixels.",
		Example: "  nbbnn data add birds ~/birds --size 48\n  nbbnn data add cells ~/cells/train --test ~/cells/held-out\n  nbbnn data add paths pathmnist.npz",
		RunE: func(c *cobra.Command, args []string) error {
			share, err := strconv.ParseFloat(test, 64)
			switch {
			case err != nil:
				options.TestFolder = test
			case share == 0: // which means the default in options
				return errors.New("nbbnn data add: a test share of 0: give a number above 0 and below 1, such as 0.2")
			default:
				options.TestShare = share
			}
			return dataAdd(c.Context(), a, args[0], args[1], options)
		},
	}
	flags := command.Flags()
	flags.IntVar(&options.Side, "size", 0, "height and width in pixels: crops pictures to their central square and scales them; 0 keeps their size")
	flags.StringVar(&test, "test", "", "share of each class to test on, or a folder of test pictures; by default FOLDER/test, or else 0.2")
	flags.Uint64Var(&options.Seed, "seed", 0, "seed of the choice of test pictures")
	flags.BoolVar(&options.SkipBroken, "skip-broken", false, "leave out files that can't be read")
	flags.BoolVar(&options.Alphabetical, "alphabetical", false, "order classes whose names are numbers as torchvision's ImageFolder does, 10 before 2: for weights that were trained so")
	return command
}

// addedSummary is the output of `data add` and `data verify` for a set that a user added.
type addedSummary struct {
	dataset.Manifest
	Content string   `json:"content"`
	Notes   []string `json:"notes,omitempty"`
}

func dataAdd(ctx context.Context, a *app, name, path string, options folder.Options) error {
	meter := newProgress(a.streams, "")
	options.Progress = meter.files
	added, err := folder.Add(ctx, name, path, options)
	meter.finish()
	if err != nil {
		return err
	}
	return reportAdded(a, added.Manifest, added.Notes)
}

// reportAdded prints a line of sizes and one of each class.
func reportAdded(a *app, m dataset.Manifest, notes []string) error {
	if a.json {
		return a.printJSON(addedSummary{m, m.Content(), notes})
	}
	for _, note := range notes {
		fmt.Fprintln(a.err, "note     "+quantity.Printable(note))
	}
	size := m.Size()
	fmt.Fprint(a.out, sizesText(m.Name, size))
	for label, class := range m.Classes[:min(mostNamed, size.Classes)] {
		fmt.Fprintf(a.out, "class      %-20s %6d training  %6d test\n", quantity.Printable(class), m.Train[label], m.Test[label])
	}
	if size.Classes > mostNamed {
		fmt.Fprintf(a.out, "class      and %d more\n", size.Classes-mostNamed)
	}
	fmt.Fprintf(a.out, "source     %s\nsha256     %s\n", quantity.Printable(m.Source), m.Hash)
	return nil
}

func dataRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a data set that you added; runs trained on it keep their results",
		Example: "  nbbnn data remove birds",
		RunE: func(_ *cobra.Command, args []string) error {
			err := dataset.Remove("", args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return commandline.Usage(err)
			}
			if err != nil {
				return err
			}
			return a.printPaths("removed", args[0])
		},
	}
}
