package paper

import (
	"github.com/nbbnn/workbench/nbbnn"
)

// Report is a figure as data: the curves with their standard deviations over seeds, the verdicts and the card of every run.
type Report struct {
	Figure   int            `json:"figure"`
	Title    string         `json:"title"`
	Scale    Scale          `json:"scale"`
	Suite    string         `json:"suite"`   // of corruptions
	Samples  int            `json:"samples"` // Monte-Carlo samples an image
	Images   int            `json:"images"`  // test images of each cell
	Seeds    []uint64       `json:"seeds"`
	Methods  []MethodReport `json:"methods"`
	Verdicts Verdicts       `json:"verdicts"`
	Runs     []RunReport    `json:"runs"`

	Implicit []ImplicitReport `json:"implicit,omitempty"` // of a figure on implicit corruptions, which has no levels
}

// MethodReport holds one method's curves.
type MethodReport struct {
	Name    string                 `json:"name"`
	Entropy CurveReport            `json:"entropy"` // nats, at the start and after each epoch
	Levels  map[string]CurveReport `json:"levels"`  // by metric, such as NLL, at the levels 0 to 5
}

// CurveReport is a curve over seeds, with the paper's mean where it's known.
type CurveReport struct {
	Mean  []float64 `json:"mean"`
	Std   []float64 `json:"std"`
	Paper []float64 `json:"paper,omitempty"`

	PaperCorruptions int `json:"paper_corruptions,omitempty"` // that the paper's means are over
}

// RunReport is where one run's numbers come from.
type RunReport struct {
	Method string     `json:"method"`
	Seed   uint64     `json:"seed"`
	Card   nbbnn.Card `json:"card"`
}

// Report returns the evaluated figure as data.
func (r *Result) Report() (Report, error) {
	report := Report{
		Figure: r.Figure.Number, Title: r.Figure.Title, Scale: r.Scale, Seeds: r.Setup.Seeds, Verdicts: r.Verdicts(),
		Suite: r.Setup.Evaluation.Suite,
	}
	for _, method := range r.Figure.Methods {
		m, err := r.methodReport(method.Name)
		if err != nil {
			return Report{}, err
		}
		report.Methods = append(report.Methods, m)
	}
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return Report{}, err
		}
		report.Runs = append(report.Runs, RunReport{run.Method, run.Seed, card})
		if len(run.Cells) > 0 {
			report.Samples, report.Images = run.Cells[0].Samples, run.Cells[0].Images
		}
	}
	if r.Setup.isImplicit() {
		report.addImplicit(r)
	}
	return report, nil
}

func (r *Result) methodReport(method string) (MethodReport, error) {
	report := MethodReport{Name: method, Levels: map[string]CurveReport{}}
	report.Entropy.Mean, report.Entropy.Std = split(r.EntropySummary(method))
	if r.Setup.isImplicit() {
		return report, nil
	}
	for _, metric := range Metrics() {
		summaries, err := r.LevelSummary(method, metric)
		if err != nil {
			return MethodReport{}, err
		}
		mean, std := split(summaries)
		curve := CurveReport{Mean: mean, Std: std}
		if paper, found := r.published(method, metric); found {
			curve.Paper, curve.PaperCorruptions = paper.Mean[:], paper.Corruptions
		}
		report.Levels[metric] = curve
	}
	return report, nil
}
