package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz/report"
)

// exported is the content of verdicts.json: what the pages say about a figure, and the runs that it
// follows from.
type exported struct {
	Figure   int           `json:"figure"`
	Scale    Scale         `json:"scale"`
	Finding  string        `json:"finding"`
	Subject  string        `json:"subject"`
	Gap      *gap          `json:"gap,omitempty"` // of the least noisy network; nil for a figure that isn't tested on clean images
	Test     string        `json:"test"`
	Seeds    []uint64      `json:"seeds"`
	LeftOut  []string      `json:"left_out,omitempty"`
	Table    [][]string    `json:"table"`           // ours and the paper's numbers, the header first
	Costs    [][]string    `json:"costs,omitempty"` // of a benchmark's methods, the header first
	Verdicts Verdicts      `json:"verdicts"`
	Checks   []CheckResult `json:"checks,omitempty"`
	Runs     []exportedRun `json:"runs"`

	Flags string `json:"flags,omitempty"` // of the command that made it, in addition to the scale, such as " --images 64"
}

// exportedRun is one run of an exported result.
type exportedRun struct {
	Method string `json:"method"`
	Row    string `json:"row,omitempty"` // of panels
	Seed   uint64 `json:"seed"`
	Card   string `json:"card"`                   // its file in cards/, without .json
	State  string `json:"state_sha256,omitempty"` // nbbnn.Card.StateSHA256
}

// exportedOf returns the content of verdicts.json.
func exportedOf(r *Result) (exported, error) {
	table, err := comparedTable(r)
	if err != nil {
		return exported{}, err
	}
	result := exported{
		Figure: r.Figure.Number, Scale: r.Scale, Finding: r.Finding(), Subject: r.Subject(), Test: r.Test(),
		Seeds: r.Setup.Seeds, LeftOut: r.LeftOut, Table: table, Verdicts: r.Verdicts(), Checks: r.Checks(),
		Flags: changedFlags(r),
	}
	if gap, known := gapOf(r); known {
		result.Gap = &gap
	}
	costs, err := CostTable(r)
	if err != nil {
		return exported{}, err
	}
	if len(costs.Rows) > 0 {
		result.Costs = slices.Concat([][]string{costs.Header}, costs.Rows)
	}
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return exported{}, err
		}
		result.Runs = append(result.Runs, exportedRun{
			Method: run.Method, Row: run.Row, Seed: run.Seed, Card: report.FileName(run.Name()), State: card.StateSHA256,
		})
	}
	return result, nil
}

// changedFlags repeats the flags that changed the set-up of the scale, such as " --images 64".
func changedFlags(r *Result) (flags string) {
	figure, err := ByNumber(r.Figure.Number)
	if err != nil {
		return ""
	}
	usual, here := figure.Runs(r.Scale), r.Setup
	tested := func(s Setup) int { return cmp.Or(s.Implicit.Images, s.Clouds.Images, s.Evaluation.Images) }
	drawn := func(s Setup) int { return cmp.Or(s.Implicit.Draws, s.Evaluation.Samples) }
	for _, flag := range []struct {
		name        string
		usual, here int
	}{
		{"width", usual.Config.Network.Width, here.Config.Network.Width}, {"epochs", usual.Config.Training.Epochs, here.Config.Training.Epochs},
		{"train", usual.Config.Data.Train, here.Config.Data.Train}, {"images", tested(usual), tested(here)}, {"samples", drawn(usual), drawn(here)},
	} {
		if flag.here != flag.usual {
			flags += fmt.Sprintf(" --%s %d", flag.name, flag.here)
		}
	}
	if saysSeeds(usual, here) {
		flags += fmt.Sprintf(" --seeds %d", len(here.Seeds))
	}
	if here.Evaluation.Suite != usual.Evaluation.Suite {
		flags += " --suite " + here.Evaluation.Suite
	}
	if precision := here.Config.Network.Precision; precision != usual.Config.Network.Precision {
		flags += fmt.Sprintf(" --precision %s", cmp.Or(precision, "float32"))
	}
	return flags
}

// saysSeeds reports whether a command needs --seeds to make a figure of the seeds here: if they are
// the first ones, and not those of the scale.
func saysSeeds(usual, here Setup) bool {
	return slices.Equal(here.Seeds, FirstSeeds(len(here.Seeds))) && len(here.Seeds) != len(usual.Seeds)
}

// comparedTable is the figure's table, the header first. That of a figure of levels has the paper's
// means below ours.
func comparedTable(r *Result) ([][]string, error) {
	if _, ofLevels := r.Figure.Collect.(levelMeasurement); ofLevels {
		return levelTable(r)
	}
	table, err := r.Summary()
	if err != nil {
		return nil, err
	}
	return slices.Concat([][]string{table.Header}, table.Rows), nil
}

// levelTable has a row for each metric and method, except those of calibration, and for each of the
// paper's curves.
func levelTable(r *Result) ([][]string, error) {
	header := []string{"", "level"}
	for level := range score.LevelCount {
		header = append(header, fmt.Sprint(level))
	}
	rows := [][]string{header}
	for _, name := range r.measured(reported...) {
		if strings.Contains(name, ECE) {
			continue
		}
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		for _, method := range r.methodNames() {
			summaries, err := r.LevelSummary(method, name)
			if err != nil {
				return nil, err
			}
			mean, _ := meansAndStds(summaries)
			rows = append(rows, levelRow(metric, method, mean))
			if paper, found := r.published(method, name); found {
				rows = append(rows, levelRow(metric, method+", paper", paper.Mean[:]))
			}
		}
	}
	return rows, nil
}

// levelRow is a row of levelTable.
func levelRow(metric score.Metric, name string, values []float64) []string {
	row := []string{metric.Heading(), name}
	for _, value := range values {
		row = append(row, fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value)))
	}
	return row
}
