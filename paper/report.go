package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Report is a figure as data: the curves with their standard deviations over seeds, the verdicts
// and the card of every run.
type Report struct {
	Figure   int            `json:"figure"`
	Title    string         `json:"title"`
	Scale    Scale          `json:"scale"`
	Suite    string         `json:"suite"`   // of corruptions
	Samples  int            `json:"samples"` // Monte-Carlo samples an image
	Images   int            `json:"images"`  // test images of each cell
	Seeds    []uint64       `json:"seeds"`
	Methods  []MethodReport `json:"methods"`
	Verdicts Verdicts       `json:"verdicts"`
	Checks   []CheckResult  `json:"checks,omitempty"`
	Runs     []RunReport    `json:"runs"`

	Implicit []ImplicitReport `json:"implicit,omitempty"` // of a figure on implicit corruptions, which has no levels; left out of Figure 5 if more than 1,000
	Cross    []crossReport    `json:"cross,omitempty"`    // of Figure 5
	Clouds   []cloudReport    `json:"clouds,omitempty"`   // of a figure of clouds, which has no levels

	table [][]string // of the CSV file
}

// MethodReport holds one method's curves.
type MethodReport struct {
	Name    string                 `json:"name"`
	Row     string                 `json:"row,omitempty"` // of panels, the data set of a benchmark
	Entropy CurveReport            `json:"entropy"`       // nats, at the start and after each epoch
	Levels  map[string]CurveReport `json:"levels"`        // by metric, such as NLL, at the levels 0 to 5

	Cost *score.Cost `json:"cost,omitempty"` // of a run, in a benchmark
}

// CurveReport is a curve over seeds, with the paper's mean where it is public.
type CurveReport struct {
	Mean  []float64 `json:"mean"`
	Std   []float64 `json:"std"`
	Paper []float64 `json:"paper,omitempty"`

	PaperCorruptions int `json:"paper_corruptions,omitempty"` // over which the paper averages
}

// RunReport is where one run's numbers come from.
type RunReport struct {
	Method string     `json:"method"`
	Seed   uint64     `json:"seed"`
	Card   nbbnn.Card `json:"card"`
}

// Report returns the measured figure as data.
func (r *Result) Report() (Report, error) {
	report := Report{
		Figure: r.Figure.Number, Title: r.Figure.Title, Scale: r.Scale, Seeds: r.Setup.Seeds,
		Verdicts: r.Verdicts(), Checks: r.Checks(),
	}
	if !r.Evaluated() {
		return Report{}, fmt.Errorf("paper: figure %d isn't evaluated: call Figure.Evaluate first", r.Figure.Number)
	}
	for _, method := range r.methodNames() {
		m := MethodReport{Name: method, Levels: map[string]CurveReport{}}
		m.Entropy.Mean, m.Entropy.Std = meansAndStds(r.EntropySummary(method))
		report.Methods = append(report.Methods, m)
	}
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return Report{}, err
		}
		report.Runs = append(report.Runs, RunReport{run.Method, run.Seed, card})
	}
	return report, r.Figure.Collect.report(r, &report)
}

// passesEnding is added to a benchmark's name for the picture of passesFigure.
const passesEnding = "-passes.png"

// Save writes the measured figure into a directory, as figure-03.png, .csv and .json, and returns
// the paths of the files. The JSON file holds the Report, the CSV file its table. A benchmark also
// has the picture of passesFigure, if the costs of its runs are known.
func (r *Result) Save(directory string) ([]string, error) {
	report, err := r.Report()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	base := filepath.Join(directory, r.Figure.Name())
	figure, err := r.Draw()
	if err != nil {
		return nil, err
	}
	if err := figure.Save(base + ".png"); err != nil {
		return nil, unwritten(directory, err)
	}
	if err := files.Write(base+".csv", report.WriteCSV); err != nil {
		return nil, unwritten(directory, err)
	}
	if err := files.Write(base+".json", report.WriteJSON); err != nil {
		return nil, unwritten(directory, err)
	}
	paths := []string{base + ".png", base + ".csv", base + ".json"}
	passes, err := passesFigure(r)
	if err != nil || passes == nil {
		return paths, err
	}
	if err := passes.Save(base + passesEnding); err != nil {
		return nil, unwritten(directory, err)
	}
	return append(paths, base+passesEnding), nil
}

// unwritten returns the error of a result that can't be written into a directory.
func unwritten(directory string, err error) error {
	return fmt.Errorf("paper: no results can be written into %s: %w: make the directory writable, or choose another one", directory, err)
}

// WriteJSON writes the report as indented JSON.
func (r Report) WriteJSON(w io.Writer) error { return files.WriteJSON(w, r) }

// WriteCSV writes the numbers as a table. For a figure of levels it has the mean and the standard
// deviation over the seeds, what was measured on what, and the paper's mean.
func (r Report) WriteCSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(r.table) }

// levelRows is the table of a figure of levels.
func (r Report) levelRows() [][]string {
	rows := [][]string{{
		"method", "metric", "level", "mean", "std", "suite", "samples", "images", "seeds", "paper_mean", "paper_corruptions",
	}}
	test := []string{r.Suite, strconv.Itoa(r.Samples), strconv.Itoa(r.Images), strconv.Itoa(len(r.Seeds))}
	for _, method := range r.Methods {
		for _, metric := range reported {
			curve := method.Levels[metric]
			for level := range curve.Mean {
				row := []string{method.Name, metric, strconv.Itoa(level), decimal(curve.Mean[level]), decimal(curve.Std[level])}
				rows = append(rows, slices.Concat(row, test, curve.paper(level)))
			}
		}
	}
	return rows
}

// paper returns the last two columns.
func (c CurveReport) paper(level int) []string {
	if c.Paper == nil {
		return []string{"", ""}
	}
	return []string{decimal(c.Paper[level]), strconv.Itoa(c.PaperCorruptions)}
}
