// Package report draws what runs have recorded, whatever they are part of: comparisons of evaluated
// runs (score.Comparison) and the history of a training.
package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Save draws a comparison into a directory and returns the paths of the files: the metrics at the
// levels, reliability and risk against coverage on clean and on corrupted images, metrics against
// the cost of a prediction, a heat map for each method, for two methods their difference, and the
// tables of scores with costs and of levels in several formats, with those of cells as a page.
func Save(c score.Comparison, directory string) ([]string, error) {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	var paths []string
	for _, picture := range pictures(c) {
		figure, err := picture.draw()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(directory, picture.name)
		if err := figure.Save(path); err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, path)
	}
	tables, err := saveTables(c, directory)
	return append(paths, tables...), err
}

// picture is a file of Save.
type picture struct {
	name string
	draw func() (*viz.Figure, error)
}

// pictures lists the pictures of Save.
func pictures(c score.Comparison) []picture {
	all := []picture{
		{"levels.png", func() (*viz.Figure, error) { return Levels(c) }},
		{"reliability.png", func() (*viz.Figure, error) { return cleanAndCorrupted(c, Reliability) }},
		{"risk-coverage.png", func() (*viz.Figure, error) { return cleanAndCorrupted(c, RiskCoverage) }},
	}
	if hasCosts(c) {
		all = append(all, picture{"passes.png", func() (*viz.Figure, error) { return AgainstPasses(c) }})
	}
	for i, method := range c.Methods {
		all = append(all, picture{fmt.Sprintf("cells-%d.png", i+1), func() (*viz.Figure, error) {
			return HeatMaps(score.Comparison{Suite: c.Suite, Methods: []score.Method{method}}, "NLL")
		}})
	}
	if len(c.Methods) == 2 {
		all = append(all, picture{"difference.png", func() (*viz.Figure, error) {
			return Difference(c, "NLL", c.Methods[1].Name, c.Methods[0].Name)
		}})
	}
	return all
}

// cleanAndCorrupted draws the clean images on the left and the severities 1 to 5 on the right.
func cleanAndCorrupted(c score.Comparison, draw func(c score.Comparison, levels ...int) (*viz.Figure, error)) (*viz.Figure, error) {
	clean, err := draw(c, 0)
	if err != nil {
		return nil, err
	}
	corrupted, err := draw(c)
	if err != nil {
		return nil, err
	}
	return viz.Row(clean.Titled("clean"), corrupted.Titled("severities 1 to 5"))
}

// unwritten returns the error of results that can't be written into a directory.
func unwritten(directory string, err error) error {
	return fmt.Errorf("report: no results can be written into %s: %w: make the directory writable, or choose another one", directory, err)
}
