package paper

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// benchmarkMeasurement tests each run as levelMeasurement does, and the ensembles of each method's
// seeds, whose curves are called "ens METHOD".
type benchmarkMeasurement struct{ levelMeasurement }

// benchmarkMetrics are the columns of a benchmark's panels, from left to right: the paper's, and the
// temperature-scaled likelihood if all runs have it.
var benchmarkMetrics = []string{ECE, NLL, ScaledNLL, Error}

// members returns the seeds of the ensemble that ends with a seed: Setup.Ensemble consecutive ones,
// such as 1 to 5 for 5. A seed that ends none, or an ensemble of which the set-up lacks a seed, has
// none.
func (s Setup) members(last uint64) (seeds []uint64) {
	size := uint64(max(0, s.Ensemble))
	if size < 2 || last == 0 || last%size != 0 {
		return nil
	}
	for seed := last - size + 1; seed <= last; seed++ {
		if !slices.Contains(s.Seeds, seed) {
			return nil
		}
		seeds = append(seeds, seed)
	}
	return seeds
}

func (m benchmarkMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	return float64(1+len(s.members(config.Seed))) * m.levelMeasurement.operations(s, config)
}

func (m benchmarkMeasurement) done(s Setup, run *nbbnn.Run) bool {
	if !m.levelMeasurement.done(s, run) {
		return false
	}
	ensemble, err := openEnsemble(s, run)
	return err == nil && (ensemble == nil || ensemble.Evaluated(s.Evaluation))
}

// openEnsemble returns the ensemble whose last member is a run, or nil if the run ends none.
func openEnsemble(s Setup, run *nbbnn.Run) (*nbbnn.Ensemble, error) {
	directory := filepath.Dir(run.Directory())
	var members []*nbbnn.Run
	for _, seed := range s.members(run.Config().Seed) {
		config := run.Config()
		config.Seed = seed
		member, err := nbbnn.Open(directory, config)
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	if len(members) == 0 {
		return nil, nil
	}
	return nbbnn.OpenEnsemble(directory, members...)
}

func (m benchmarkMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	if err := m.levelMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	last := &r.Runs[run]
	ensemble, err := openEnsemble(r.Setup, last.Run.Run)
	if err != nil || ensemble == nil {
		return err
	}
	last.Ensemble, err = ensemble.Evaluate(ctx, r.Setup.Evaluation, progress)
	return err
}

// withEnsembles returns a result in which the ensembles of each method follow it as a method of
// their own. They have scores and costs, but no directory and no history.
func withEnsembles(r *Result) *Result {
	all := *r
	all.Setup.Methods, all.Runs = nil, withCosts(r.Runs)
	for _, method := range r.Setup.Methods {
		all.Setup.Methods = append(all.Setup.Methods, method)
		ensembles := Method{Name: ensemblePrefix + method.Name, Row: method.Row, Change: method.Change}
		before := len(all.Runs)
		for _, run := range all.Runs[:before] {
			if run.Method == method.Name && run.Row == method.Row && len(run.Ensemble) > 0 {
				all.Runs = append(all.Runs, RunResult{
					Run: Run{Method: ensembles.Name, Row: method.Row, Seed: run.Seed}, Measured: true, Cells: run.Ensemble,
					Cost: ensembleCost(&all, run),
				})
			}
		}
		if len(all.Runs) > before {
			all.Setup.Methods = append(all.Setup.Methods, ensembles)
		}
	}
	return &all
}

// ensemblePrefix begins the names of ensembles.
const ensemblePrefix = "ens "

// onlyEnsembles returns the part of a result with ensembles that are ensembles, under the names of
// their methods, or the rest.
func onlyEnsembles(r *Result, wanted bool) *Result {
	part := *r
	part.Setup.Methods, part.Runs = nil, nil
	for _, method := range r.Setup.Methods {
		name, is := strings.CutPrefix(method.Name, ensemblePrefix)
		if is == wanted {
			method.Name = name
			part.Setup.Methods = append(part.Setup.Methods, method)
		}
	}
	for _, run := range r.Runs {
		name, is := strings.CutPrefix(run.Method, ensemblePrefix)
		if is == wanted {
			run.Method = name
			part.Runs = append(part.Runs, run)
		}
	}
	return &part
}

// mostTogether is the largest number of methods that are drawn in one row with their ensembles.
const mostTogether = 5

// drawBenchmark returns a row of panels for each data set: those of benchmarkMetrics that all runs
// have, against the corruption level. The ensembles of many methods have a row of their own, with
// the same vertical ranges.
func drawBenchmark(r *Result) (*viz.Figure, error) {
	all := withEnsembles(r)
	var grid []viz.LevelRow
	var alike [][]int // rows with the same ranges
	for _, name := range all.rows() {
		row := all.row(name)
		parts := []*Result{row}
		if len(r.row(name).Setup.Methods) > mostTogether && len(onlyEnsembles(row, true).Runs) > 0 {
			parts = []*Result{onlyEnsembles(row, false), onlyEnsembles(row, true)}
		}
		var rows []int
		for i, part := range parts {
			drawn := viz.LevelRow{Title: name}
			if len(parts) > 1 {
				kind := []string{"single runs", fmt.Sprintf("ensembles of %d", r.Setup.Ensemble)}[i]
				drawn.Title = strings.TrimPrefix(name+", "+kind, ", ")
			}
			for _, metric := range all.measured(benchmarkMetrics...) {
				curves, err := part.levelCurves(metric)
				if err != nil {
					return nil, err
				}
				drawn.Panels = append(drawn.Panels, viz.LevelPanel{Metric: metric, Curves: curves})
			}
			rows = append(rows, len(grid))
			grid = append(grid, drawn)
		}
		alike = append(alike, rows)
	}
	figure, err := viz.LevelGrid(grid...)
	if err != nil {
		return nil, err
	}
	shareRows(figure, len(grid[0].Panels), alike)
	return figure, nil
}

// shareRows gives the panels of each column the same vertical range in the rows that are alike.
func shareRows(figure *viz.Figure, columns int, alike [][]int) {
	for _, rows := range alike {
		for column := range columns {
			var plots []*plot.Plot
			for _, row := range rows {
				plots = append(plots, figure.Plots()[row*columns+column])
			}
			sharePlotRange(plots)
		}
	}
}

// table has the rows of each data set one below the other.
func (benchmarkMeasurement) table(r *Result) (table viz.Table, err error) {
	all := withEnsembles(r)
	for _, name := range all.rows() {
		part, err := all.row(name).NarrowTable(all.measured(NLL, ScaledNLL, Error, ECE)...)
		if err != nil {
			return viz.Table{}, err
		}
		for i := range part.Rows {
			if name != "" && part.Rows[i][0] != "" {
				part.Rows[i][0] = name + " " + part.Rows[i][0]
			}
		}
		part.Rows = append(table.Rows, part.Rows...)
		table = part
	}
	return table, nil
}

func (benchmarkMeasurement) test(r *Result) string {
	first := r.row(r.rows()[0])
	return levelMeasurement{}.test(first)
}

// report adds the curves of the ensembles, and to each curve its data set.
func (m benchmarkMeasurement) report(r *Result, data *Report) error {
	all := withEnsembles(r)
	data.Methods, data.table = nil, nil
	for _, name := range all.rows() {
		row := all.row(name)
		part := Report{Seeds: data.Seeds}
		for _, method := range row.methodNames() {
			curves := MethodReport{Name: method, Row: name}
			curves.Entropy.Mean, curves.Entropy.Std = meansAndStds(row.EntropySummary(method))
			part.Methods = append(part.Methods, curves)
		}
		if err := m.levelMeasurement.report(row, &part); err != nil {
			return err
		}
		data.Suite, data.Samples, data.Images = part.Suite, part.Samples, part.Images
		addCosts(row, &part)
		data.Methods = append(data.Methods, part.Methods...)
		data.addRows(name, part.table)
	}
	return nil
}

// addRows appends the rows of a part's table, with the data set in front if there are several.
func (r *Report) addRows(name string, table [][]string) {
	if len(r.table) > 0 {
		table = table[1:]
	}
	for i, row := range table {
		switch {
		case name != "" && i == 0 && len(r.table) == 0:
			row = append([]string{"data"}, row...)
		case name != "":
			row = append([]string{name}, row...)
		}
		r.table = append(r.table, row)
	}
}

// sameSamples reports whether two runs took as many samples as one test asks of them: a method whose
// weights alone predict takes one, since all would be the same.
func sameSamples(a, b RunResult) bool {
	asked := max(a.Cells[0].Samples, b.Cells[0].Samples)
	took := func(run RunResult) bool {
		if run.Run.Run == nil {
			return run.Cells[0].Samples == asked
		}
		return run.Cells[0].Samples == samplesOf(run.Config(), asked)
	}
	return took(a) && took(b)
}

// samplesOf returns the number of samples that a run takes of those that a test asks for.
func samplesOf(config nbbnn.Config, asked int) int {
	config = config.WithDefaults()
	if config.Posterior.Mode != nbbnn.Deterministic {
		return asked
	}
	return config.Method.Samples(asked)
}
