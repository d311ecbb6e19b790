package command

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/corrupted"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// suiteHelp describes the flag --suite of the commands that corrupt images.
const suiteHelp = `suite of corruptions, see "nbbnn corrupt suites", or a list: fog,snow`

// addSuiteFlags makes --suite and --corruptions, which sets the same text.
func addSuiteFlags(f *pflag.FlagSet, suite *string, usual, help string) {
	f.StringVar(suite, "suite", usual, help)
	f.Var(&corruptionList{suite: suite}, "corruptions", "corruptions in place of a suite, "+
		"separated by commas: fog,snow")
}

// corruptionList is the value of --corruptions: the names that were given so far.
type corruptionList struct {
	suite *string
	names []string
}

func (l *corruptionList) String() string { return strings.Join(l.names, ",") }

// Type makes the shell complete a list.
func (l *corruptionList) Type() string { return "stringSlice" }

func (l *corruptionList) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		l.names = append(l.names, strings.TrimSpace(name))
	}
	*l.suite = l.String()
	return nil
}

func corruptCommand(a *app) *cobra.Command {
	return group(cobra.Command{
		Use: "corrupt",
		Short: "List the corruptions and their suites, make corrupted sets, draw one image " +
			"under each",
		Example: `  nbbnn corrupt list
  nbbnn corrupt show holiday.jpg
  nbbnn corrupt make --data cifar10 --out cifar10-c`,
	}, &cobra.Command{
		Use: "list", Short: "List the corruptions by their names in files and flags",
		Example: "  nbbnn corrupt list --json",
		RunE: func(*cobra.Command, []string) error {
			return a.print(corrupt.Names(), "%s\n", strings.Join(corrupt.Names(), "\n"))
		},
	},
		&cobra.Command{
			Use: "suites", Short: "List the suites and the corruptions in each",
			Example: "  nbbnn corrupt suites",
			RunE:    func(*cobra.Command, []string) error { return corruptSuites(a) },
		},
		corruptMakeCommand(a), corruptRankCommand(a), corruptShowCommand(a))
}

func corruptSuites(a *app) error {
	suites, text := map[string][]string{}, ""
	for _, name := range corrupt.SuiteNames() {
		suite, err := corrupt.SuiteByName(name)
		if err != nil {
			return err
		}
		suites[name] = suite.Corruptions
		text += fmt.Sprintf("%-8s %s\n", name, strings.Join(suite.Corruptions, " "))
	}
	return a.print(suites, "%s", text)
}

// corruptFlags are the flags that `corrupt make` and `corrupt show` share.
type corruptFlags struct {
	data, suite, table, textures, out string
	seed                              uint64
	yes                               bool
}

// add defines the flags for the images of a command.
func (f *corruptFlags) add(flags *pflag.FlagSet, images string) {
	addSuiteFlags(flags, &f.suite, "all19", suiteHelp)
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the corruptions")
	flags.StringVar(&f.table, "table", "", "parameters: cifar, tiny or imagenet; by default "+
		"those for the "+images+" size")
	flags.StringVar(&f.textures, "textures", "", evaluationHelp["textures"])
}

// parameters returns the table and the folder of textures for images of a size.
func (f corruptFlags) parameters(size corrupt.Size) (table corrupt.Table, textures string,
	err error) {
	if table = corrupt.TableFor(size); f.table != "" {
		tables := []corrupt.Table{corrupt.CIFAR, corrupt.Tiny, corrupt.ImageNet}
		names := quantity.Texts(tables, corrupt.Table.String)
		if err = check.Known("parameter table", f.table, names...); err != nil {
			return table, "", commandline.Usage(err)
		}
		table = tables[slices.Index(names, f.table)]
	}
	textures, err = sources.Textures(f.textures)
	return table, textures, commandline.Usage(err)
}

func corruptMakeCommand(a *app) *cobra.Command {
	var flags corruptFlags
	var images int
	command := &cobra.Command{
		Use:   "make",
		Short: "Write corrupted copies of a test set in the layout of CIFAR-10-C",
		Long: `Write corrupted copies of a data set's test images at all five severities: a .npy
file for each corruption, the labels, and a manifest with checksums. Evaluation makes the same
images with the same seed. Repeat a stopped call to continue it: files with the right checksum
aren't made again.`,
		Example: "  nbbnn corrupt make --data cifar10 --suite all19 --seed 1 --out cifar10-c",
		RunE: func(c *cobra.Command, _ []string) error {
			return corruptMake(c.Context(), a, flags, images)
		},
	}
	f := command.Flags()
	flags.add(f, "images'")
	f.StringVar(&flags.data, "data", dataset.CIFAR10, "data set whose test images are corrupted")
	f.IntVar(&images, "images", 0, "number of test images, from the first; if left out, all")
	f.StringVar(&flags.out, "out", "", "directory to write to")
	_ = command.MarkFlagRequired("out") // it was just made
	f.BoolVar(&flags.yes, "yes", false, "make a set of more than 20 GB")
	return command
}

// mostMade is the size in bytes of a set that is made without --yes: a whole Tiny-ImageNet-C has 12
// GB.
const mostMade = 20e9

// checkRoom refuses a set that is probably a slip, or whose images don't fit into memory, before
// any image is drawn.
func (f corruptFlags) checkRoom(of dataset.Config, suite corrupt.Suite) error {
	size := of.Size()
	images := int64(size.Test) * int64(size.Height) * int64(size.Width) * 3
	all := float64(images) * float64(1+5*len(suite.Corruptions))
	count := quantity.Count(size.Test, "image")
	if limit := machine.MemoryLimit(); limit > 0 && 2*images > limit {
		return fmt.Errorf("nbbnn corrupt make: %s take %.1f GB of memory, and as much again to "+
			"be drawn: give fewer with --images", count, float64(images)/1e9)
	}
	if all > mostMade && !f.yes {
		return commandline.Usagef("nbbnn corrupt make: the set of %s takes %.0f GB in "+
			"%s: pass --yes to make it, or give fewer --images or corruptions", count, all/1e9,
			f.out)
	}
	return nil
}

func corruptMake(ctx context.Context, a *app, flags corruptFlags, images int) error {
	of := dataset.Config{Name: flags.data, TrainCount: 1, TestCount: images}
	suite, err := corrupt.SuiteByName(flags.suite)
	_, _, wrong := flags.parameters(corrupt.Size{})
	if err = cmp.Or(err, wrong, of.Check()); err != nil {
		return commandline.Usage(err)
	}
	err = cmp.Or(checkOut("corrupt make", "out", flags.out), flags.checkRoom(of, suite))
	if err != nil {
		return err
	}
	data, err := dataset.Open(ctx, of)
	if err != nil {
		return err
	}
	source := corrupted.Source{
		Name: data.Name, Size: corrupt.Size{Height: data.Test.Height, Width: data.Test.Width},
		Pixels: data.Test.Pixels, Labels: data.Test.Labels,
	}
	table, textures, err := flags.parameters(source.Size)
	if err != nil {
		return err
	}
	making := corrupted.Making{Suite: suite, Seed: flags.seed, Table: table, Textures: textures}
	progress := newProgress(a.streams, "")
	manifest, err := corrupted.Make(ctx, flags.out, source, making,
		makeReport(data.Name+", "+suite.Name, progress))
	progress.finish()
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, file := range manifest.Files {
		bytes += file.Bytes
	}
	return a.print(manifest, "wrote    %s   %s, %.1f MB, checksums in %s\n",
		flags.out, quantity.Count(len(manifest.Files), "file"), float64(bytes)/1e6,
		corrupted.ManifestName)
}

// makeReport turns what Make reports into lines of progress.
func makeReport(name string, progress *progressLine) func(corrupted.MakeProgress) {
	started := time.Now()
	report := progress.report(name)
	return func(p corrupted.MakeProgress) {
		report(nbbnn.Update{
			Phase: "make", Done: p.Done, Total: p.Total, Corruption: p.Corruption,
			Rate: float64(p.Made) / time.Since(started).Seconds(),
		})
	}
}

type showFlags struct {
	corruptFlags
	index, side int
}

func corruptShowCommand(a *app) *cobra.Command {
	var flags showFlags
	command := &cobra.Command{
		Use:   "show [IMAGE]",
		Short: "Draw one image under every corruption at every severity",
		Long: `Draw one image under every corruption of a suite, one row each, at severities 1 to 5.
IMAGE is a PNG, JPEG or WebP file of any size; by default it is a test image of a data set.`,
		Example: `  nbbnn corrupt show holiday.jpg --out sheet.png
  nbbnn corrupt show --data cifar10 --index 17
  nbbnn corrupt show holiday.jpg --suite fog,ripple`,
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range []string{"data", "index"} {
				if len(args) > 0 && c.Flags().Changed(name) {
					return commandline.Usagef("nbbnn corrupt show: %s is the image: leave --%s out",
						args[0], name)
				}
			}
			if len(args) > 0 && isSame(args[0], flags.out) {
				return commandline.Usagef("nbbnn corrupt show: --out is the image %s itself: give "+
					"another name", args[0])
			}
			if err := checkOutFile(drawn, "corrupt show", flags.out, ".png", ".svg",
				".pdf"); err != nil {
				return err
			}
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

// isSame reports whether two paths are of one file, perhaps by a link.
func isSame(path, other string) bool {
	file, _ := os.Stat(path) // nil, like no other, of none
	second, _ := os.Stat(other)
	return os.SameFile(file, second)
}

// open reads the image, from a file or from a data set.
func (f showFlags) open(ctx context.Context, args []string) (corrupt.Size, []uint8, error) {
	if len(args) == 0 {
		return f.openData(ctx)
	}
	file, err := files.Open(args[0])
	if err != nil {
		return corrupt.Size{}, nil, commandline.Usagef("nbbnn corrupt show: %w: name a PNG, "+
			"JPEG or WebP file, or a data set with --data", err)
	}
	defer file.Close()
	size, pixels, err := corrupt.Decode(bufio.NewReader(file))
	if err != nil {
		return corrupt.Size{}, nil, commandline.Usagef("nbbnn corrupt show: %s: %s", args[0],
			strings.TrimPrefix(err.Error(), "corrupt: "))
	}
	return corrupt.Shrink(size, pixels, f.side)
}

func (f showFlags) openData(ctx context.Context) (corrupt.Size, []uint8, error) {
	whole := dataset.Config{Name: f.data}
	if err := whole.Check(); err != nil {
		return corrupt.Size{}, nil, commandline.Usage(err)
	}
	last := whole.Size().Test - 1 // more could be drawn, which takes time
	if f.index < 0 || f.index > last {
		return corrupt.Size{}, nil, commandline.Usagef("nbbnn corrupt show: --index %d is behind "+
			"the test images of %s: give a number from 0 to %d", f.index, f.data, last)
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: f.data, TrainCount: 1,
		TestCount: f.index + 1})
	if err != nil {
		return corrupt.Size{}, nil, err
	}
	image := data.Test.Slice(f.index, f.index+1)
	return corrupt.Shrink(corrupt.Size{Height: image.Height, Width: image.Width}, image.Pixels,
		f.side)
}

// corruptShow draws the sheet.
func corruptShow(ctx context.Context, a *app, flags showFlags, size corrupt.Size,
	pixels []uint8) error {
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
	value := map[string]string{"wrote": flags.out, "size": size.String(), "suite": suite.Name,
		"table": table.String()}
	return a.print(value, "wrote    %s   %s x 5 severities, %v pixels, table %v\n",
		flags.out, quantity.Count(len(suite.Corruptions), "corruption"), size, table)
}

// sheet corrupts an image with each corruption of a suite: the clean image, then a row for each
// corruption with a column for each severity.
func sheet(
	ctx context.Context, suite corrupt.Suite, config corrupt.Config, size corrupt.Size,
	pixels []uint8, report nbbnn.Progress,
) (viz.ImageGrid, error) {
	grid := viz.ImageGrid{Columns: strings.Fields("1 2 3 4 5"), Corner: "severity",
		Height: size.Height, Width: size.Width}
	grid.Rows, grid.Pixels = []string{"clean"},
		[][][]uint8{append([][]uint8{pixels}, make([][]uint8, 4)...)}
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
