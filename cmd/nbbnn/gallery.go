package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/paper"
)

func galleryCommand(a *app) *cobra.Command {
	var readme string
	command := &cobra.Command{
		Use:   "gallery FOLDER",
		Short: "Write the page of a folder of results: pictures, effects, verdicts and costs",
		Long: "Write FOLDER/README.md from the results in the folder, one folder each: what `nbbnn figure NUMBER --cards --out\n" +
			"FOLDER/NAME` wrote, with a remarks.md by hand if there is something to say. The page has the picture, the paper's\n" +
			"numbers and ours, the effects with their intervals and verdicts, the cost, the command, and the figures that weren't\n" +
			"run with their hours. Nothing is computed; equal files give an equal page.",
		Example: "  nbbnn gallery docs/results\n  nbbnn gallery docs/results --readme README.md",
		Args:    commandline.Arguments("FOLDER"),
		RunE: func(_ *cobra.Command, args []string) error {
			paths, err := writeGallery(args[0], readme)
			for _, path := range paths {
				fmt.Fprintln(a.out, "wrote    "+path)
			}
			return err
		},
	}
	command.Flags().StringVar(&readme, "readme", "", `README whose part between "<!-- result NAME -->" and "<!-- end of result -->" describes the result NAME`)
	return command
}

// writeGallery writes the page, and the README's part if one is named.
func writeGallery(folder, readme string) (paths []string, err error) {
	page, err := paper.Gallery(folder)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "README.md")
	if err := files.WriteBytes(path, []byte(page)); err != nil {
		return nil, err
	}
	paths = append(paths, path)
	if readme == "" {
		return paths, nil
	}
	return append(paths, readme), writeHighlight(folder, readme)
}

// writeHighlight replaces the README's part on a result.
func writeHighlight(folder, readme string) error {
	text, err := os.ReadFile(readme)
	if err != nil {
		return fmt.Errorf("nbbnn gallery: %w: name the README with --readme", err)
	}
	link, err := filepath.Rel(filepath.Dir(readme), folder)
	if err != nil {
		return fmt.Errorf("nbbnn gallery: %w: name both paths relative to the current directory", err)
	}
	replaced, err := paper.Highlight(string(text), folder, filepath.ToSlash(link))
	if err != nil {
		return err
	}
	return files.WriteBytes(readme, []byte(replaced))
}
