package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// dataSummary is the output of `data verify` for a data set that can be trained on.
type dataSummary struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Classes []string `json:"classes"`
	Train   int      `json:"train"`
	Test    int      `json:"test"`
	Hash    string   `json:"hash"`
	Agree   int      `json:"agree"` // files with their published MD5 sum
}

// dataVerify reads what can be trained on, and compares the files of everything else with their
// published checksums.
func dataVerify(ctx context.Context, a *app, name string) error {
	if slices.Contains(dataset.Names(), name) {
		return verifySet(ctx, a, name)
	}
	if m, err := dataset.ReadManifest("", name); err == nil {
		return verifyAdded(ctx, a, m)
	} else if !errors.Is(err, fs.ErrNotExist) && dataset.CheckName(name) == nil {
		return err // it is damaged
	}
	source, err := dataset.SourceByName(name)
	if err != nil {
		names := append(dataset.SourceNames(), dataset.Shapes10, dataset.Shapes10Bright)
		if added, err := dataset.Added(""); err == nil {
			for _, m := range added {
				names = append(names, m.Name)
			}
		}
		return commandline.Usage(fmt.Errorf("nbbnn: unknown data set %q%s: known are %s", name, nearest.Hint(name, names), strings.Join(names, ", ")))
	}
	return verifyFiles(ctx, a, source)
}

// verifyAdded reads all images of a set that the user added, which compares them with the manifest.
func verifyAdded(ctx context.Context, a *app, m dataset.Manifest) error {
	if _, err := dataset.Open(ctx, dataset.Config{Name: m.Name}); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(addedSummary{Manifest: m, Content: m.Content()})
	}
	printAdded(a, m)
	return nil
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
	summary := dataSummary{data.Name, data.Source, data.Classes, data.Train.Count(), data.Test.Count(), data.Hash, agree}
	if a.json {
		return a.printJSON(summary)
	}
	fmt.Fprintf(a.out, "%s   %s training and %s test images of %dx%d in %d classes\n", summary.Name,
		quantity.Thousands(float64(summary.Train)), quantity.Thousands(float64(summary.Test)), data.Train.Height, data.Train.Width, len(summary.Classes))
	fmt.Fprintf(a.out, "source     %s\nsha256     %s\n", summary.Source, summary.Hash)
	if summary.Agree > 0 {
		fmt.Fprintf(a.out, "published  %s with the published MD5 sum\n", quantity.Count(summary.Agree, "file"))
	}
	return nil
}

// publishedFiles compares the files of a data set, in a version that is complete, with their
// published checksums, and returns how many agree.
func publishedFiles(ctx context.Context, name string) (agree int, err error) {
	directory, err := dataset.Directory("")
	if err != nil {
		return 0, err
	}
	for _, source := range dataset.Sources() {
		if source.Name != name && source.Name != name+"-python" {
			continue
		}
		if _, missing := source.Find(directory); len(missing) == 0 {
			return source.Verify(ctx, directory, nil)
		}
	}
	return 0, nil
}

// fileSummary is the output of `data verify` for a set of files.
type fileSummary struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Files  int    `json:"files"` // that are looked for
	Agree  int    `json:"agree"` // with their published MD5 sum
}

func verifyFiles(ctx context.Context, a *app, source dataset.Source) error {
	directory, err := dataset.Directory("")
	if err != nil {
		return err
	}
	agree, err := source.Verify(ctx, directory, nil)
	if err != nil {
		return err
	}
	folder, _ := source.Find(directory)
	summary := fileSummary{source.Name, folder, len(source.Members), agree}
	if a.json {
		return a.printJSON(summary)
	}
	fmt.Fprintf(a.out, "%s   %d of %d files have their published MD5 sum", summary.Name, summary.Agree, summary.Files)
	if agree == 0 {
		fmt.Fprint(a.out, ", because none was published; all are there")
	}
	fmt.Fprintf(a.out, "\nfolder     %s\n", summary.Folder)
	return nil
}
