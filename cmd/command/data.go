package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
)

func dataCommand(a *app) *cobra.Command {
	return group(cobra.Command{
		Use:   "data",
		Short: "Get data sets, add your own, and check them",
		Example: `  nbbnn data list
  nbbnn data get cifar10
  nbbnn data add birds ~/birds --size 48
  nbbnn data verify birds`,
	}, dataGetCommand(a),
		dataAddCommand(a),
		dataRemoveCommand(a),
		&cobra.Command{
			Use: "where [NAME]", Short: "Print the directory of downloaded data sets, or of one",
			Example: "  nbbnn data where\n  nbbnn data where cifar10-c",
			RunE:    func(_ *cobra.Command, args []string) error { return dataWhere(a, args) },
		},
		&cobra.Command{
			Use: "list", Short: "List the data sets, and whether this machine has them",
			Example: "  nbbnn data list --json",
			RunE:    func(*cobra.Command, []string) error { return dataList(a) },
		},
		&cobra.Command{
			Use: "verify NAME", Short: "Read and check a data set, and print its size and hash",
			Example: "  nbbnn data verify shapes10",
			RunE: func(c *cobra.Command, args []string) error {
				return dataVerify(c.Context(), a, args[0])
			},
		})
}

// dataWhere prints the directory of all data sets, or the folder in which one is looked for.
func dataWhere(a *app, names []string) error {
	directory, err := sources.Directory("")
	if err != nil {
		return err
	}
	for _, name := range names {
		if directory, err = folderOf(name, directory); err != nil {
			return commandline.Usage(err)
		}
	}
	if directory, err = filepath.Abs(directory); err != nil {
		return err
	}
	return a.print(map[string]string{"directory": directory}, "%s\n", directory)
}

// folderOf returns the folder of a published set or of one that the user added.
func folderOf(name, directory string) (string, error) {
	if added, err := dataset.ReadManifest(directory, name); err == nil {
		return added.Folder, nil
	}
	source, err := sources.ByName(name)
	if err != nil {
		return "", err
	}
	folder, _ := source.Find(directory)
	return folder, nil
}

type dataEntry struct {
	Name      string            `json:"name"`
	Title     string            `json:"title"`
	Available bool              `json:"available"`
	Folder    string            `json:"folder,omitempty"` // where it is, or would be
	Page      string            `json:"page,omitempty"`
	Files     []sources.Archive `json:"files,omitempty"` // to download
	Note      string            `json:"note,omitempty"`
}

// dataList looks for the files of each data set; it doesn't read them.
func dataList(a *app) error {
	directory, err := sources.Directory("")
	if err != nil {
		return err
	}
	entries := []dataEntry{
		{Name: dataset.Shapes10, Title: "Shapes10, drawn by the workbench, needs no file",
			Available: true},
		{Name: dataset.Shapes10Bright, Title: "the same shapes in brighter colours",
			Available: true},
		{Name: dataset.Pinwheel, Title: "points in the plane, for Figure 1: images of one pixel",
			Available: true},
	}
	for _, source := range sources.All() {
		entries = append(entries, newDataEntry(source, directory))
	}
	added, err := dataset.Added(directory)
	if err != nil {
		return err
	}
	for _, m := range added {
		entries = append(entries, addedEntry(m))
	}
	text := ""
	for _, entry := range entries {
		text += fmt.Sprintf("%-21s %s  %10s  %s\n", entry.Name,
			a.status(entry.Available, "ready  "), entry.size(), entry.Title)
	}
	return a.print(entries, "%s\nThey are in %s: `nbbnn data get NAME` downloads one, "+
		"`nbbnn data add NAME FOLDER` adds your own images.\n", text, directory)
}

func newDataEntry(source sources.Source, directory string) dataEntry {
	folder, missing := source.Find(directory)
	return dataEntry{source.Name, source.Title, len(missing) == 0, folder, source.Page,
		source.Archives, source.Note}
}

// addedEntry describes a set that the user added.
func addedEntry(m dataset.Manifest) dataEntry {
	size := m.Size()
	return dataEntry{
		Name: m.Name, Available: true, Folder: m.Folder,
		Title: fmt.Sprintf("%s images of %dx%d in %d classes: %s",
			quantity.Thousands(float64(size.Train+size.Test)), size.Height, size.Width,
			size.Classes,
			m.Source),
	}
}

// size returns the download's size, if published.
func (e dataEntry) size() string {
	var total int64
	for _, file := range e.Files {
		total += file.Size
	}
	if total == 0 {
		return ""
	}
	return megabytes(total)
}

// megabytes writes a number of bytes: 1,795 MB.
func megabytes(bytes int64) string { return quantity.Thousands(float64(bytes)/1e6) + " MB" }

// verified is the output of `data verify`: of what can be trained on, or of a set of files.
type verified struct {
	Name    string   `json:"name"`
	Source  string   `json:"source,omitempty"`
	Classes []string `json:"classes,omitempty"`
	Train   int      `json:"train,omitempty"`
	Test    int      `json:"test,omitempty"`
	Hash    string   `json:"hash,omitempty"`
	Folder  string   `json:"folder,omitempty"`
	Files   int      `json:"files,omitempty"` // expected files
	Agree   int      `json:"agree"`           // files with their published MD5 sum
}

// dataVerify reads what can be trained on, and compares the files of everything else with their
// published checksums.
func dataVerify(ctx context.Context, a *app, name string) error {
	if slices.Contains(dataset.Names(), name) {
		return verifySet(ctx, a, name)
	}
	m, err := dataset.ReadManifest("", name)
	if err == nil {
		// compares all images with the manifest
		if _, err := dataset.Open(ctx, dataset.Config{Name: name}); err != nil {
			return err
		}
		return reportAdded(a, m, nil)
	}
	if !errors.Is(err, fs.ErrNotExist) && dataset.CheckName(name) == nil {
		return err // it is damaged
	}
	source, err := sources.ByName(name)
	if err != nil {
		names := verifiable()
		return commandline.Usagef("nbbnn data verify: unknown data set %q%s: known are %s; `nbbnn "+
			"data list` says what they are", name,
			nearest.Hint(name, names), strings.Join(names, ", "))
	}
	return verifyFiles(ctx, a, source)
}

func verifySet(ctx context.Context, a *app, name string) error {
	data, err := dataset.Open(ctx, dataset.Config{Name: name})
	if err != nil {
		return err
	}
	agree, err := publishedFiles(ctx, name)
	if err != nil {
		return err
	}
	v := verified{Name: name, Source: data.Source, Classes: data.Classes, Train: data.Train.Count(),
		Test: data.Test.Count(), Hash: data.Hash, Agree: agree}
	text := sizesText(name, dataset.Config{Name: name}.Size())
	text += fmt.Sprintf("source     %s\nsha256     %s\n", v.Source, v.Hash)
	if agree > 0 {
		text += fmt.Sprintf("published  %s with the published MD5 sum\n",
			quantity.Count(agree, "file"))
	}
	return a.print(v, "%s", text)
}

// sizesText returns a line with the sizes of a data set.
func sizesText(name string, size dataset.Size) string {
	return fmt.Sprintf("%s   %s training and %s test images of %dx%d in %d classes\n", name,
		quantity.Thousands(size.Train), quantity.Thousands(size.Test), size.Height, size.Width,
		size.Classes)
}

// publishedFiles compares the files of a complete version of a data set with their published
// checksums, and counts the ones that agree.
func publishedFiles(ctx context.Context, name string) (agree int, err error) {
	directory, err := sources.Directory("")
	if err != nil {
		return 0, err
	}
	for _, source := range sources.All() {
		if source.Name != name && source.Name != name+"-python" {
			continue
		}
		if _, missing := source.Find(directory); len(missing) == 0 {
			return source.Verify(ctx, directory)
		}
	}
	return 0, nil
}

func verifyFiles(ctx context.Context, a *app, source sources.Source) error {
	directory, err := sources.Directory("")
	if err != nil {
		return err
	}
	agree, err := source.Verify(ctx, directory)
	if err != nil {
		return err
	}
	folder, _ := source.Find(directory)
	v := verified{Name: source.Name, Folder: folder, Files: len(source.Members), Agree: agree}
	text := fmt.Sprintf("%s   %d of %d files have their published MD5 sum", v.Name, agree, v.Files)
	if agree == 0 {
		text += ", because none was published; no file is missing"
	}
	return a.print(v, "%s\nfolder     %s\n", text, folder)
}

func dataAddCommand(a *app) *cobra.Command {
	var options folder.Options
	var test, size string
	command := &cobra.Command{
		Use:   "add NAME FOLDER",
		Short: "Add a data set of your own images",
		Long: "Add a folder of pictures as a data set: FOLDER/CLASS/*.png, .jpg or .webp, of " +
			"which a share of each class becomes the\n" +
			"test set, or FOLDER/train/CLASS/* and FOLDER/test/CLASS/* (or val, if there's no " +
			"test). Arrays work, too: images.npy [count, height, width, 3] of bytes\n" +
			"or floats and labels.npy [count] in FOLDER or in a .npz file, with the names of the " +
			"classes in classes.txt. The pictures are packed\n" +
			"once into the directory of data sets; from then on `--data NAME` takes them " +
			"everywhere. 2 to 256 classes, 8 to 512 pixels.",
		Example: `  nbbnn data add birds ~/birds --size 48
  nbbnn data add cells ~/cells/train --test ~/cells/held-out
  nbbnn data add paths pathmnist.npz`,
		RunE: func(c *cobra.Command, args []string) error {
			height, width, oblong := strings.Cut(cmp.Or(size, "0"), "x")
			if !oblong {
				width = height
			}
			var wrong [2]error
			options.Height, wrong[0] = strconv.Atoi(height)
			options.Width, wrong[1] = strconv.Atoi(width)
			if err := cmp.Or(wrong[:]...); err != nil {
				return commandline.Usagef("nbbnn data add: a size of %q: give a number of pixels "+
					"for squares, or height x width, for example 48x192", size)
			}
			share, err := strconv.ParseFloat(test, 64)
			switch {
			case err != nil:
				options.TestFolder = test
			case share == 0: // which means the default in options
				return commandline.Usagef("nbbnn data add: a test share of 0: give a number " +
					"above 0 and below 1, for example 0.2")
			default:
				options.TestShare = share
			}
			if err := cmp.Or(dataset.CheckName(args[0]), options.Check(args[1])); err != nil {
				return commandline.Usagef("nbbnn data add: %w", err)
			}
			return dataAdd(c.Context(), a, args[0], args[1], options)
		},
	}
	flags := command.Flags()
	flags.StringVar(&size, "size", "", "pixels, 48 for squares or 48x192 for height x width: "+
		"crops pictures at their centre and scales them; if left out, all must have the size of "+
		"the first, and keep it")
	flags.StringVar(&test, "test", "", "share of each class to test on, or a folder of test "+
		"pictures; by default FOLDER/test, or else 0.2")
	flags.Uint64Var(&options.Seed, "seed", 0, "seed of the choice of test pictures")
	flags.BoolVar(&options.SkipBroken, "skip-broken", false, "leave out files that can't be read")
	flags.BoolVar(&options.Alphabetical, "alphabetical", false, "order classes whose names are "+
		"numbers as torchvision's ImageFolder does, 10 before 2: for weights that were trained so")
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

// mostClasses is the most classes that have a line each.
const mostClasses = 20

// reportAdded prints a line of sizes and one of each class.
func reportAdded(a *app, m dataset.Manifest, notes []string) error {
	if a.json {
		return a.printJSON(addedSummary{m, m.Content(), notes})
	}
	for _, note := range notes {
		a.note("%s", quantity.Printable(note))
	}
	size := m.Size()
	fmt.Fprint(a.out, sizesText(m.Name, size))
	for label, class := range m.Classes[:min(mostClasses, size.Classes)] {
		fmt.Fprintf(a.out, "class      %s %6d training  %6d test\n",
			quantity.Pad(quantity.Printable(class), 20), m.Train[label], m.Test[label])
	}
	if size.Classes > mostClasses {
		fmt.Fprintf(a.out, "class      and %d more\n", size.Classes-mostClasses)
	}
	fmt.Fprintf(a.out, "source     %s\nsha256     %s\n", quantity.Printable(m.Source), m.Hash)
	return nil
}

func dataRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a data set that you added: your pictures, and results on it, stay",
		Example: "  nbbnn data remove birds",
		RunE: func(_ *cobra.Command, args []string) error {
			err := dataset.Remove("", args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return commandline.Usagef("nbbnn data remove: %q is no set that you added%s: "+
					"`nbbnn data list` lists them, `nbbnn data where NAME` names the folder of a "+
					"downloaded one", args[0], nearest.Hint(args[0],
					addedNames()))
			}
			if err != nil {
				return err
			}
			return a.printPaths("removed", args[0])
		},
	}
}
