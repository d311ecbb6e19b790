package command

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// showFlags are the flags of `corrupt show`.
type showFlags struct {
	corruptFlags
	index, side int
}

func corruptShowCommand(a *app) *cobra.Command {
	var flags showFlags
	command := &cobra.Command{
		Use:   "show [IMAGE]",
		Short: "Draw one image under every corruption at every severity",
		Long: "Draw one image under every corruption of a suite, one row each, at severities 1 to 5. IMAGE is a PNG,\n" +
			"JPEG or WebP file of any size; by default it is a test image of a data set.",
		Example: "  nbbnn corrupt show holiday.jpg --out sheet.png\n  nbbnn corrupt show --data cifar10 --index 17\n" +
			"  nbbnn corrupt show holiday.jpg --suite fog,ripple",
		RunE: func(c *cobra.Command, args []string) error {
			size, pixels, err := flags.open(c.Context(), args)
			if err != nil {
				return err
			}
			return corruptShow(c.Context(), a, flags, size, pixels)
		},
	}
	f := command.Flags()
	flags.add(f, "image's")
	f.StringVar(&flags.data, "data", dataset.Shapes10Bright, "data set of the image")
	f.IntVar(&flags.index, "index", 0, "test image of the data set, from 0")
	f.IntVar(&flags.side, "side", 224, "longest side in pixels; larger images are shrunk first")
	f.StringVar(&flags.out, "out", "out/corruptions.png", "picture to write: .png, .svg or .pdf")
	return command
}

// open reads the image, from a file or from a data set.
func (f showFlags) open(ctx context.Context, args []string) (corrupt.Size, []uint8, error) {
	if f.side < 1 {
		return corrupt.Size{}, nil, commandline.Usage(fmt.Errorf("nbbnn corrupt show: --side %d: want at least 1 pixel", f.side))
	}
	if len(args) == 0 {
		return f.openData(ctx)
	}
	file, err := os.Open(args[0])
	if err != nil {
		return corrupt.Size{}, nil, commandline.Usage(fmt.Errorf("nbbnn corrupt show: %w", err))
	}
	defer file.Close()
	size, pixels, err := corrupt.Decode(bufio.NewReader(file))
	if err != nil {
		return corrupt.Size{}, nil, fmt.Errorf("%w (in %s)", err, args[0])
	}
	return corrupt.Shrink(size, pixels, f.side)
}

func (f showFlags) openData(ctx context.Context) (corrupt.Size, []uint8, error) {
	if f.index < 0 {
		return corrupt.Size{}, nil, commandline.Usage(fmt.Errorf("nbbnn corrupt show: --index %d: images are counted from 0", f.index))
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: f.data, TrainCount: 1, TestCount: f.index + 1})
	if err != nil {
		return corrupt.Size{}, nil, err
	}
	image := data.Test.Slice(f.index, f.index+1)
	return corrupt.Shrink(corrupt.Size{Height: image.Height, Width: image.Width}, image.Pixels, f.side)
}

// corruptShow draws the sheet.
func corruptShow(ctx context.Context, a *app, flags showFlags, size corrupt.Size, pixels []uint8) error {
	suite, err := corrupt.SuiteByName(flags.suite)
	if err != nil {
		return commandline.Usage(err)
	}
	table, textures, err := flags.parameters(size)
	if err != nil {
		return err
	}
	progress := newProgress(a.streams, "")
	config := corrupt.Config{Seed: flags.seed, Table: table, Textures: textures}
	grid, err := sheet(ctx, suite, config, size, pixels, progress.report(suite.Name))
	progress.finish()
	if err != nil {
		return err
	}
	figure, err := viz.CorruptionSheet(grid)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(flags.out), 0o755); err != nil {
		return fmt.Errorf("nbbnn corrupt show: %w: --out FILE chooses another place", err)
	}
	if err := figure.Save(flags.out); err != nil {
		return err
	}
	value := map[string]string{"wrote": flags.out, "size": size.String(), "suite": suite.Name, "table": table.String()}
	return a.print(value, "wrote    %s   %s x 5 severities, %v pixels, table %v\n",
		flags.out, quantity.Count(len(suite.Corruptions), "corruption"), size, table)
}

// sheet corrupts an image with each corruption of a suite: the clean image, then a row for each
// corruption with a column for each severity.
func sheet(
	ctx context.Context, suite corrupt.Suite, config corrupt.Config, size corrupt.Size, pixels []uint8, report nbbnn.Progress,
) (viz.ImageGrid, error) {
	grid := viz.ImageGrid{Columns: []string{"1", "2", "3", "4", "5"}, Corner: "severity", Height: size.Height, Width: size.Width}
	grid.Rows, grid.Pixels = []string{"clean"}, [][][]uint8{append([][]uint8{pixels}, make([][]uint8, 4)...)}
	total := len(suite.Corruptions)
	for i, name := range suite.Corruptions {
		config.Corruption = name
		report(nbbnn.Update{Phase: "show", Done: i, Total: total, Corruption: name})
		var row [][]uint8
		for config.Severity = 1; config.Severity <= 5; config.Severity++ {
			corrupted, err := corrupt.Apply(ctx, config, size, pixels)
			if err != nil {
				return grid, err
			}
			row = append(row, corrupted)
		}
		grid.Rows = append(grid.Rows, config.Label())
		grid.Pixels = append(grid.Pixels, row)
	}
	report(nbbnn.Update{Phase: "show", Done: total, Total: total})
	return grid, nil
}
