package paper

import (
	"context"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// benchmarkMeasurement tests each run as levelMeasurement does, and the ensembles of each method's
// seeds, whose curves are called "ens METHOD".
type benchmarkMeasurement struct{ levelMeasurement }

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
	data.Methods, data.csv = nil, nil
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
		data.addRows(name, part.csv)
	}
	return nil
}

// addRows appends the rows of a part's table, with the data set in front if there are several.
func (r *Report) addRows(name string, table [][]string) {
	if len(r.csv) > 0 {
		table = table[1:]
	}
	for i, row := range table {
		switch {
		case name != "" && i == 0 && len(r.csv) == 0:
			row = append([]string{"data"}, row...)
		case name != "":
			row = append([]string{name}, row...)
		}
		r.csv = append(r.csv, row)
	}
}
