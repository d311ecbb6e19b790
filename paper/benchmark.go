package paper

import (
	"path/filepath"
	"slices"
	"strings"

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

// ensembleCost returns the sum of the members' costs of the ensemble that a run ends; the zero Cost
// if one is unknown.
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

// costTable returns the costs of each method of a benchmark and its ensembles: parameters, passes
// and seconds, the rows of panels one below the other. A figure has no rows if the cost of a run
// isn't known.
func costTable(r *Result) (all viz.Table, err error) {
	benchmark := withEnsembles(r)
	if !r.Figure.benchmark || !r.evaluated ||
		slices.ContainsFunc(benchmark.Runs, func(run RunResult) bool {
			return run.Cost == (score.Cost{})
		}) {
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

// benchmarkMetrics are the panels of a benchmark: the paper's metrics, and the temperature-scaled
// likelihood if all runs have it.
var benchmarkMetrics = []string{NLL, ScaledNLL, Error, ECE}

// drawBenchmark draws what the methods change against MAP, a panel for each metric and data set.
// Without runs of MAP it draws the levels.
func drawBenchmark(r *Result) (*viz.Figure, error) {
	if len(r.of(mapName)) == 0 {
		return drawBenchmarkLevels(r)
	}
	var b board
	for _, name := range r.rows() {
		for i, metric := range r.measured(benchmarkMetrics...) {
			if i%2 == 0 {
				b.row()
			}
			panel, err := againstMAP(r.row(name), metric)
			if panel != nil && len(r.rows()) > 1 {
				panel = panel.Titled(name)
			}
			b.add(panel, err)
		}
	}
	return b.arranged(viz.Stretched)
}

// againstMAP draws a row for each method with the seeds of MAP: its difference in a metric to MAP,
// the mean over the levels 1 to 5. It is nil if none has them.
func againstMAP(r *Result, name string) (*viz.Figure, error) {
	metric := metricOf(name)
	p := viz.DifferencePlot{Quantity: metric.Title + " − MAP's", Claimed: -1,
		Caption: "means of levels 1 to 5; bars: 95 % intervals; dots: seeds"}
	if unit := metric.DifferenceUnit(); unit != "" {
		p.Quantity += " (" + unit + ")"
	}
	for _, method := range r.methodNames() {
		if method == mapName || !paired(r.of(method), r.of(mapName), false) {
			continue
		}
		for _, e := range lower(name, underCorruption, method, mapName)(r) {
			e.Name = method
			p.Differences = append(p.Differences, e.drawn())
		}
	}
	if len(p.Differences) == 0 {
		return nil, nil
	}
	return viz.Differences(p)
}

// drawBenchmarkLevels draws the metrics against the corruption level, a panel for each method of a
// data set and for its ensembles.
func drawBenchmarkLevels(r *Result) (*viz.Figure, error) {
	all := withEnsembles(r)
	var b board
	for _, name := range all.rows() {
		for _, metric := range all.measured(benchmarkMetrics...) {
			b.row()
			b.add(viz.LevelMultiples(viz.LevelPanel{Metric: metric,
				Curves: all.row(name).levelCurves(metric)}))
			b.title(name)
		}
	}
	return b.arranged(viz.Stretched)
}
