package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// comparedMethod is a method as `nbbnn compare --json` prints it.
type comparedMethod struct {
	// its differences from the other methods, for example "gamma 80, components 4"
	Name   string   `json:"name"`
	Config any      `json:"config"` // filled, with seed 0
	Seeds  []uint64 `json:"seeds"`  // in rising order
	// names of the runs' directories, in the order of the seeds
	Runs    []string `json:"runs"`
	Members []uint64 `json:"members,omitempty"` // seeds of an ensemble's members
	// seeds of the runs that have
	Unlearnt []uint64 `json:"hardly_learnt,omitempty"`

	Evaluation *nbbnn.Evaluation `json:"evaluation,omitempty"` // with --evaluations
	Levels     *score.LevelTable `json:"levels,omitempty"`
	Cost       *score.Cost       `json:"cost,omitempty"`
	// of --metrics, by their names
	Metrics map[string]score.LevelSeries `json:"metrics,omitempty"`
	// metrics of tests only on clean images, by name
	Clean map[string]score.Summary `json:"clean,omitempty"`

	// by the names of metrics
	FromBaseline map[string]report.FromBaseline `json:"from_baseline,omitempty"`
}

// results returns the methods of a comparison for JSON.
func (o compareOrder) results(compared score.Comparison) (all []comparedMethod, err error) {
	for _, m := range compared.Methods {
		method := comparedMethod{
			Name: m.Name, Config: m.Settings, Seeds: m.Seeds, Runs: m.Runs, Members: m.Members,
			Unlearnt:     m.Unlearnt,
			Metrics:      map[string]score.LevelSeries{},
			FromBaseline: map[string]report.FromBaseline{},
			Clean:        map[string]score.Summary{},
		}
		if cost, known := m.Cost(); known {
			method.Cost = &cost
		}
		if o.each {
			method.Evaluation = &o.evaluation
		}
		all = append(all, method)
	}
	if o.clean {
		return all, o.addClean(all, compared)
	}
	tables, err := compared.Tables()
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Levels = &tables[i]
	}
	for _, name := range o.shown(compared) {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		if err := o.addMetric(all, compared, metric); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addClean adds the metrics of tests on clean images to methods.
func (o compareOrder) addClean(all []comparedMethod, compared score.Comparison) error {
	for _, name := range o.shown(compared) {
		metric, _ := score.MetricByName(name) // check has found it
		summaries, err := report.CleanSummaries(compared, metric)
		if err != nil {
			return err
		}
		for i, s := range summaries {
			all[i].Clean[metric.Name] = s
		}
	}
	return nil
}

// addMetric adds a metric to methods if it's asked for, and its differences from the baseline if
// there is one.
func (o compareOrder) addMetric(all []comparedMethod, compared score.Comparison,
	metric score.Metric) error {
	if len(o.metrics) > 0 {
		for i, m := range compared.Methods {
			series, err := metric.Series(compared.Suite, m.Cells...)
			if err != nil {
				return err
			}
			all[i].Metrics[metric.Name] = series
		}
	}
	if o.baseline == "" {
		return nil
	}
	differences, err := report.FromBaselines(compared, metric)
	for _, d := range differences {
		all[slices.Index(compared.Names(), d.Method)].FromBaseline[metric.Name] = d
	}
	return err
}

// shown returns the metrics that are asked for, or the usual ones.
func (o compareOrder) shown(compared score.Comparison) []string {
	if len(o.metrics) > 0 {
		return o.metrics
	}
	return report.Metrics(compared)
}

// print prints the tables of a comparison, its test and runs, and the written files.
func (o compareOrder) print(a *app, compared score.Comparison, methods []comparedMethod,
	files []string) error {
	tables, err := o.tables(a, compared)
	if err != nil {
		return err
	}
	if o.data != "" {
		fmt.Fprintf(a.out, "data     %s\n\n", o.data)
	}
	if o.each {
		fmt.Fprintf(a.out, "test     %s\n\n", strings.Join(evaluationFlags(o.evaluation), " "))
	}
	if err := a.printTable(tables...); err != nil {
		return err
	}
	if o.clean {
		fmt.Fprintf(a.out, "tested   %s, %s\n",
			quantity.Count(compared.Methods[0].Cells[0][0].Images, "clean test image"),
			report.Samples(compared))
	} else {
		first := methods[0].Levels
		fmt.Fprintf(a.out, "tested   %s, %s, %s, %d %s\n", first.Suite,
			quantity.Count(first.Corruptions, "corruption"),
			report.Samples(compared), first.Images, quantity.Noun(first.Images, "image"))
	}
	for _, m := range methods {
		seeds := m.Seeds
		if m.Members != nil {
			seeds = m.Members
		}
		fmt.Fprintf(a.out, "runs     %d of %s: %s, %s %s\n", len(m.Runs), m.Name,
			strings.Join(m.Runs, " "),
			quantity.Noun(len(seeds), "seed"), quantity.Spaced(seeds))
	}
	printFiles(a, files)
	return nil
}

// tables returns the metrics at every level, the differences from a baseline and the costs.
func (o compareOrder) tables(a *app, compared score.Comparison) ([]viz.Table, error) {
	if o.baseline != "" {
		noteUnpaired(a, compared)
	}
	compared = report.Marked(compared, false)
	if o.clean {
		table, err := report.CleanTable(compared, o.shown(compared)...)
		table.Caption = "" // nothing is bold here
		if err != nil {
			return nil, err
		}
		costs, err := report.CostTable(compared)
		return []viz.Table{table, costs}, err
	}
	levels, err := levelTable(compared, o.shown(compared)...)
	if err != nil {
		return nil, err
	}
	tables := []viz.Table{levels}
	if o.baseline != "" {
		differences, err := report.BaselineTable(compared, o.shown(compared)...)
		if err != nil {
			return nil, err
		}
		if len(differences.Rows) > 0 {
			tables = append(tables, differences)
		}
	}
	if o.each { // which differ only in the cost of predictions
		return tables, nil
	}
	costs, err := report.CostTable(compared)
	return append(tables, costs), err
}

// levelTable returns the table of metrics of methods at every level: the mean and the standard
// deviation over n seeds, and from score.IntervalSeeds on half of the mean's interval below them.
func levelTable(compared score.Comparison, metrics ...string) (table viz.Table, err error) {
	panels, err := report.Panels(compared, metrics...)
	if err != nil {
		return table, err
	}
	table = viz.Table{Header: []string{"", "level", "n", "0", "1", "2", "3", "4", "5"}, Labels: 3,
		Foot: report.Foot(compared)}
	for _, panel := range panels {
		metric, err := score.MetricByName(panel.Metric)
		if err != nil {
			return table, err
		}
		for _, method := range panel.Curves {
			row := []string{metric.Heading(), method.Name, fmt.Sprint(method.Seeds)}
			interval := []string{metric.Heading(), "", "95 %"}
			for level, mean := range method.Mean {
				s := score.Summary{Mean: mean, Std: method.Std[level], N: method.Seeds}
				row = append(row, quantity.MeanStd(metric.Shown(s.Mean), metric.Shown(s.Std), s.N,
					metric.Decimals()))
				if ends := s.Interval(0.95); ends != nil {
					interval = append(interval, fmt.Sprintf("± %.*f", metric.Decimals(),
						metric.Shown(ends[1]-ends[0])/2))
				}
			}
			if table.Rows = append(table.Rows, row); method.Seeds >= score.IntervalSeeds {
				table.Rows = append(table.Rows, interval)
			}
		}
	}
	return table, nil
}

// printFiles prints paths. Those that differ in their extension alone share a line,
// "out/levels.png .pdf .tex".
func printFiles(a *app, paths []string) {
	var lines []string
	at := map[string]int{} // the line of a path without its extension
	for _, path := range paths {
		extension := filepath.Ext(path)
		base := strings.TrimSuffix(path, extension)
		if place, found := at[base]; found {
			lines[place] += " " + extension
		} else {
			at[base], lines = len(lines), append(lines, path)
		}
	}
	for _, line := range lines {
		fmt.Fprintf(a.out, "wrote    %s\n", line)
	}
}

// noteWithoutBins names the runs without bins, because of which MeanECE replaces ECE.
func noteWithoutBins(a *app, compared score.Comparison) {
	runs := report.Unbinned(compared)
	if len(runs) == 0 {
		return
	}
	a.note("MeanECE, the mean of the corruptions' ECEs, is shown in place "+
		"of ECE, which counts the predictions of all corruptions together: "+
		"there are no bins of %s (their records lack them)", quantity.List(runs, 3))
}

// noteTemperatures names the runs without ScaledNLL, or whose temperatures were fitted to few
// images.
func noteTemperatures(a *app, compared score.Comparison, runs []*nbbnn.Run, o compareOrder) {
	if len(o.metrics) > 0 && !slices.Contains(o.metrics, "ScaledNLL") {
		return
	}
	cells := map[string]score.Cells{} // by the names of the runs
	for _, method := range compared.Methods {
		for i, name := range method.Runs {
			cells[name] = method.Cells[i]
		}
	}
	var without []string
	least := fewImages
	for _, run := range runs {
		if own := cells[nameOf(run)]; !own.Scaled() {
			without = append(without, titleOf(run))
		} else if _, images, err := fitted(run, o.evaluation, own[0]); err == nil && images > 0 {
			least = min(least, images)
		}
	}
	switch {
	case len(without) > 0 && len(o.metrics) > 0: // the error says why
	case len(without) > 0:
		a.note("ScaledNLL isn't shown: no temperature of %s: tested by an "+
			"earlier version, or on fewer than %d images with fewer held out",
			quantity.List(without, 3), nbbnn.CrossFitImages)
	case least < fewImages:
		a.note("the temperature of ScaledNLL was fitted to %s, so few that it may raise the NLL",
			quantity.Count(least, "image"))
	}
}

// noteUnpaired names the methods without differences from the baseline, and the reason.
func noteUnpaired(a *app, compared score.Comparison) {
	baseline, _ := compared.Method(compared.Baseline) // it has been found before
	most := 0                                         // seeds in common
	for _, m := range compared.Methods {
		why, pairs := "no seed is in common", 0
		for k, seed := range m.Seeds {
			if baseline.Pair(m, k) >= 0 {
				pairs++
			} else if slices.Contains(baseline.Seeds, seed) {
				why = "noise is compared with the network under it, and several noises on one " +
					"network with others on it"
			}
		}
		if m.Name != baseline.Name {
			most = max(most, pairs)
		}
		if pairs == 0 && m.Members == nil { // the baseline has a pair in itself
			a.note("%s has no difference from %s: %s", m.Name, baseline.Name, why)
		}
	}
	if len(compared.Methods) == 1 {
		a.note("only %s is compared, so nothing differs from it", baseline.Name)
	} else if most == 1 {
		a.note("differences of one seed decide nothing")
	}
}
