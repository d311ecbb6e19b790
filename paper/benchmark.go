package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

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

// withEnsembles returns a benchmark in which the ensembles of each method follow it as a method of
// their own. They have scores and costs, but no directory and no history. Another figure stays as it
// is.
func withEnsembles(r *Result) *Result {
	if !r.Figure.Benchmark {
		return r
	}
	all := *r
	all.Setup.Methods, all.Runs = nil, withCosts(r.Runs)
	for _, method := range r.Setup.Methods {
		all.Setup.Methods = append(all.Setup.Methods, method)
		ensembles := Method{Name: ensemblePrefix + method.Name, Row: method.Row, Change: method.Change}
		before := len(all.Runs)
		for _, run := range all.Runs[:before] {
			if run.Method == method.Name && run.Row == method.Row && len(run.Ensemble) > 0 {
				all.Runs = append(all.Runs, RunResult{
					Run: Run{Method: ensembles.Name, Row: method.Row, Seed: run.Seed}, Cells: run.Ensemble,
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
	part := r.only(func(method, _ string) bool { return strings.HasPrefix(method, ensemblePrefix) == wanted })
	for i := range part.Setup.Methods {
		part.Setup.Methods[i].Name = strings.TrimPrefix(part.Setup.Methods[i].Name, ensemblePrefix)
	}
	for i := range part.Runs {
		part.Runs[i].Method = strings.TrimPrefix(part.Runs[i].Method, ensemblePrefix)
	}
	return part
}

// withCosts returns runs with what each costs, as far as their cards tell.
func withCosts(runs []RunResult) []RunResult {
	runs = slices.Clone(runs)
	for i, run := range runs {
		if run.Run.Run == nil {
			continue
		}
		if cost, err := nbbnn.CostOf(run.Run.Run, run.Cells); err == nil {
			runs[i].Cost = cost
		}
	}
	return runs
}

// ensembleCost is the sum of the members' costs of the ensemble that a run ends; the zero Cost if
// one is unknown.
func ensembleCost(r *Result, last RunResult) (sum score.Cost) {
	members := r.Setup.members(last.Seed)
	for _, run := range r.Runs {
		if run.Method != last.Method || run.Row != last.Row || !slices.Contains(members, run.Seed) {
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
	if !r.Figure.Benchmark || !r.evaluated {
		return nil, false
	}
	all = withEnsembles(r)
	unknown := func(run RunResult) bool { return run.Cost == (score.Cost{}) }
	return all, !slices.ContainsFunc(all.Runs, unknown)
}

// CostTable returns what each method of a benchmark and its ensembles cost: parameters, passes and
// seconds. A figure without costs has no rows.
func CostTable(r *Result) (viz.Table, error) {
	all, known := costed(r)
	if !known {
		return viz.Table{}, nil
	}
	return byRow(all, func(row *Result) (viz.Table, error) { return report.CostTable(row.Comparison()) })
}

// passesFigure draws error and NLL of a benchmark against the passes of a prediction, a row for
// each data set, with the Pareto front. A figure without costs has none: nil.
func passesFigure(r *Result) (*viz.Figure, error) {
	all, known := costed(r)
	if !known {
		return nil, nil
	}
	var rows [][]*viz.Figure
	for _, name := range all.rows() {
		panels, err := report.PassesPanels(all.row(name).Comparison(), Error, NLL)
		if err != nil {
			return nil, err
		}
		row, err := viz.Row(panels...)
		if err != nil {
			return nil, err
		}
		if name != "" {
			row = row.Titled(name)
		}
		rows = append(rows, []*viz.Figure{row})
	}
	figure, err := viz.SharedGrid(rows...)
	if err != nil {
		return nil, err
	}
	return figure.Headed("What a prediction costs, and its error and NLL", r.Subject()), nil
}

// benchmarkMetrics are the columns of a benchmark's panels, from left to right: the paper's, and
// the temperature-scaled likelihood if all runs have it.
var benchmarkMetrics = []string{ECE, NLL, ScaledNLL, Error}

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
		drawn := levelRows(all.row(name), name, all.measured(benchmarkMetrics...))
		var rows []int
		for range drawn {
			rows = append(rows, len(grid)+len(rows))
		}
		grid, alike = append(grid, drawn...), append(alike, rows)
	}
	figure, err := viz.LevelGrid(grid...)
	if err != nil {
		return nil, err
	}
	shareRows(figure, len(grid[0].Panels), alike)
	return figure, nil
}

// levelRows returns the panels of one data set: one row, or two if it has many methods and
// ensembles of them.
func levelRows(row *Result, name string, metrics []string) (drawn []viz.LevelRow) {
	single, ensembles := onlyEnsembles(row, false), onlyEnsembles(row, true)
	if len(single.Setup.Methods) <= mostTogether || len(ensembles.Runs) == 0 {
		return []viz.LevelRow{{Title: name, Panels: levelPanels(row, metrics)}}
	}
	kinds := []string{"single runs", fmt.Sprintf("ensembles of %d", row.Setup.Ensemble)}
	for i, part := range []*Result{single, ensembles} {
		drawn = append(drawn, viz.LevelRow{Title: strings.TrimPrefix(name+", "+kinds[i], ", "), Panels: levelPanels(part, metrics)})
	}
	return drawn
}

func levelPanels(r *Result, metrics []string) (panels []viz.LevelPanel) {
	for _, metric := range metrics {
		panels = append(panels, viz.LevelPanel{Metric: metric, Curves: r.levelCurves(metric)})
	}
	return panels
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
