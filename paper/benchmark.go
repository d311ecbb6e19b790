package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// memberSeeds returns the seeds of the ensemble that ends with a seed: Setup.Ensemble consecutive
// ones, 1 to 5 for 5. It returns nil if no ensemble ends with that seed or one of its seeds isn't
// in the set-up.
func memberSeeds(s Setup, last uint64) (seeds []uint64) {
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

// openEnsemble returns the ensemble whose last member is a run, or nil if the run ends none.
func openEnsemble(s Setup, run *nbbnn.Run) (*nbbnn.Ensemble, error) {
	directory := filepath.Dir(run.Directory())
	var members []*nbbnn.Run
	for _, seed := range memberSeeds(s, run.Config().Seed) {
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

// withEnsembles returns a benchmark in which each method's ensembles follow it as another method.
// They have scores and costs, but no directory and no history. Other figures stay unchanged.
func withEnsembles(r *Result) *Result {
	if !r.Figure.benchmark {
		return r
	}
	all := *r
	all.Setup.Methods, all.Runs = nil, slices.Clone(r.Runs)
	for _, method := range r.Setup.Methods {
		all.Setup.Methods = append(all.Setup.Methods, method)
		ensembles := Method{Name: ensemblePrefix + method.Name, Row: method.Row,
			Change: method.Change}
		before := len(all.Runs)
		for _, run := range all.Runs[:before] {
			if run.Method == method.Name && run.Row == method.Row && len(run.Ensemble) > 0 {
				all.Runs = append(all.Runs, RunResult{
					Run:   Run{Method: ensembles.Name, Row: method.Row, Seed: run.Seed},
					Cells: run.Ensemble,
					Cost:  ensembleCost(&all, run),
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
	part := r.only(func(method, _ string) bool {
		return strings.HasPrefix(method, ensemblePrefix) == wanted
	})
	for i := range part.Setup.Methods {
		part.Setup.Methods[i].Name = strings.TrimPrefix(part.Setup.Methods[i].Name, ensemblePrefix)
	}
	for i := range part.Runs {
		part.Runs[i].Method = strings.TrimPrefix(part.Runs[i].Method, ensemblePrefix)
	}
	return part
}

// ensembleCost is the sum of the members' costs of the ensemble that a run ends; the zero Cost if
// one is unknown.
func ensembleCost(r *Result, last RunResult) (sum score.Cost) {
	seeds := memberSeeds(r.Setup, last.Seed)
	for _, run := range r.Runs {
		if run.Method != last.Method || run.Row != last.Row || !slices.Contains(seeds, run.Seed) {
			continue
		}
		if run.Cost == (score.Cost{}) {
			return score.Cost{}
		}
		sum = sum.Plus(run.Cost)
	}
	return sum
}

// costed returns a benchmark with its ensembles; false for another figure, or if the cost of a run
// isn't known.
func costed(r *Result) (all *Result, known bool) {
	if !r.Figure.benchmark || !r.evaluated {
		return nil, false
	}
	all = withEnsembles(r)
	unknown := func(run RunResult) bool { return run.Cost == (score.Cost{}) }
	return all, !slices.ContainsFunc(all.Runs, unknown)
}

// CostTable returns the costs of each method of a benchmark and its ensembles: parameters, passes
// and seconds, the rows of panels one below the other. A figure without costs has no rows.
func CostTable(r *Result) (all viz.Table, err error) {
	benchmark, known := costed(r)
	if !known {
		return viz.Table{}, nil
	}
	for _, name := range benchmark.rows() {
		table, err := report.CostTable(benchmark.row(name).Comparison())
		if err != nil {
			return viz.Table{}, err
		}
		for _, cells := range table.Rows {
			cells[0] = withRow(name, cells[0])
		}
		table.Rows = append(all.Rows, table.Rows...)
		all = table
	}
	return all, nil
}

// withRow puts the name of a row of panels, if any, in front of a text.
func withRow(row, what string) string { return strings.TrimPrefix(row+" "+what, " ") }

// passesFigure draws error and NLL of a benchmark against the passes of a prediction, a row for
// each data set, with the Pareto front. A figure without costs has none: nil.
func passesFigure(r *Result) (*viz.Figure, error) {
	all, known := costed(r)
	if !known {
		return nil, nil
	}
	var b board
	for _, name := range all.rows() {
		panels, err := report.PassesPanels(all.row(name).Comparison(), Error, NLL)
		if err != nil {
			return nil, err
		}
		b.row()
		b.add(viz.Row(panels...))
		if name != "" {
			b.title(name)
		}
	}
	figure, err := b.arranged(viz.SharedGrid)
	if err != nil {
		return nil, err
	}
	return figure.Headed("What a prediction costs, and its error and NLL", r.subject()), nil
}

// benchmarkMetrics are the columns of a benchmark's panels, from left to right: the paper's, and
// the temperature-scaled likelihood if all runs have it.
var benchmarkMetrics = []string{ECE, NLL, ScaledNLL, Error}

// drawBenchmark returns a row of panels for each data set: the benchmarkMetrics that all runs have,
// against the corruption level. Ensembles have a separate row, with the same vertical ranges.
func drawBenchmark(r *Result) (*viz.Figure, error) {
	all := withEnsembles(r)
	metrics := all.measured(benchmarkMetrics...)
	var grid []viz.LevelRow
	var alike [][2]int // rows with the same ranges: the first, and the one after the last
	for _, name := range all.rows() {
		first, row := len(grid), all.row(name)
		titles := []string{"single runs", fmt.Sprintf("ensembles of %d", r.Setup.Ensemble)}
		for i, part := range []*Result{onlyEnsembles(row, false), onlyEnsembles(row, true)} {
			if len(part.Runs) == 0 {
				continue
			}
			title := strings.TrimPrefix(name+", "+titles[i], ", ")
			if len(part.Runs) == len(row.Runs) {
				title = name
			}
			grid = append(grid, viz.LevelRow{Title: title, Panels: levelPanels(part, metrics)})
		}
		alike = append(alike, [2]int{first, len(grid)})
	}
	figure, err := viz.LevelGrid(grid...)
	if err != nil {
		return nil, err
	}
	for _, rows := range alike {
		for column := range metrics {
			var plots []*plot.Plot
			for row := rows[0]; row < rows[1]; row++ {
				plots = append(plots, figure.Plots()[row*len(metrics)+column])
			}
			sharePlotRange(plots)
		}
	}
	return figure, nil
}

func levelPanels(r *Result, metrics []string) (panels []viz.LevelPanel) {
	for _, metric := range metrics {
		panels = append(panels, viz.LevelPanel{Metric: metric, Curves: r.levelCurves(metric)})
	}
	return panels
}
