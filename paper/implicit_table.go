package paper

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// implicitMeasures are what is told of implicit corruptions.
var implicitMeasures = []struct {
	name  string
	value func(nbbnn.ImplicitCorruption) float64
}{
	{"rms change", nbbnn.ImplicitCorruption.RMS},
	{"norm", func(c nbbnn.ImplicitCorruption) float64 { return c.Norm }},
	{"distance", nbbnn.ImplicitCorruption.Distance},
}

// ImplicitTable returns for each lambda the root mean square of the change in pixels of 0 to 1, its norm in the space of the search
// and the distance of the logits from their target: "mean ± standard deviation" over the seeds of the means over images and draws.
func (r *Result) ImplicitTable() (viz.Table, error) {
	if !r.Setup.isImplicit() || !r.Evaluated() {
		return viz.Table{}, fmt.Errorf("paper: figure %d has no implicit corruptions yet: Figure.Evaluate finds those of a figure on them", r.Figure.Number)
	}
	table := viz.Table{Header: []string{"", "lambda"}, Labels: 2, Caption: r.Test()}
	for _, lambda := range r.Setup.Implicit.Lambda {
		table.Header = append(table.Header, fmt.Sprint(lambda))
	}
	for _, measure := range implicitMeasures {
		for _, method := range r.Figure.Methods {
			row := []string{measure.name, method.Name}
			for _, s := range r.implicitSummary(method.Name, measure.value) {
				row = append(row, viz.MeanStd(s.Mean, s.Std, s.N, 4))
			}
			table.Rows = append(table.Rows, row)
		}
		if paper := r.Figure.PublishedRMS; measure.name == implicitMeasures[0].name && paper != nil {
			table.Rows = append(table.Rows, append([]string{measure.name, "paper"}, publishedRow(paper, r.Setup.Implicit.Lambda)...))
		}
	}
	return table, nil
}

// publishedRow is the paper's number for each lambda, where there is one.
func publishedRow(paper map[float64]float64, lambdas []float64) (row []string) {
	for _, lambda := range lambdas {
		text := ""
		if value, found := paper[lambda]; found {
			text = strconv.FormatFloat(value, 'f', 3, 64)
		}
		row = append(row, text)
	}
	return row
}

// implicitSummary is the mean over the seeds of a method for each lambda.
func (r *Result) implicitSummary(method string, measure func(nbbnn.ImplicitCorruption) float64) []score.Summary {
	return summarise(r.series(method, func(run RunResult) []float64 { return run.ofLambda(measure) }))
}

// ImplicitReport is one implicit corruption as data.
type ImplicitReport struct {
	Method   string  `json:"method"`
	Seed     uint64  `json:"seed"` // of the run
	Image    int     `json:"image"`
	Draw     int     `json:"draw"`
	Lambda   float64 `json:"lambda"`
	RMS      float64 `json:"rms"`      // of the change, in pixels of 0 to 1
	Norm     float64 `json:"norm"`     // of the change, in the space of the search
	Distance float64 `json:"distance"` // of the logits from their target
	Steps    int     `json:"steps"`
}

// addImplicit puts the implicit corruptions in the place of the levels.
func (report *Report) addImplicit(r *Result) {
	report.Suite = ""
	for _, run := range r.Runs {
		for _, c := range run.Implicit {
			report.Implicit = append(report.Implicit, ImplicitReport{run.Method, run.Seed, c.Image, c.Draw, c.Lambda, c.RMS(), c.Norm, c.Distance(), c.Steps})
		}
	}
	settings := r.Setup.Implicit.WithDefaults(r.Setup.Config.WithDefaults().Posterior.Components)
	report.Samples, report.Images = settings.Draws, settings.Images
}

// implicitRows is the table of a figure's CSV file.
func implicitRows(all []ImplicitReport) [][]string {
	rows := [][]string{{"method", "seed", "image", "draw", "lambda", "rms", "norm", "distance", "steps"}}
	for _, c := range all {
		rows = append(rows, []string{c.Method, strconv.FormatUint(c.Seed, 10), strconv.Itoa(c.Image), strconv.Itoa(c.Draw), fmt.Sprint(c.Lambda),
			decimal(c.RMS), decimal(c.Norm), decimal(c.Distance), strconv.Itoa(c.Steps)})
	}
	return rows
}

// counted is such as "1 image" or "2 images".
func counted(count int, what string) string {
	if count == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", count, what)
}

// numbersText is such as "0.03 0.1 0.3".
func numbersText(numbers []float64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
