package paper

import (
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

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
