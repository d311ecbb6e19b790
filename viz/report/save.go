// Package report draws what runs have recorded, whatever they are part of: comparisons of evaluated
// runs (score.Comparison) and the history of a training.
package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Save draws a comparison into a directory and returns the paths of the files: the metrics at the
// levels, a row of dots for each method, the differences of metrics from the baseline if there is
// one, reliability and risk against coverage on clean and on corrupted images, metrics against the
// cost of a prediction and, if the methods differ in one number, against that, a heat map for each
// method, for two methods their difference, and the tables of scores with costs and of levels in
// several formats, with those of cells as a page. Pictures are PNG, or in the formats given. Further
// metrics, such as "AUGRC", follow the usual ones in the tables of scores and of levels, and a picture
// of the levels has them.
func Save(c score.Comparison, directory string, metrics []string, formats ...string) ([]string, error) {
	if err := viz.CheckFormats(formats...); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	var paths []string
	for _, picture := range pictures(c, metrics) {
		figure, err := picture.draw()
		if err != nil {
			return nil, err
		}
		if figure == nil {
			continue
		}
		files, err := figure.SaveFormats(filepath.Join(directory, picture.name), formats...)
		if err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, files...)
	}
	tables, err := saveTables(c, directory, metrics)
	return append(paths, tables...), err
}

// picture is a picture of Save; its figure is nil if it has nothing to show.
type picture struct {
	name string // of its files, without the format
	draw func() (*viz.Figure, error)
}

// pictures lists the pictures of Save.
func pictures(c score.Comparison, metrics []string) []picture {
	all := []picture{
		{"levels", func() (*viz.Figure, error) { return Levels(c) }},
		{"dots", func() (*viz.Figure, error) { return Dots(c) }},
		{"versus", func() (*viz.Figure, error) { return Versus(c) }},
	}
	if len(c.Unbinned()) == 0 {
		all = append(all,
			picture{"reliability", func() (*viz.Figure, error) { return cleanAndCorrupted(c, Reliability) }},
			picture{"risk-coverage", func() (*viz.Figure, error) { return cleanAndCorrupted(c, RiskCoverage) }})
	}
	if c.Baseline != "" {
		all = append(all, picture{"baseline", func() (*viz.Figure, error) { return BaselineDifferences(c) }})
	}
	if slices.ContainsFunc(c.Methods, func(m score.Method) bool { return len(m.Costs) > 0 }) {
		all = append(all, picture{"passes", func() (*viz.Figure, error) { return AgainstPasses(c) }})
	}
	for i, method := range c.Methods {
		all = append(all, picture{fmt.Sprintf("cells-%d", i+1), func() (*viz.Figure, error) {
			return HeatMaps(score.Comparison{Suite: c.Suite, Methods: []score.Method{method}}, "NLL")
		}})
	}
	if len(c.Methods) == 2 {
		all = append(all, picture{"difference", func() (*viz.Figure, error) {
			return Difference(c, "NLL", c.Methods[1].Name, c.Methods[0].Name)
		}})
	}
	if len(metrics) > 0 {
		all = append(all, picture{"metrics", func() (*viz.Figure, error) { return Levels(c, metrics...) }})
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
