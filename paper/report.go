package paper

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/viz"
)

// Report is a figure as data: its finding, verdicts, curves with standard deviations over seeds,
// and runs. The page of a committed result is made from it.
type Report struct {
	Figure int    `json:"figure"`
	Title  string `json:"title"`
	Scale  Scale  `json:"scale"`
	// of the command that made it, in addition to the scale, for example " --images 64"
	Flags   string   `json:"flags,omitempty"`
	Finding string   `json:"finding"`
	Subject string   `json:"subject"`
	Test    string   `json:"test"`
	Seeds   []uint64 `json:"seeds"`
	LeftOut []string `json:"left_out,omitempty"`

	// of the primary claim's least noisy network; nil for a figure that isn't tested on clean
	// images
	Gap      *gap          `json:"gap,omitempty"`
	Verdicts Verdicts      `json:"verdicts"`
	Checks   []CheckResult `json:"checks,omitempty"`
	// ours and the paper's numbers, the header first
	Table [][]string  `json:"table"`
	Costs [][]string  `json:"costs,omitempty"` // of a benchmark's methods, the header first
	Runs  []runReport `json:"runs"`

	Lines []line `json:"lines"` // the numbers, and the entropies of training in nats

	rows [][]string // numbers.rows
}

// runReport names a run.
type runReport struct {
	Method string `json:"method"`
	Row    string `json:"row,omitempty"` // of panels
	Seed   uint64 `json:"seed"`
	Run    string `json:"run"` // its directory
	// its file in cards/ of an exported result, without .9f3c2a1b44d0.record
	Card  string `json:"card"`
	State string `json:"state_sha256,omitempty"` // nbbnn.Card.StateSHA256
}

// Report returns the measured figure as data.
func (r *Result) Report() (report Report, err error) {
	if err := r.checkMeasured(); err != nil {
		return Report{}, err
	}
	verdicts := r.Verdicts()
	report = Report{
		Figure: r.Figure.Number, Title: r.Figure.Title, Scale: r.Scale,
		Flags:   r.flags + r.seedFlag(),
		Finding: findingOf(r.Figure, r.Scale, verdicts), Subject: r.subject(), Test: r.Test(),
		Seeds: r.Setup.Seeds, LeftOut: r.LeftOut,
		Verdicts: verdicts, Checks: r.Checks(),
	}
	if primary, found := verdicts.primary(); found {
		report.Gap = primary.gap
	}
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return Report{}, err
		}
		report.Runs = append(report.Runs, runReport{
			run.Method, run.Row, run.Seed, filepath.Base(run.Directory()),
			recordName(run.Run), card.StateSHA256,
		})
	}
	n := r.Figure.collect.numbers(r)
	report.rows, report.Table = n.rows, withHeader(n.table())
	if report.Lines = r.entropies(); n.at != "epoch" { // a table of entropies is an excerpt of them
		report.Lines = slices.Concat(n.lines, n.untabled, report.Lines)
	}
	costs, err := costTable(r)
	report.Costs = withHeader(costs)
	return report, err
}

// seedFlag returns --seeds=N if N isn't the scale's number.
func (r *Result) seedFlag() string {
	figure, err := ByName(r.Figure.Command())
	count := len(r.Setup.Seeds)
	if err != nil || len(figure.Runs(r.Scale).Seeds) == count ||
		!slices.Equal(r.Setup.Seeds, quantity.FirstSeeds(count)) {
		return ""
	}
	return fmt.Sprintf(" --seeds=%d", count)
}

// recordName begins the name of a run's record in cards/.
func recordName(run Run) string { return report.FileName(run.Name()) }

// withHeader returns the rows of a table, the header first; nil without rows.
func withHeader(table viz.Table) [][]string {
	if len(table.Rows) == 0 {
		return nil
	}
	return slices.Concat([][]string{table.Header}, table.Rows)
}

// Save writes the measured figure into a directory, as figure-03.png, .csv and .json, and returns
// the paths of the files. The JSON file holds the Report, the CSV file its numbers. Save also
// writes figure-03-all.png for a figure with more panels than that, and marginals for a figure that
// samples latents.
func (r *Result) Save(directory string) (paths []string, err error) {
	report, err := r.Report()
	if err != nil {
		return nil, err
	}
	figure, err := r.Draw()
	if err != nil {
		return nil, err
	}
	whole, err := allPanels(r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	save := func(ending string, write func(path string) error) {
		path := filepath.Join(directory, r.Figure.Name()+ending)
		if err == nil {
			paths, err = append(paths, path), write(path)
		}
	}
	save(".png", figure.Save)
	save(".csv", func(path string) error { return files.Write(path, report.writeCSV) })
	save(".json", func(path string) error {
		return files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, report) })
	})
	if whole != nil {
		save(allEnding, whole.Save)
	}
	marginalsOf(r).save(save)
	if err != nil {
		return nil, unwritten(directory, err)
	}
	return paths, nil
}

// allEnding ends the name of the picture of all panels.
const allEnding = "-all.png"

// allPanels draws the figure with the panels that Draw leaves out; nil if it leaves out none.
func allPanels(r *Result) (*viz.Figure, error) {
	if r.Figure.whole == nil {
		return nil, nil
	}
	return r.headed(r.Figure.whole)
}

// unwritten returns the error of a result that can't be written into a directory.
func unwritten(directory string, err error) error {
	return fmt.Errorf("paper: can't write results into %s: %w: make the directory "+
		"writable, or choose another one", directory, err)
}

// Names of the files of an exported result, besides the files of Result.Save.
const (
	remarksFile = "remarks.md" // written by a person
	cardsFolder = "cards"
)

// export writes the measured figure as Save does, and a committed result's records of the runs in
// cards/. Gallery makes a page of it. It refuses the directory of another figure or scale, and
// other records.
func export(r *Result, directory string) ([]string, error) {
	if err := checkExport(r.Figure, r.Scale, directory); err != nil {
		return nil, err
	}
	var names, directories []string
	for _, run := range r.Runs {
		names, directories = append(names, run.Name()), append(directories, run.Directory())
	}
	cards := filepath.Join(directory, cardsFolder)
	if err := report.WriteRecords(cards, names, directories); err != nil {
		return nil, err
	}
	paths, err := r.Save(directory)
	return append(paths, cards), err
}

// checkExport returns an error if export of the figure at a scale would refuse a directory: one
// that holds the result of another figure or scale.
func checkExport(f Figure, scale Scale, directory string) error {
	if _, err := os.Stat(filepath.Join(directory, cardsFolder)); err != nil {
		return nil // Save has written there, if anybody
	}
	for _, path := range reportFiles(directory) {
		var before Report
		if readJSON(path, &before) != nil {
			continue // a damaged file is replaced
		}
		if before.Figure != f.Number || before.Scale != scale {
			there := Figure{Number: before.Figure}
			return fmt.Errorf("paper: %s holds the result of figure %s at the scale %s: choose "+
				"another directory for figure %s at the scale %s",
				directory, there.Command(), before.Scale, f.Command(), scale)
		}
	}
	return nil
}

// reportFiles returns the files of reports in a folder of results, at most one in a folder of
// export.
func reportFiles(directory string) []string {
	figures, _ := filepath.Glob(filepath.Join(directory, "figure-*.json"))
	demo, _ := filepath.Glob(filepath.Join(directory, Demo.Name()+".json"))
	return append(figures, demo...)
}
