package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

// comparedRuns are the runs of a method as `nbbnn compare --json` prints them.
type comparedRuns struct {
	Name    string   `json:"name"`              // in what it differs from the other methods, such as "gamma 80, components 4"
	Config  any      `json:"config"`            // filled, with seed 0
	Seeds   []uint64 `json:"seeds"`             // in rising order
	Runs    []string `json:"runs"`              // names of the runs' directories, in the order of the seeds
	Members []uint64 `json:"members,omitempty"` // seeds of an ensemble's members
}

func comparedRunsOf(m score.Method) comparedRuns {
	return comparedRuns{m.Name, m.Settings, m.Seeds, m.Runs, m.Members}
}

// comparedMethod is a method with its scores.
type comparedMethod struct {
	comparedRuns
	Levels score.LevelTable `json:"levels"`
	Cost   *score.Cost      `json:"cost,omitempty"`

	Metrics map[string]score.LevelSeries `json:"metrics,omitempty"` // those of --metrics, by their names

	FromBaseline map[string]fromBaseline `json:"from_baseline,omitempty"` // by the names of metrics
}

// fromBaseline is how far a method is above the baseline in a metric, within seeds.
type fromBaseline struct {
	Seeds     []uint64          `json:"seeds"` // that both have
	Levels    score.LevelSeries `json:"levels"`
	Corrupted score.Summary     `json:"corrupted"` // of the mean of the levels 1 to 5
}

// comparedMethods returns the methods for JSON, with further metrics of the given names.
func comparedMethods(compared score.Comparison, tables []score.LevelTable, metrics []string) (all []any, err error) {
	differences, err := differencesFrom(compared, metrics)
	if err != nil {
		return nil, err
	}
	for i, m := range compared.Methods {
		method := &comparedMethod{comparedRuns: comparedRunsOf(m), Levels: tables[i], FromBaseline: differences[m.Name]}
		if cost, known := m.Cost(); known {
			method.Cost = &cost
		}
		if len(metrics) > 0 {
			method.Metrics = map[string]score.LevelSeries{}
		}
		for _, name := range metrics {
			metric, series, err := metricSeries(compared, name)
			if err != nil {
				return nil, err
			}
			method.Metrics[metric.Name] = series[i]
		}
		all = append(all, method)
	}
	return all, nil
}

// differencesFrom returns the differences from the baseline, if there is one, in metrics, or in the usual
// ones: by the names of methods, then of metrics.
func differencesFrom(compared score.Comparison, metrics []string) (map[string]map[string]fromBaseline, error) {
	all := map[string]map[string]fromBaseline{}
	if compared.Baseline == "" {
		return all, nil
	}
	if len(metrics) == 0 {
		metrics = report.Metrics(compared)
	}
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		differences, err := report.FromBaselines(compared, metric)
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			if all[d.Method] == nil {
				all[d.Method] = map[string]fromBaseline{}
			}
			all[d.Method][metric.Name] = fromBaseline{d.Seeds, d.Levels(), d.Over(1, score.LevelCount-1)}
		}
	}
	return all, nil
}

// printComparison prints each method's metrics at every level and the files that were written.
func printComparison(a *app, compared score.Comparison, tables []score.LevelTable, metrics, files []string) error {
	text, err := levelsText(metrics, compared)
	if err != nil {
		return err
	}
	costs, err := report.CostTable(compared)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	if compared.Baseline != "" {
		differences, err := report.BaselineTable(compared, metrics...)
		if err == nil && len(differences.Rows) == 0 {
			fmt.Fprintf(a.err, "note     no method has a seed of %s, so there are no differences within seeds\n", compared.Baseline)
		} else if err == nil {
			err = a.printTable(differences)
		}
		if err != nil {
			return err
		}
	}
	if err := a.printTable(costs); err != nil {
		return err
	}
	printTested(a, compared, tables[0])
	printComparedRuns(a, files, compared.Methods...)
	return nil
}

// printTested says on what methods were tested.
func printTested(a *app, compared score.Comparison, first score.LevelTable) {
	fmt.Fprintf(a.out, "tested   %s, %s, %s, %d %s\n", first.Suite, quantity.Count(first.Corruptions, "corruption"),
		report.Samples(compared), first.Images, quantity.Noun(first.Images, "image"))
}

// printEvaluations prints the metrics of several comparisons, of one evaluation each.
func printEvaluations(a *app, parts []score.Comparison, metrics []string) error {
	if len(metrics) == 0 {
		metrics = []string{"NLL", "Error"}
	}
	text, err := levelsText(metrics, parts...)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	for _, part := range parts {
		tables, err := part.Tables()
		if err != nil {
			return err
		}
		printTested(a, part, tables[0])
		printComparedRuns(a, nil, part.Methods...)
	}
	return nil
}

// levelsText is the table of metrics of the methods of comparisons at every level: the mean and the
// standard deviation over n seeds, and from score.DecidingSeeds on half of the mean's interval below them.
func levelsText(metrics []string, parts ...score.Comparison) (string, error) {
	var all viz.Table
	for _, name := range metrics {
		for _, part := range parts {
			table, err := report.LevelTable(part, name)
			if err != nil {
				return "", err
			}
			metric, series, err := metricSeries(part, name)
			if err != nil {
				return "", err
			}
			all.Header, all.Labels = slices.Insert(table.Header, 2, "n"), 3
			for i, row := range table.Rows {
				seeds := series[i][0].N
				row[0] = metric.Heading() // by which --metrics knows it
				all.Rows = append(all.Rows, slices.Insert(row, 2, fmt.Sprint(seeds)))
				if seeds >= score.DecidingSeeds {
					all.Rows = append(all.Rows, intervalRow(metric, series[i]))
				}
			}
		}
	}
	return all.Text()
}

// intervalRow is the row of half of the 95 % t-interval of the mean at every level.
func intervalRow(metric score.Metric, levels score.LevelSeries) []string {
	row := []string{metric.Heading(), "", "95 %"}
	for _, level := range levels {
		row = append(row, "± "+viz.MeanStd(metric.Shown(level.HalfInterval(0.95)), 0, 1, metric.Decimals()))
	}
	return row
}

// printComparedRuns prints the names of methods' runs and their seeds, or those of an ensemble's
// members, and the files that were written.
func printComparedRuns(a *app, files []string, methods ...score.Method) {
	for _, m := range methods {
		seeds := m.Seeds
		if m.Members != nil {
			seeds = m.Members
		}
		fmt.Fprintf(a.out, "runs     %d of %s: %s, %s %s\n", len(m.Runs), m.Name, strings.Join(m.Runs, " "),
			quantity.Noun(len(seeds), "seed"), strings.Trim(fmt.Sprint(seeds), "[]"))
	}
	for _, line := range groupFiles(files) {
		fmt.Fprintf(a.out, "wrote    %s\n", line)
	}
}

// groupFiles lists paths with one line for those that differ in their extension only, such as
// "out/levels.png .pdf .tex".
func groupFiles(paths []string) (lines []string) {
	at := map[string]int{}
	for _, path := range paths {
		base := strings.TrimSuffix(path, filepath.Ext(path))
		if place, found := at[base]; found {
			lines[place] += " " + filepath.Ext(path)
			continue
		}
		at[base] = len(lines)
		lines = append(lines, path)
	}
	return lines
}

// noteWithoutBins says which runs are why a comparison has MeanECE in place of ECE.
func noteWithoutBins(a *app, compared score.Comparison) {
	runs := compared.Unbinned()
	if len(runs) == 0 {
		return
	}
	fmt.Fprintf(a.err, "note     MeanECE, the mean of the corruptions' ECEs, is shown in place of ECE, which counts the predictions of all corruptions together: "+
		"there are no bins of %s (their records lack them)\n", quantity.List(runs, 3))
}

// noteTemperatures says of compared runs which have no ScaledNLL, or that theirs is of temperatures that
// were fitted to few images.
func noteTemperatures(a *app, compared score.Comparison, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) {
	var without []string
	least := fewImages
	for _, method := range compared.Methods {
		for i, cells := range method.Cells {
			own := runsOf(score.Method{Runs: method.Runs[i : i+1]}, runs) // none of an ensemble
			switch {
			case len(own) == 0:
			case !cells.Scaled():
				without = append(without, runTitle(own[0].Directory()))
			default:
				if _, images, err := fitted(own[0], evaluation, cells[0]); err == nil {
					least = min(least, images)
				}
			}
		}
	}
	switch {
	case len(without) > 0:
		fmt.Fprintf(a.err, "note     ScaledNLL isn't shown: no temperature of %s: tested by an earlier version, or on fewer than %d images with fewer held out\n", quantity.List(without, 3), nbbnn.CrossFitImages)
	case least < fewImages:
		fmt.Fprintf(a.err, "note     the temperature of ScaledNLL was fitted to %s, so few that it may raise the NLL\n", quantity.Count(least, "image"))
	}
}

// checkMetrics refuses a name that is no metric.
func checkMetrics(names []string) error {
	for _, name := range names {
		if _, err := score.MetricByName(name); err != nil {
			return err
		}
	}
	return nil
}

// metricSeries returns the metric of a name, and its values for each method.
func metricSeries(compared score.Comparison, name string) (score.Metric, []score.LevelSeries, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return score.Metric{}, nil, err
	}
	series, err := compared.Series(metric)
	return metric, series, err
}
