package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// suiteHelp describes the flag --suite of the commands that corrupt images.
const suiteHelp = `suite of corruptions, see "nbbnn corrupt suites", or a list such as fog,snow`

// addSuiteFlags makes --suite and --corruptions, which sets the same text.
func addSuiteFlags(f *pflag.FlagSet, suite *string, usual, help string) {
	f.StringVar(suite, "suite", usual, help)
	f.Var(&corruptionList{suite: suite}, "corruptions", "corruptions in place of a suite, separated by commas, such as fog,snow")
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
		Use:     "corrupt",
		Short:   "List the corruptions and their suites, make corrupted sets, draw one image under each",
		Example: "  nbbnn corrupt list\n  nbbnn corrupt show holiday.jpg\n  nbbnn corrupt make --data cifar10 --out cifar10-c",
	}, &cobra.Command{
		Use: "list", Short: "List the corruptions by their names in files and flags", Example: "  nbbnn corrupt list --json",
		RunE: func(*cobra.Command, []string) error {
			return a.print(corruptionNames(), "%s\n", strings.Join(corruptionNames(), "\n"))
		},
	},
		&cobra.Command{
			Use: "suites", Short: "List the suites and the corruptions in each", Example: "  nbbnn corrupt suites",
			RunE: func(*cobra.Command, []string) error { return corruptSuites(a) },
		},
		corruptMakeCommand(a), corruptShowCommand(a))
}

// corruptionNames lists the published corruptions and those that the program adds.
func corruptionNames() []string { return slices.Concat(corrupt.Names(), corrupt.Registered()) }

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
}

// add defines the flags for the images of a command.
func (f *corruptFlags) add(flags *pflag.FlagSet, images string) {
	addSuiteFlags(flags, &f.suite, "all19", suiteHelp)
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the corruptions")
	flags.StringVar(&f.table, "table", "", "parameters: cifar, tiny or imagenet; by default those for the "+images+" size")
	flags.StringVar(&f.textures, "textures", "", texturesHelp)
}

// parameters returns the table and the folder of textures for images of a size.
func (f corruptFlags) parameters(size corrupt.Size) (table corrupt.Table, textures string, err error) {
	if table = corrupt.TableFor(size); f.table != "" {
		if table, err = corrupt.TableByName(f.table); err != nil {
			return table, "", commandline.Usage(err)
		}
	}
	textures, err = dataset.TextureFolder(f.textures)
	return table, textures, err
}

func corruptMakeCommand(a *app) *cobra.Command {
	var flags corruptFlags
	var images int
	command := &cobra.Command{
		Use:   "make",
		Short: "Write corrupted copies of a test set in the layout of CIFAR-10-C",
		Long: "Write corrupted copies of a data set's test images at all five severities: a .npy file for each corruption,\n" +
			"the labels, and a manifest with checksums. Evaluation makes the same images with the same seed. Repeat a\n" +
			"stopped call to continue it: files with the right checksum aren't made again.",
		Example: "  nbbnn corrupt make --data cifar10 --suite all19 --seed 1 --out cifar10-c",
		RunE:    func(c *cobra.Command, _ []string) error { return corruptMake(c.Context(), a, flags, images) },
	}
	f := command.Flags()
	flags.add(f, "images'")
	f.StringVar(&flags.data, "data", dataset.CIFAR10, "data set whose test images are corrupted")
	f.IntVar(&images, "images", 0, "number of test images, from the first; 0 means all")
	f.StringVar(&flags.out, "out", "", "directory to write to")
	return command
}

func corruptMake(ctx context.Context, a *app, flags corruptFlags, images int) error {
	if flags.out == "" {
		return commandline.Usage(errors.New("nbbnn corrupt make: no directory: --out DIR says where the files go"))
	}
	suite, err := corrupt.SuiteByName(flags.suite)
	if err != nil {
		return commandline.Usage(err)
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: flags.data, TrainCount: 1, TestCount: images})
	if err != nil {
		return err
	}
	source := corrupt.Source{
		Name: data.Name, Size: corrupt.Size{Height: data.Test.Height, Width: data.Test.Width},
		Pixels: data.Test.Pixels, Labels: data.Test.Labels,
	}
	table, textures, err := flags.parameters(source.Size)
	if err != nil {
		return err
	}
	making := corrupt.Making{Suite: suite, Seed: flags.seed, Table: table, Textures: textures}
	progress := newProgress(a.streams, "")
	manifest, err := corrupt.Make(ctx, flags.out, source, making, makeReport(data.Name+", "+suite.Name, progress))
	progress.finish()
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, file := range manifest.Files {
		bytes += file.Bytes
	}
	return a.print(manifest, "wrote    %s   %s, %.1f MB, checksums in %s\n",
		flags.out, quantity.Count(len(manifest.Files), "file"), float64(bytes)/1e6, corrupt.ManifestName)
}

// makeReport turns what Make reports into lines of progress.
func makeReport(name string, progress *progressLine) func(corrupt.MakeProgress) {
	started := time.Now()
	report := progress.report(name)
	return func(p corrupt.MakeProgress) {
		report(nbbnn.Update{
			Phase: "make", Done: p.Done, Total: p.Total, Corruption: p.Corruption,
			Rate: float64(p.Made) / time.Since(started).Seconds(),
		})
	}
}
