package paper

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/indented"
)

// Save writes the evaluated figure into a directory, as figure-03.png, .csv and .json, and returns the paths of the files. The
// table is what Report.WriteCSV writes; the JSON file holds the Report.
func (r *Result) Save(directory string) ([]string, error) {
	report, err := r.Report()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, "--out", err)
	}
	base := filepath.Join(directory, r.Figure.Name())
	figure, err := r.Draw()
	if err != nil {
		return nil, err
	}
	if err := figure.Save(base + ".png"); err != nil {
		return nil, unwritten(directory, "--out", err)
	}
	if err := atomicfile.Write(base+".csv", report.WriteCSV); err != nil {
		return nil, unwritten(directory, "--out", err)
	}
	if err := atomicfile.Write(base+".json", report.WriteJSON); err != nil {
		return nil, unwritten(directory, "--out", err)
	}
	return []string{base + ".png", base + ".csv", base + ".json"}, nil
}

// WriteJSON writes the report as indented JSON.
func (r Report) WriteJSON(w io.Writer) error { return indented.Write(w, r) }

// WriteCSV writes the levels as a table: what was measured, the mean and the standard deviation over the seeds, on what, and
// the paper's mean with the number of corruptions that it's over; or one line for each implicit corruption.
func (r Report) WriteCSV(w io.Writer) error {
	if r.Implicit != nil {
		return csv.NewWriter(w).WriteAll(implicitRows(r.Implicit))
	}
	rows := [][]string{{
		"method", "metric", "level", "mean", "std", "suite", "samples", "images", "seeds", "paper_mean", "paper_corruptions",
	}}
	test := []string{r.Suite, strconv.Itoa(r.Samples), strconv.Itoa(r.Images), strconv.Itoa(len(r.Seeds))}
	for _, method := range r.Methods {
		for _, metric := range Metrics() {
			curve := method.Levels[metric]
			for level := range curve.Mean {
				row := []string{method.Name, metric, strconv.Itoa(level), decimal(curve.Mean[level]), decimal(curve.Std[level])}
				rows = append(rows, slices.Concat(row, test, curve.paper(level)))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// paper returns the last two columns.
func (c CurveReport) paper(level int) []string {
	if c.Paper == nil {
		return []string{"", ""}
	}
	return []string{decimal(c.Paper[level]), strconv.Itoa(c.PaperCorruptions)}
}

func decimal(value float64) string { return strconv.FormatFloat(value, 'f', 6, 64) }
