package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
	"github.com/nbbnn/workbench/viz/report"
)

// Names of the metrics that depend on the corruption level.
const (
	NLL       = "NLL"       // negative log-likelihood of the mean predictive, nats an image
	ScaledNLL = "ScaledNLL" // the same after temperature scaling; some committed records lack it
	Error     = "Error"     // fraction of the images, 0 to 1
	ECE       = "ECE"       // expected calibration error over the pooled corruptions, 0 to 1
	meanECE   = "MeanECE"   // mean over the corruptions of the expected calibration error, 0 to 1
)

// reported are the metrics of a figure's report, as far as they are measured.
var reported = []string{NLL, ScaledNLL, Error, ECE, meanECE}

// measured returns those of some metrics that all runs have.
func (r *Result) measured(metrics ...string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(name string) bool { return !r.has(name) })
}

// has reports whether all runs have a metric. Some committed records lack ScaledNLL, and those
// without bins lack ECE.
func (r *Result) has(metric string) bool {
	return !slices.ContainsFunc(r.Runs, func(run RunResult) bool {
		return metric == ScaledNLL && !run.scaled() || metric == ECE && !run.Cells.Binned()
	})
}

// scaled reports whether all cells of the run have a temperature-scaled negative log-likelihood.
func (r RunResult) scaled() bool {
	for _, cell := range r.Parts {
		if !cell.IsScaled() {
			return false
		}
	}
	return r.Cells.Scaled()
}

// Metric returns a metric of package score at the levels 0 to 5.
func (r RunResult) Metric(name string) ([]float64, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	levels, err := metric.Levels(r.Cells)
	return levels[:], err
}

// LevelSummary returns the mean and the standard deviation over seeds of a method's metric at the
// levels 0 to 5.
func (r *Result) LevelSummary(method, metric string) ([]score.Summary, error) {
	series, err := r.levels(method, metric)
	return summarise(series), err
}

// levels returns a metric of each of the method's runs, [seeds][levels].
func (r *Result) levels(method, metric string) (series [][]float64, err error) {
	if !r.Evaluated() {
		return nil, fmt.Errorf("paper: figure %s has no %s yet: Figure.Evaluate computes it", r.Figure.Command(), metric)
	}
	for _, run := range r.of(method) {
		levels, err := run.Metric(metric)
		if err != nil {
			return nil, err
		}
		series = append(series, levels)
	}
	return series, nil
}

// published returns the paper's curve of a method's metric, if it is public and for the same data
// and network.
func (r *Result) published(method, metric string) (curve Published, found bool) {
	config := r.Setup.Config.WithDefaults()
	for _, curve := range r.Figure.Published {
		if curve.Data == config.Data.Name && curve.Network == config.Network.Name && curve.Method == method && curve.Metric == metric {
			return curve, true
		}
	}
	return Published{}, false
}

// testText is the suite, the samples and the images of an evaluated figure, such as "first8, 16
// samples, 1000 images".
func (r *Result) testText() string {
	return report.Tested(r.Setup.Evaluation.Suite, r.mostSampled())
}

// mostSampled returns the cells of the first run with the most samples: methods without latents take
// one.
func (r *Result) mostSampled() score.Cells {
	most := r.Runs[0].Cells
	for _, run := range r.Runs {
		if len(run.Cells) > 0 && run.Cells[0].Samples > most[0].Samples {
			most = run.Cells
		}
	}
	return most
}

// LevelFigure draws a metric against the corruption level, one curve for each method, with the
// paper's where it is public.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	curves, err := r.levelCurves(metric)
	if err != nil {
		return nil, err
	}
	return viz.LevelCurves(metric, curves)
}

// levelCurves returns a curve of a metric for each method, with the paper's where it is public.
func (r *Result) levelCurves(metric string) (curves []viz.LevelCurve, err error) {
	for _, method := range r.methodNames() {
		each, err := r.levels(method, metric)
		if err != nil {
			return nil, err
		}
		mean, std := meansAndStds(summarise(each))
		curve := viz.LevelCurve{Name: method, Mean: mean, Std: std, Seeds: len(each), Each: each, Test: r.testText(), Classes: r.classes()}
		if metric == ScaledNLL {
			curve.Test = "one temperature a run, fitted to held-out clean images"
		}
		if paper, found := r.published(method, metric); found {
			curve.Paper, curve.PaperName = paper.Mean[:], paper.name()
		}
		curves = append(curves, curve)
	}
	return curves, nil
}

// name returns the name of the paper's curve in a legend.
func (p Published) name() string {
	if p.Corruptions == 0 {
		return "paper"
	}
	return "paper, " + counted(p.Corruptions, "corruption")
}

// Comparison returns the scores of the figure's methods, to be drawn by package report.
func (r *Result) Comparison() score.Comparison {
	c := score.Comparison{Suite: r.Setup.Evaluation.WithDefaults().Suite, Classes: r.classes()}
	for _, name := range r.methodNames() {
		method := score.Method{Name: name}
		for _, run := range r.of(name) {
			method.Seeds = append(method.Seeds, run.Seed)
			method.Cells = append(method.Cells, run.Cells)
			if run.Cost != (score.Cost{}) {
				method.Costs = append(method.Costs, run.Cost)
			}
		}
		c.Methods = append(c.Methods, method)
	}
	return c
}

// Table returns metrics at the levels 0 to 5, "mean ± standard deviation" over the seeds, one row
// for each metric and method. Without arguments it has the negative log-likelihood.
func (r *Result) Table(metrics ...string) (viz.Table, error) {
	return r.table(metrics, func(s score.Summary, decimals int) []string {
		return []string{viz.MeanStd(s.Mean, s.Std, s.N, decimals)}
	})
}

// NarrowTable is Table with the standard deviations in rows of their own, for a terminal.
func (r *Result) NarrowTable(metrics ...string) (viz.Table, error) {
	return r.table(metrics, func(s score.Summary, decimals int) []string {
		if s.N < 2 {
			return []string{fmt.Sprintf("%.*f", decimals, s.Mean)}
		}
		return []string{fmt.Sprintf("%.*f", decimals, s.Mean), fmt.Sprintf("%.*f", decimals, s.Std)}
	})
}

// table has a row for each metric, method and text that cell returns.
func (r *Result) table(metrics []string, cell func(s score.Summary, decimals int) []string) (viz.Table, error) {
	if len(metrics) == 0 {
		metrics = []string{NLL}
	}
	table := viz.Table{Header: []string{"", "level"}, Labels: 2}
	for level := range score.LevelCount {
		table.Header = append(table.Header, fmt.Sprint(level))
	}
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return viz.Table{}, err
		}
		for _, method := range r.methodNames() {
			summaries, err := r.LevelSummary(method, name)
			if err != nil {
				return viz.Table{}, err
			}
			table.Rows = append(table.Rows, tableRows(metric, method, summaries, cell)...)
		}
	}
	return table, nil
}

func tableRows(metric score.Metric, method string, summaries []score.Summary, cell func(s score.Summary, decimals int) []string) [][]string {
	var rows [][]string
	for _, s := range summaries {
		for i, text := range cell(score.Summary{Mean: metric.Shown(s.Mean), Std: metric.Shown(s.Std), N: s.N}, metric.Decimals()) {
			if i == len(rows) {
				rows = append(rows, []string{metric.Heading(), []string{method, "± sd"}[i]})
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}
